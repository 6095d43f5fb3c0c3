/**
 * In a real browser: an owner connects a number to Meta, from the empty list to the first message that is read, once with
 * the mouse and once with the keyboard alone. The other side is the fake Cloud API, which refuses each step first.
 */
import { describe, expect, test } from "bun:test";
import { type BrowserOptions, noBrowser, openBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, type Scenario, startScenario } from "#test/support/browser-scenario.ts";
import { chooseTemplate } from "#test/support/choose-template.ts";
import { freshAccount, PIN, PUBLIC_URL } from "#test/support/connecting.ts";
import { GRAPH_APP_SECRET, GRAPH_TOKEN, type Graph, startGraph } from "#test/support/graph.ts";
import type { GraphAccount } from "#test/support/graph-account.ts";
import { keysOf } from "#test/support/keyboard.ts";
import { stringsInMemory } from "#test/support/page-memory.ts";

const PHONE = "+493023125012";
const SECRETS = [GRAPH_TOKEN, GRAPH_APP_SECRET, PIN];

interface World extends AsyncDisposable {
  scenario: Scenario;
  graph: Graph;
  account: GraphAccount;
  /** Everything that the page has asked for. */
  addresses: readonly string[];
}

async function startWorld(options: BrowserOptions): Promise<World> {
  const account = freshAccount();
  const graph = await startGraph({ account });
  const scenario = await startScenario(options, {
    WAXWING_SERVER_PUBLIC_URL: PUBLIC_URL,
    WAXWING_WHATSAPP_GRAPH_URL: graph.url,
  });
  const addresses: string[] = [];
  scenario.page.on("request", (request) => void addresses.push(request.url()));
  const callbacks = `${scenario.app.url}/networks/whatsapp`;
  account.reach = () => callbacks;
  graph.callTo(callbacks);
  return {
    ...{ scenario, graph, account, addresses },
    async [Symbol.asyncDispose]() {
      await scenario[Symbol.asyncDispose]();
      await graph[Symbol.asyncDispose]();
    },
  };
}

/** The statuses of the message that the network has accepted. */
async function report(graph: Graph, ...names: ("delivered" | "read")[]): Promise<void> {
  const message = graph.accepted.at(-1);
  if (message === undefined) throw new Error("the network accepted a message");
  for (const name of names) expect(await graph.callback(graph.status(message, name))).toBe(200);
}

/** Nothing that was typed as a secret is in the page, its fields, its storage, or an address that it has asked for. */
async function expectNoSecrets({ scenario: { page }, addresses }: World): Promise<void> {
  expect(addresses.length).toBeGreaterThan(0);
  const texts = (await page.evaluate(`[
    document.documentElement.outerHTML, location.href, JSON.stringify(localStorage), JSON.stringify(sessionStorage),
    document.cookie, JSON.stringify(history.state), ...[...document.querySelectorAll("input")].map(({ value }) => value),
  ]`)) as string[];
  for (const secret of SECRETS) {
    expect([...texts, ...addresses].filter((text) => text.includes(secret))).toEqual([]);
  }
}

/** Nor is it in the memory of the page, once what is not used any more is collected. */
async function expectNoSecretsInMemory({ page, context }: Scenario): Promise<void> {
  const strings = await stringsInMemory(page, context);
  // What the page shows is found, so a secret would be.
  expect(strings.some((text) => text.includes(PHONE))).toBe(true);
  for (const secret of SECRETS) {
    expect([secret, strings.filter((text) => text.includes(secret))]).toEqual([secret, []]);
  }
}

