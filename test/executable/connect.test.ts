/**
 * An owner's second hour in a browser, on the executable: from the link of the first start through every step of Add
 * number to a message that is delivered to their own phone, without another page or a terminal. Meta refuses each step
 * first, with a reason that the page says; then it answers late, and the page is reloaded before it does. Every button is
 * pressed twice, and Meta asks and reports everything twice. The short form goes the way once, with the mouse. The long form
 * goes it with the mouse and with the keyboard alone, over a slow line, and looks at every step on a desk and on a phone,
 * light and dark. `TEST_PICTURES` names a folder for pictures of them.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { noBrowser, openBrowser, type TestBrowser } from "#test/support/browser.ts";
import { SCENARIO_PASSWORD } from "#test/support/browser-scenario.ts";
import { chooseFromOpenList } from "#test/support/choose-template.ts";
import { freshAccount, PIN } from "#test/support/connecting.ts";
import type { Refusal } from "#test/support/graph.ts";
import { graphNumber, graphTemplate } from "#test/support/graph-account.ts";
import { keysOf } from "#test/support/keyboard.ts";
import { inForm, isLong } from "#test/support/long-form.ts";
import {
  ACCESS_TOKEN,
  ACCOUNT_ID,
  APP_SECRET,
  configurationOf,
  makeWhatsappProcess,
  PHONE_NUMBER_ID,
  until,
  type WhatsappProcess,
} from "#test/support/whatsapp-process.ts";

const LIMIT_MS = inForm({ short: 240_000, long: 1_800_000 });
const PHONE = "+493023125012";
const OWN_PHONE = "+4915112345678";
const STEP_MS = inForm({ short: 20_000, long: 90_000 });
/** How late Meta answers everything. */
const LATE_MS = inForm({ short: 50, long: 3_000 });
/** A slow mobile line: 400 kbit/s both ways. */
const LINE = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

/** The two ways to use a page. A press is a double one. */
interface Hand {
  follow(link: Locator): Promise<void>;
  press(button: Locator): Promise<void>;
  write(field: Locator, text: string): Promise<void>;
  /** Of the list that the button opens. */
  choose(button: Locator, option: string): Promise<void>;
}

const mouse = (page: Page): Hand => ({
  follow: (link) => link.click(),
  press: (button) => button.dblclick(),
  write: (field, text) => field.fill(text),
  async choose(button, option) {
    await button.click();
    await chooseFromOpenList(page, option);
  },
});

function keyboard(page: Page): Hand {
  const { reach, press } = keysOf(page);
  return {
    follow: (link) => press(link),
    async press(button) {
      await reach(button);
      await Promise.all([page.keyboard.press("Enter"), page.keyboard.press("Enter")]);
    },
    async write(field, text) {
      await reach(field);
      await page.keyboard.press("Control+a");
      await page.keyboard.type(text);
    },
    async choose(button, option) {
      await press(button);
      await page.getByRole("dialog").getByRole("option").first().waitFor();
      await page.keyboard.type(option);
      await page.getByRole("option", { name: option, selected: true }).waitFor();
      await page.keyboard.press("Enter");
    },
  };
}

interface Held {
  asked: Promise<void>;
  release: () => void;
}

/** Meta, as it behaves today. */
interface Meta {
  /** Requests whose method and path match are refused, until the returned function is called. */
  refuse(about: RegExp, refusal: Refusal): () => void;
  /** The next request that matches waits for its answer. */
  hold(about: RegExp): Held;
}

