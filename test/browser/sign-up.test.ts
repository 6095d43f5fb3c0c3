/**
 * In a real browser: an owner signs up on Meta's page, which is the fake Cloud API's. The whole window goes there and comes
 * back, first without an agreement, then with a code.
 */
import { describe, expect, test } from "bun:test";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";
import { freshAccount, PUBLIC_URL } from "#test/support/connecting.ts";
import { GRAPH_APP_SECRET, GRAPH_PHONE_NUMBER_ID, GRAPH_TOKEN, startGraph } from "#test/support/graph.ts";
import { GRAPH_APP_ID, graphNumber } from "#test/support/graph-account.ts";
import { GraphSignUp, SIGN_UP_CONFIG_ID } from "#test/support/graph-sign-up.ts";
import { stringsInMemory } from "#test/support/page-memory.ts";
import { takePictures } from "#test/support/pictures.ts";

const PHONE = "+493023125012";

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "an owner cancels at Meta, then signs up with a number that stays in the app; the code is nowhere afterwards",
    async () => {
      const signUp = new GraphSignUp({ id: GRAPH_APP_ID, secret: GRAPH_APP_SECRET, token: () => GRAPH_TOKEN });
      const account = freshAccount({
        numbers: [graphNumber(GRAPH_PHONE_NUMBER_ID, PHONE, { is_on_biz_app: true })],
        webhook: { callbackUrl: `${PUBLIC_URL}/networks/whatsapp`, fields: ["messages"] },
      });
      await using graph = await startGraph({ account, signUp });
      await using scenario = await startScenario(
        { width: 390, height: 844, theme: "dark", isPhone: true },
        {
          WAXWING_SERVER_PUBLIC_URL: PUBLIC_URL,
          WAXWING_WHATSAPP_GRAPH_URL: graph.url,
          WAXWING_WHATSAPP_DIALOG_URL: graph.url,
          WAXWING_WHATSAPP_APP_ID: GRAPH_APP_ID,
          WAXWING_WHATSAPP_SIGNUP_CONFIG_ID: SIGN_UP_CONFIG_ID,
          WAXWING_WHATSAPP_APP_SECRET: GRAPH_APP_SECRET,
        },
      );
      const { page, button, clean } = scenario;
      account.reach = () => `${scenario.app.url}/networks/whatsapp`;
      signUp.reach = (address) => address.replace(PUBLIC_URL, scenario.app.url);
      const fits = async () => expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);

      await scenario.go("numbers/connect");
      await page.getByRole("radio", { name: "Yes, and it stays there" }).check();
      await clean("the ways");
      await fits();
      await takePictures(scenario, "sign-up-ways");
      await button("Continue at Meta").click();
      await page.getByRole("link", { name: "Cancel" }).click();
      await page.getByText("You left Meta's page without agreeing.").waitFor();
      await clean("cancelled");
      await fits();
      await takePictures(scenario, "sign-up-cancelled");

      await page.getByRole("link", { name: "Back to Add number" }).press("Enter");
      await page.getByRole("radio", { name: "Yes, and it stays there" }).press("Space");
      await button("Continue at Meta").press("Enter");
      const agree = page.getByRole("link", { name: "Agree" });
      const back = await agree.getAttribute("href");
      await agree.press("Enter");
      await button("Connect number").waitFor();
      await page.getByText("Also in the WhatsApp Business app").waitFor();
      const texts = (await page.evaluate(`[
        document.documentElement.outerHTML, location.href, JSON.stringify(localStorage), JSON.stringify(sessionStorage),
        document.cookie, JSON.stringify(history.state),
      ]`)) as string[];
      const { code = "", state = "" } = Object.fromEntries(new URL(back ?? "").searchParams);
      expect([code, state].map((text) => text.length > 10)).toEqual([true, true]);
      for (const secret of [code, state, GRAPH_TOKEN, GRAPH_APP_SECRET]) {
        expect(texts.filter((text) => text.includes(secret))).toEqual([]);
        expect(scenario.app.log()).not.toContain(secret);
      }
      const memory = await stringsInMemory(page, scenario.context);
      // What the page shows is found, so a secret would be.
      expect(memory.some((text) => text.includes(PHONE))).toBe(true);
      for (const secret of [code, state, GRAPH_TOKEN, GRAPH_APP_SECRET]) {
        expect([secret, memory.filter((text) => text.includes(secret))]).toEqual([secret, []]);
      }
      expect(signUp.dialogs.map((query) => query.get("state")).includes(state)).toBe(true);

      // The browser's history leads to no second use.
      await page.goto(back ?? "");
      await page.getByText("This answer of Meta's was used already.").waitFor();
      await page.getByRole("link", { name: "Back to Add number" }).click();
      await page.getByRole("link", { name: "Continue connecting" }).click();
      await page.getByRole("radio", { name: PHONE }).check();
      await button("Connect number").click();
      await page.getByRole("heading", { name: `Set up ${PHONE}` }).waitFor();
      await button("Set up at Meta").click();
      await page.getByText(/Meta asked: verified/).waitFor();
      await page.getByText("The number can send.").waitFor();
      await page.getByText("The number is registered.").waitFor();
      await page.getByText("The number is in the WhatsApp Business app too").click();
      await clean("the phone's data");
      await button("Fetch contacts and history").click();
      await page.getByText("Asked for. It arrives within minutes to hours.").waitFor();
      expect(account.phoneSyncs).toEqual(["smb_app_state_sync", "history"]);

      await button("Sign in at Meta again").click();
      await page.getByRole("link", { name: "Agree" }).click();
      await page.getByRole("heading", { name: `Set up ${PHONE}` }).waitFor();
      expect(signUp.exchanges).toHaveLength(2);

      // The number has moved to another account at Meta: entering a token of that account moves it here too.
      const there = graphNumber("200000000000077", PHONE, { is_on_biz_app: true });
      Object.assign(account, { id: "100000000000077", numbers: [there] });
      account.token.accountIds = ["100000000000077"];
      await button("Enter new ones").click();
      await page.getByLabel("Access token").fill(GRAPH_TOKEN);
      await button("Check and store").click();
      const question = page.getByRole("alertdialog");
      await question.getByText("100000000000077").waitFor();
      await clean("another account");
      await question.getByRole("button", { name: "Move number" }).click();
      await question.waitFor({ state: "detached" });
      await button("Enter new ones").waitFor();
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