/** Keeps a word in each way a page can; it is put together there, so that the text of the script does not contain it. */
const KEPT = `(() => {
  const secret = (way) => ["secret", way].join("-of-");
  globalThis.variable = secret("variable");
  const around = { text: secret("closure") };
  globalThis.closure = () => around.text;
  globalThis.keyed = { [secret("key")]: 1 };
  globalThis.mapped = new Map([[secret("map"), 1]]);
  globalThis.weak = new WeakMap([[keyed, { text: secret("weak") }]]);
  globalThis.expression = new RegExp(secret("expression"));
  document.querySelector("input").value = secret("field");
  document.querySelector("p").title = secret("attribute");
})()`;

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "what a page holds is found in its memory, and ids that V8 gives are not",
    async () => {
      await using opened = await openBrowser();
      const { page, context } = opened;
      await page.setContent("<input type=password><p>Text</p>");
      await page.evaluate(KEPT);
      const strings = await stringsInMemory(page, context);
      const ways = ["variable", "closure", "key", "map", "weak", "expression", "field", "attribute"];
      const lost = ways.filter((way) => !strings.some((text) => text.includes(`secret-of-${way}`)));
      expect(lost).toEqual([]);
      expect(strings.filter((text) => /@\d/.test(text))).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "an owner connects a number with the mouse: each step is refused first, says why, and is done",
    async () => {
      await using world = await startWorld({ width: 1440, height: 900, theme: "light" });
      const { scenario, graph, account } = world;
      const { page, button, clean } = scenario;
      const invalid = page.locator("[aria-invalid=true]");
      const secret = page.getByLabel("App secret", { exact: true });

      await scenario.go("numbers");
      await page.getByRole("link", { name: "Add number" }).click();
      await page.getByText("Does the number stay in the WhatsApp Business app?").waitFor();
      await clean("the ways");
      await page.getByRole("link", { name: "Connect to Meta" }).click();

      await page.getByLabel("Access token").fill("EAAwrong");
      await secret.fill("another");
      await button("Check and store").click();
      await page.getByText("The access token of this connection has expired.").waitFor();
      await clean("a refused token");
      await page.getByLabel("Access token").fill(GRAPH_TOKEN);
      await button("Check and store").click();
      await page.getByText("it is another app's, or an old one").waitFor();
      await secret.fill(GRAPH_APP_SECRET);
      await button("Check and store").click();
      await button("Connect number").waitFor();
      await clean("the numbers");
      await expectNoSecrets(world);

      // What was stored can be discarded, and entered again.
      for (const _ of ["once", "twice"]) {
        await button("Discard").click();
        await page.getByLabel("Access token").fill(GRAPH_TOKEN);
        await secret.fill(GRAPH_APP_SECRET);
        await button("Check and store").click();
        await button("Connect number").waitFor();
      }

      // Leaving in the middle loses nothing.
      await scenario.go("numbers");
      await page.getByRole("link", { name: "Add number" }).click();
      await page.getByText("A token is stored for this workspace.").waitFor();
      await page.getByRole("link", { name: "Continue connecting" }).click();
      await page.getByRole("radio", { name: PHONE }).check();
      await button("Connect number").click();
      await page.getByRole("heading", { name: `Set up ${PHONE}` }).waitFor();
      await page.getByText("Meta has not verified the callback address yet.").waitFor();
      await page.getByText("Meta has not asked yet.").waitFor();
      await clean("the steps");

      account.reach = () => null;
      await button("Set up at Meta").click();
      await page.getByText("Meta could not verify the callback address.").waitFor();
      account.reach = () => `${scenario.app.url}/networks/whatsapp`;
      account.webhook = { callbackUrl: "https://crm.example.com/hook", fields: [] };
      await button("Set up at Meta").click();
      const alert = page.getByRole("alertdialog");
      await alert.getByText("crm.example.com").waitFor();
      await clean("another callback address");
      await alert.getByRole("button", { name: "Replace address" }).click();
      await page.getByText(/Meta asked: verified \d\d:\d\d/).waitFor();
      await button("Set up again").waitFor();

      account.pin = "000000";
      await page.getByLabel("Two-step PIN").fill(PIN);
      await button("Register number").click();
      await page.getByText("The two-step PIN of the number is wrong.").waitFor();
      expect(await invalid.count()).toBe(1);
      account.pin = PIN;
      await button("Register number").click();
      await page.getByText("The number is registered.").waitFor();
      await page.getByText("The number can send.").waitFor();
      await expectNoSecrets(world);
      await expectNoSecretsInMemory(scenario);

      await chooseTemplate(page, "greeting (en_US)");
      await page.getByLabel("Your phone").fill("12");
      await page.getByLabel("Body placeholder {{1}}").fill("Anna");
      await button("Send template").click();
      await invalid.or(page.getByRole("alert")).first().waitFor();
      await page.getByLabel("Your phone").fill("+49 151 12345678");
      await button("Send template").click();
      await page.getByText("Message to +4915112345678").waitFor();
      await page.getByText("Delivered: Waiting").waitFor();
      await report(graph, "delivered");
      await page.getByText("Delivered", { exact: true }).waitFor();
      await clean("a delivered message");
      await report(graph, "read");
      await page.getByText("Everything works.").waitFor();
      await page.getByText("No callback from WhatsApp has arrived yet.").waitFor({ state: "detached" });
      expect(await page.getByText("Done", { exact: true }).count()).toBe(6);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      await clean("everything done");

      // The number's panel leads back to the same page, where the token is renewed.
      await scenario.go("numbers?open=1");
      await page.getByRole("link", { name: "Open setup" }).click();
      await button("Enter new ones").click();
      await page.getByLabel("Access token").fill(GRAPH_TOKEN);
      await button("Check and store").click();
      await button("Enter new ones").waitFor();
      await expectNoSecrets(world);
      expect(scenario.app.log()).not.toContain(GRAPH_TOKEN);

      await scenario.go("numbers?open=1");
      await button("Remove number").click();
      await page.getByLabel(`Type ${PHONE} to continue`).fill(PHONE);
      await clean("removing the number");
      await alert.getByRole("button", { name: "Remove number" }).click();
      await page.getByText("No numbers yet").waitFor();
      // The browser logs the one answer that Meta's refusal of the address got.
      expect(scenario.troubles).toEqual([expect.stringContaining("502")]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "an owner connects a number on a phone's screen with the keyboard alone, and reloads the page between the steps",
    async () => {
      await using world = await startWorld({ width: 390, height: 844, theme: "dark", isPhone: true });
      const { scenario, graph } = world;
      const { page, button, clean } = scenario;
      const { press, write } = keysOf(page);
      const field = (label: string) => page.getByLabel(label, { exact: true });
      const reload = async (shows: string) => {
        await page.reload();
        await page.getByText(shows).first().waitFor();
      };

      await scenario.go("numbers/connect");
      await press(page.getByRole("link", { name: "Connect to Meta" }));
      await write(field("Access token"), GRAPH_TOKEN);
      await write(field("App secret"), GRAPH_APP_SECRET);
      await page.keyboard.press("Enter");
      await button("Connect number").waitFor();
      await reload(PHONE);
      await press(button("Connect number"));
      await page.getByRole("heading", { name: `Set up ${PHONE}` }).waitFor();
      await reload("Meta has not asked yet.");
      await clean("the steps");
      await press(button("Set up at Meta"));
      await page.getByText(/Meta asked: verified/).waitFor();
      await reload("Meta asked: verified");
      await write(field("Two-step PIN"), PIN);
      await page.keyboard.press("Enter");
      await page.getByText("The number can send.").waitFor();
      await reload("The number can send.");
      await press(button("Template Choose a template"));
      await page.getByRole("option", { selected: true }).waitFor();
      await page.keyboard.press("Enter");
      await page.locator(":focus").and(field("Your phone")).waitFor();
      await write(field("Your phone"), "+4915112345678");
      await write(field("Body placeholder {{1}}"), "Anna");
      await press(button("Send template"));
      await page.getByText("Message to +4915112345678").waitFor();
      await report(graph, "delivered", "read");
      await page.getByText("Everything works.").waitFor();
      await expectNoSecrets(world);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      await clean("everything done");
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a server without a public https address says so before anything else, and what to do",
    async () => {
      await using scenario = await startScenario({ width: 390, height: 844, theme: "light", isPhone: true });
      const { page, clean } = scenario;
      await scenario.go("numbers/connect?via=meta");
      await page.getByText("WhatsApp can't reach this server yet").waitFor();
      await page.getByText("Set [server] public_url to the public https address of this server").waitFor();
      await clean("no public address");
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
