/** The people of a workspace in a real browser: an invitation as a text and by WhatsApp, an agent's numbers, sessions ended. */
import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { axeFindings, noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, SCENARIO_PASSWORD, type Scenario, startScenario } from "#test/support/browser-scenario.ts";

async function pictures({ page }: Scenario, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
      [320, 640],
    ] as const) {
      await page.setViewportSize({ width, height });
      expect([name, colorScheme, width, await axeFindings(page)]).toEqual([name, colorScheme, width, []]);
      const isWider = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
      expect([name, width, isWider]).toEqual([name, width, false]);
      const folder = process.env.PICTURES;
      if (folder === undefined) continue;
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`) });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
}

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "an owner invites by a text, limits an agent to a number, sees when they came, and signs them out",
    async () => {
      await using scenario = await startScenario();
      const { page, app, button } = scenario;
      const dialog = page.getByRole("dialog").last();
      for (const [phone, name] of [
        ["+911244001100", "Shop"],
        ["+911244001101", "Kiosk"],
      ])
        await scenario.command(`number add --workspace 1 --phone ${phone} --name ${name} --network simulator`);
      await scenario.go("members");
      // By keyboard alone.
      await button("Invite").first().press("Enter");
      await dialog.getByLabel("E-mail").fill("ravi@example.com");
      await dialog.getByLabel("Role").selectOption("agent");
      await dialog.getByLabel("E-mail").press("Enter");
      const text = dialog.getByRole("region", { name: "Invitation as a text" });
      await text.getByText("You are invited to Corner Shop as agent.").waitFor();
      const invitation = (await text.textContent()) ?? "";
      const [link = ""] = /http\S+#\w+/.exec(invitation) ?? [];
      const share = new URL(
        (await dialog.getByRole("link", { name: "Send it by WhatsApp" }).getAttribute("href")) ?? "",
      );
      expect([share.host, share.searchParams.get("text")]).toEqual(["wa.me", invitation]);
      await pictures(scenario, "invitation");
      await button("I have sent it").press("Enter");
      await page.getByText("Not yet").waitFor();

      // The invitee, in a browser of their own.
      const joined = await fetch(`${app.url}/console/api/links/use`, {
        method: "POST",
        headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
        body: JSON.stringify({ token: link.split("#")[1], password: SCENARIO_PASSWORD }),
      });
      const cookie = joined.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      const asRavi = async (path: string) => await fetch(`${app.url}/console/api${path}`, { headers: { cookie } });
      expect((await asRavi("/w/1/me")).status).toBe(200);

      await page.reload();
      await page.getByText("all numbers").waitFor();
      await page.getByRole("cell", { name: "just now" }).first().waitFor();
      await button("Numbers of ravi@example.com").press("Enter");
      await dialog.getByLabel("+911244001101").check();
      await pictures(scenario, "numbers");
      await button("Save numbers").press("Enter");
      await page.getByText("1 number", { exact: true }).waitFor();
      const { data } = (await (await asRavi("/w/1/me")).json()) as { data: { numbers: { phone: string }[] } };
      expect(data.numbers.map(({ phone }) => phone)).toEqual(["+911244001101"]);
      await pictures(scenario, "members");

      await button("Sign out ravi@example.com everywhere").press("Enter");
      const asked = page.getByRole("alertdialog", { name: "Sign ravi@example.com out everywhere?" });
      await asked.getByText("has to sign in again").waitFor();
      await pictures(scenario, "sign-out");
      await asked.getByRole("button", { name: "Sign out" }).press("Enter");
      await page.getByText("1 session ended").waitFor();
      expect((await asRavi("/w/1/me")).status).toBe(401);
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