function behave({ account }: WhatsappProcess): Meta {
  const refusals = new Map<RegExp, Refusal>();
  const holds = new Map<RegExp, { asked: () => void; released: Promise<void> }>();
  account.refuse = async ({ method, path }) => {
    const asked = `${method} ${path}`;
    const [about, held] = [...holds].find(([one]) => one.test(asked)) ?? [];
    if (about !== undefined && held !== undefined) {
      holds.delete(about);
      held.asked();
      await held.released;
    }
    await Bun.sleep(LATE_MS);
    return [...refusals].find(([one]) => one.test(asked))?.[1] ?? null;
  };
  return {
    refuse(about, refusal) {
      refusals.set(about, refusal);
      return () => void refusals.delete(about);
    },
    hold(about) {
      const [asked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      holds.set(about, { asked: asked.resolve, released: released.promise });
      return { asked: asked.promise, release: released.resolve };
    },
  };
}

async function startServer(): Promise<WhatsappProcess> {
  const { id: _, token, ...fresh } = freshAccount();
  const shop = await makeWhatsappProcess({
    ...fresh,
    token: { ...token, accountIds: [ACCOUNT_ID] },
    numbers: [graphNumber(PHONE_NUMBER_ID, "+49 30 23125012", { status: "PENDING" })],
    templates: [graphTemplate("greeting", { status: "PENDING" })],
    appSecret: APP_SECRET,
  });
  shop.write("waxwing.toml", configurationOf(shop).replace(/^(verify_token|app_secret) = .*\n/gm, ""));
  await shop.start();
  shop.account.reach = (address) => (address === `${shop.publicUrl}/networks/whatsapp` ? shop.callbackUrl() : null);
  return shop;
}

/** Fails with what was waited for, and not with the time of the whole test. */
async function withinLimit(what: string, happens: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`waited in vain until ${what}`)), STEP_MS);
  await Promise.race([happens, promise]).finally(() => clearTimeout(timer));
}

async function setupLink({ directory }: WhatsappProcess): Promise<string> {
  const file = join(directory, "data/setup-link");
  await until("the link of the first start is there", () => existsSync(file));
  return readFileSync(file, "utf8").trim();
}

