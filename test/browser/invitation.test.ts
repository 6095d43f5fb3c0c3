/**
 * Inviting an address that has an account, in a real browser: the inviter reads about the account before passing the
 * link on; the invitee signs in to it, or, where nothing uses the account, chooses a new password.
 */
import { describe, expect, test } from "bun:test";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, SCENARIO_PASSWORD, startScenario } from "#test/support/browser-scenario.ts";

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "an invitation to an existing account is shown to inviter and invitee, who signs in to it or, if nothing uses it, starts again",
    async () => {
      await using scenario = await startScenario();
      const { app, page, context, button, clean } = scenario;
      const dialog = page.getByRole("dialog").last();
      await scenario.command("workspace create --name Other --country IN --timezone Asia/Kolkata");
      const use = (token: string) =>
        context.request.post(`${app.url}/console/api/links/use`, {
          data: { token, password: SCENARIO_PASSWORD },
          headers: { "sec-fetch-site": "same-origin" },
        });
      const links: string[] = [];
      const ids: number[] = [];
      for (const email of ["mina@example.com", "ravi@example.com"]) {
        const { id, link } = await scenario.command(`user create --email ${email} --role member --workspace 2`);
        ids.push(Number(id));
        links.push(String(link).split("#")[1] ?? "");
      }
      const invitations: string[] = [];
      const operator = await context.cookies();
      for (const [index, email] of ["mina@example.com", "ravi@example.com"].entries()) {
        expect((await use(links[index] ?? "")).status()).toBe(201);
        await context.clearCookies();
        await context.addCookies(operator);
        // The second one leaves its workspace, so nothing uses its account.
        if (index === 1) {
          const left = await context.request.delete(`${app.url}/console/api/w/2/people/${ids[index]}`, {
            data: {},
            headers: { "sec-fetch-site": "same-origin" },
          });
          expect(left.status()).toBe(200);
        }
        await scenario.go("members");
        await button("Invite").first().click();
        await dialog.getByLabel("E-mail").fill(email);
        await dialog.getByLabel("E-mail").press("Enter");
        await dialog.getByText(/has had an account here since/).waitFor();
        await clean("invitation to an account");
        invitations.push((await dialog.locator("code").filter({ hasText: "/console/join#" }).textContent()) ?? "");
        await button("I have sent it").click();
        await page.getByText("Invited").first().waitFor();
      }

      await page.goto("about:blank");
      await context.clearCookies();
      await page.goto(invitations[0] ?? "");
      await page.getByRole("heading", { name: "Accept invitation" }).waitFor();
      await page.getByText("mina@example.com has had an account here").waitFor();
      await page.getByText("ask an operator of this server").waitFor();
      await clean("accept the invitation");
      await page.getByLabel("Password").fill(SCENARIO_PASSWORD);
      await button("Sign in and accept").click();
      await page.waitForURL((url) => !url.pathname.includes("/join"));

      // The page is left first: its requests without a session would count as errors.
      await page.goto("about:blank");
      await context.clearCookies();
      await page.goto(invitations[1] ?? "");
      await button("I do not know its password").click();
      await page.getByRole("heading", { name: "Choose a new password" }).waitFor();
      await clean("start again");
      await page.getByLabel("Password").fill("another long password");
      await button("Set password and sign in").click();
      await page.waitForURL((url) => !url.pathname.includes("/join"));
      await scenario.go("contacts");
      await page.getByRole("heading", { name: /Contacts/ }).waitFor();

      await page.goto(invitations[1]?.replace(/#.*/, "#over") ?? "");
      await page.getByText("This link no longer works").waitFor();
      expect(scenario.troubles.filter((trouble) => !/404/.test(trouble))).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
