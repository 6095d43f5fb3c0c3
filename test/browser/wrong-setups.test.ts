/**
 * In a real browser: every wrong set-up of a number at Meta is named at its step of the page, with what to do. One browser
 * and one server; each starts from nothing. The short form has every fourth.
 */
import { describe, expect, test } from "bun:test";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, type Scenario, startScenario } from "#test/support/browser-scenario.ts";
import { freshAccount, PIN, PUBLIC_URL } from "#test/support/connecting.ts";
import {
  GRAPH_ACCOUNT_ID,
  GRAPH_APP_SECRET,
  GRAPH_PHONE_NUMBER_ID,
  GRAPH_TOKEN,
  startGraph,
} from "#test/support/graph.ts";
import type { GraphAccount } from "#test/support/graph-account.ts";
import { inForm } from "#test/support/long-form.ts";
import { type SetupWorld, type WrongSetup, wrongSetups } from "#test/support/wrong-setups.ts";

/** The positions of the steps to which a finding of the check belongs. */
const POSITIONS: Readonly<Record<string, number>> = { access: 1, callbacks: 3, registration: 4, sending: 5 };

interface World extends SetupWorld {
  scenario: Scenario;
  choose: () => Promise<number>;
  connect: () => Promise<number>;
  /** Forgets everything, here and at Meta. */
  reset: () => Promise<void>;
}

function worldOf(scenario: Scenario, account: GraphAccount): World {
  const { prepare, read, app } = scenario;
  const enter = () => prepare("PUT", "/connection", { token: GRAPH_TOKEN, app_secret: GRAPH_APP_SECRET });
  const choose = async (): Promise<number> => {
    await enter();
    const body = { account_id: GRAPH_ACCOUNT_ID, phone_number_id: GRAPH_PHONE_NUMBER_ID };
    return (await prepare<{ id: number }>("POST", "/connection/number", body)).id;
  };
  return {
    ...{ scenario, account, enter, choose },
    async connect() {
      const id = await choose();
      await prepare("POST", `/numbers/${id}/webhook`);
      await prepare("POST", `/numbers/${id}/register`, { pin: PIN });
      return id;
    },
    async reset() {
      const { id: _, token: __, ...rest } = account;
      for (const name of Object.keys(rest)) delete (account as unknown as Record<string, unknown>)[name];
      Object.assign(account, freshAccount(), { reach: () => `${app.url}/networks/whatsapp` });
      await prepare("DELETE", "/connection");
      const { data } = await read<{ data: { id: number }[] }>("/numbers");
      for (const { id } of data) await prepare("DELETE", `/numbers/${id}`);
    },
  };
}

/** Goes the page's way until the step of the case, and returns the position of the step that names it. */
async function runInto(world: World, { step, spoil, name, at }: WrongSetup): Promise<number> {
  const { scenario, choose, connect, enter } = world;
  const { page, button } = scenario;
  if (step === "enter") {
    await spoil(world);
    await scenario.go("numbers/connect?via=meta");
    await page.getByLabel("Access token").fill(GRAPH_TOKEN);
    if (name !== "no app secret at all") await page.getByLabel("App secret", { exact: true }).fill(GRAPH_APP_SECRET);
    await button("Check and store").click();
    return 1;
  }
  if (step === "offer") {
    await enter();
    await spoil(world);
    await scenario.go("numbers/connect?via=meta");
    return 2;
  }
  const id = await (step === "check" ? connect() : choose());
  await spoil(world);
  await scenario.go(`numbers/connect?via=meta&number=${id}`);
  if (step === "callbacks") await button("Set up at Meta").click();
  if (step === "register") {
    await page.getByLabel("Two-step PIN").fill(PIN);
    await button("Register number").click();
  }
  return { callbacks: 3, register: 4 }[step as string] ?? POSITIONS[at ?? ""] ?? 0;
}

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "every wrong set-up is named at its step, with what to do there",
    async () => {
      const account = freshAccount();
      await using graph = await startGraph({ account });
      await using scenario = await startScenario(
        {},
        { WAXWING_SERVER_PUBLIC_URL: PUBLIC_URL, WAXWING_WHATSAPP_GRAPH_URL: graph.url },
      );
      const world = worldOf(scenario, account);
      const shown = wrongSetups.filter(({ isOnlyOfRequests }) => isOnlyOfRequests !== true);
      expect(shown.length).toBeGreaterThanOrEqual(25);
      const unnamed: string[] = [];
      for (const one of inForm({ short: shown.filter((_, index) => index % 4 === 0), long: shown })) {
        await world.reset();
        const position = await runInto(world, one);
        const region = scenario.page.getByRole("region", { name: new RegExp(`^${position}\\. `) });
        const named = region.filter({ hasText: one.says }).filter({ hasText: one.next });
        const found = await named.waitFor().then(
          () => true,
          () => false,
        );
        if (!found) unnamed.push(`${one.name}: ${await region.textContent().catch(() => "no such step")}`);
      }
      expect(unnamed).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