/** Goes the whole way. */
async function walk(shop: WhatsappProcess, opened: TestBrowser, hand: Hand): Promise<void> {
  const { account, graph } = shop;
  const { page, button } = opened;
  const meta = behave(shop);
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const heading = (name: string) => page.getByRole("heading", { name, exact: true });
  const says = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const look = (where: string): Promise<void> => (isLong ? opened.cleanEverywhere(where) : opened.clean(where));
  /** Presses, and reloads the page before Meta has answered. */
  const pressAndReload = async (name: string, about: RegExp): Promise<void> => {
    const held = meta.hold(about);
    await hand.press(button(name));
    await withinLimit(`Meta is asked after ${name}`, held.asked);
    // The server does not wait for Meta as long as a slow line takes to load the page.
    await page.reload({ waitUntil: "commit" });
    held.release();
  };

  await page.goto(await setupLink(shop));
  await hand.write(field("E-mail"), "asha@example.com");
  await hand.write(field("Password"), "short");
  await hand.press(button("Create operator"));
  await says("A password has at least 10 characters.");
  await hand.write(field("Password"), SCENARIO_PASSWORD);
  await look("1-first-run");
  await hand.press(button("Create operator"));
  await hand.write(field("Name"), "Corner Shop");
  await look("2-workspace");
  await hand.press(button("Create workspace"));
  await says("0 of 5 done");
  await hand.follow(page.getByRole("link", { name: "Add number" }));
  await says("Does the number stay in the WhatsApp Business app?");
  await look("3-ways");
  await hand.follow(page.getByRole("link", { name: "Connect to Meta" }));

  // 1. The token, which has expired; then the app secret, which is another app's.
  const isExpired = meta.refuse(/debug_token/, { code: 190, status: 401, subcode: 463 });
  await hand.write(field("Access token"), ACCESS_TOKEN);
  await hand.write(field("App secret"), "the-secret-of-another-app");
  await hand.press(button("Check and store"));
  await says("The access token of this connection has expired.");
  await look("4-token-refused");
  isExpired();
  await hand.press(button("Check and store"));
  await says("it is another app's, or an old one");
  await hand.write(field("App secret"), APP_SECRET);
  const isHidden = meta.refuse(/\/phone_numbers/, { code: 200, status: 403 });
  await pressAndReload("Check and store", /debug_token/);

  // 2. The account, which the token may not see yet; then the number, of which Meta loses sight for a moment.
  await says("no account with this id that the token may see");
  await look("5-account-refused");
  isHidden();
  await hand.press(button("Look again"));
  await button("Connect number").waitFor();
  const isGone = meta.refuse(/phone_numbers/, { code: 2, status: 503 });
  await hand.press(button("Connect number"));
  await says("down or overloaded");
  await look("6-number-refused");
  isGone();
  await pressAndReload("Connect number", /phone_numbers/);
  await hand.follow(page.getByRole("link", { name: `Continue with ${PHONE}` }));
  await heading(`Set up ${PHONE}`).waitFor();

  // 3. The callback address, which Meta does not reach; then the subscription, which the token may not make.
  const { reach } = account;
  account.reach = () => null;
  await says("Meta has not asked yet.");
  await hand.press(button("Set up at Meta"));
  await says("Meta could not verify the callback address.");
  await look("7-callbacks-refused");
  account.reach = reach;
  const isForbidden = meta.refuse(/POST .*subscribed_apps/, { code: 10, status: 403 });
  await hand.press(button("Set up at Meta"));
  await says("lacks a permission");
  await says(/Meta asked: verified \d\d:\d\d/);
  isForbidden();
  await pressAndReload("Set up at Meta", /POST .*subscribed_apps/);
  await button("Set up again").waitFor();

  // 4. The PIN, which is another one.
  account.pin = "000000";
  await hand.write(field("Two-step PIN"), PIN);
  await hand.press(button("Register number"));
  await says("The two-step PIN of the number is wrong.");
  await look("8-pin-refused");
  account.pin = PIN;
  await pressAndReload("Register number", /register/);
  await says("The number is registered.");

  // 5. The template, which Meta has not approved yet.
  await says("no approved template");
  await look("9-no-template");
  const [template] = account.templates;
  if (template === undefined) throw new Error("the account has a template");
  template.status = "APPROVED";
  const isApproved = {
    field: "message_template_status_update",
    value: {
      ...{ event: "APPROVED", message_template_id: template.id, message_template_name: "greeting" },
      ...{ message_template_language: "en_US", reason: "NONE" },
    },
  };
  for (const _ of ["once", "twice"]) expect(await shop.hear(isApproved)).toBe(200);

  // 6. The message, which Meta refuses; then it is accepted, late, and reported twice.
  await hand.choose(button("Template Choose a template"), "greeting (en_US)");
  await hand.write(field("Your phone"), "12");
  await hand.write(field("Body placeholder {{1}}"), "Anna");
  await hand.press(button("Send template"));
  await says('"12" is not a phone number.');
  graph.fault({ fault: { kind: "error", code: 131026 } });
  await hand.write(field("Your phone"), OWN_PHONE);
  await hand.press(button("Send template"));
  await says("The message cannot be delivered to this number");
  await look("10-message-refused");
  graph.fault({ fault: { kind: "delay", until: Bun.sleep(LATE_MS) } });
  await hand.press(button("Send template"));
  await says("Delivered: Waiting");
  const [message] = graph.accepted;
  if (message === undefined) throw new Error("the network accepted a message");
  for (const _ of ["once", "twice"]) expect(await shop.hear(graph.status(message, "delivered"))).toBe(200);
  await page.getByText("Delivered", { exact: true }).waitFor();
  await look("11-delivered");
  await page.reload();
  await page.getByText("Delivered", { exact: true }).waitFor();
  for (const _ of ["once", "twice"]) expect(await shop.hear(graph.status(message, "read"))).toBe(200);
  await says("Everything works.");
  const done = page.getByText("Done", { exact: true });
  // Meta is asked again after the reload, and nothing is said to be missing meanwhile.
  expect(await page.getByText("To do", { exact: true }).count()).toBe(0);
  await done.nth(5).waitFor();
  await look("12-read");
  expect(await done.count()).toBe(6);
  expect(graph.accepted).toHaveLength(1);
  expect(shop.rows("SELECT phone FROM numbers")).toHaveLength(1);
}

const hands = inForm({ short: ["mouse"] as const, long: ["mouse", "keyboard"] as const });

describe.skipIf(noBrowser)("on the executable", () => {
  test.each(hands)(
    "an owner gets from the link of the first start to a delivered message, by %s",
    async (name) => {
      await using shop = await startServer();
      await using opened = await openBrowser({ isSelfSigned: true });
      const { page, context, troubles } = opened;
      page.setDefaultTimeout(STEP_MS);
      if (isLong) {
        const devtools = await context.newCDPSession(page);
        await devtools.send("Network.enable");
        await devtools.send("Network.emulateNetworkConditions", LINE);
      }
      await walk(shop, opened, name === "mouse" ? mouse(page) : keyboard(page));
      // The browser logs the answers that Meta's refusals got.
      expect(troubles.filter((line) => !/status of 50[23]/.test(line))).toEqual([]);
    },
    LIMIT_MS,
  );
});
