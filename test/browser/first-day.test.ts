/**
 * The first day in a real browser: from the setup link that the first start prints to a signed test event. No page on
 * the way logs to the browser's console, violates the content security policy or has a serious axe finding.
 */
import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { noBrowser, openBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, SCENARIO_PASSWORD } from "#test/support/browser-scenario.ts";
import { startConsole } from "#test/support/console-process.ts";
import { startReceiver } from "#test/support/receiver.ts";

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "an operator gets from the setup link to a signed test event, and a session that ends midway loses no typed text",
    async () => {
      await using app = await startConsole();
      await using receiver = startReceiver();
      await using browser = await openBrowser();
      const { page, context, button, clean } = browser;

      // Without a session every address leads to the sign-in page.
      await page.goto(`${app.url}/console/w/1/contacts`);
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await clean("sign in");

      await page.goto(app.setupLink);
      await page.getByLabel("E-mail").fill("asha@example.com");
      await page.getByLabel("Password").fill("short");
      await button("Create operator").click();
      await page.getByText("A password has at least 10 characters.").waitFor();
      await clean("set-up");
      await page.getByLabel("Password").fill(SCENARIO_PASSWORD);
      await button("Create operator").click();

      // The suggested country and timezone are the browser's.
      await page.getByLabel("Name").fill("Corner Shop");
      expect(await page.getByLabel("Country").inputValue()).toBe("IN");
      expect(await page.getByLabel("Timezone").inputValue()).toBe("Asia/Kolkata");
      await clean("new workspace");
      await button("Create workspace").click();
      await page.getByText("0 of 5 done").waitFor();
      await clean("home");

      const number = "number add --workspace 1 --phone +911244001100 --name Shop --network simulator".split(" ");
      expect(await app.command(...number)).toMatchObject({ ready: true });
      await page.getByText("1 of 5 done").waitFor();

      // A command that sends is shown for the reader's own number only.
      await page.goto(`${app.url}/console/w/1/messages`);
      const own = page.getByLabel("Your own WhatsApp number");
      await own.fill("my phone");
      expect(await page.getByText("curl").count()).toBe(0);
      await own.fill("+44 7700 900123");
      await page.getByText('"to":"+447700900123"').waitFor();
      await clean("no messages yet");
      await page.goto(`${app.url}/console/w/1`);

      // A key created by keyboard alone is shown once, works, and leaves the page with its dialog.
      await page.getByRole("link", { name: "Create key" }).press("Enter");
      await page.getByText("No keys yet").waitFor();
      await clean("API settings");
      await button("Create key").press("Enter");
      await page.getByLabel("Name").fill("Web shop");
      await page.getByLabel("Name").press("Enter");
      await page.getByText("The key is shown only once").waitFor();
      const key = (await page.getByRole("dialog").locator("code").filter({ hasText: /^wx_/ }).textContent()) ?? "";
      await clean("new key");
      const me = await fetch(`${app.url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
      expect([me.status, await me.json()]).toMatchObject([200, { data: { name: "Corner Shop" } }]);
      await page.keyboard.press("Escape");
      await page.getByText("The key is shown only once").waitFor();
      await button("I have saved it").press("Enter");
      await page.getByText("The key is shown only once").waitFor({ state: "detached" });
      const kept = await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage, state: history.state })");
      expect(`${await page.content()} ${kept}`).not.toContain(key);

      // A form that is submitted twice acts once.
      await button("Create key").click();
      await page.getByLabel("Name").fill("Till");
      await page.getByRole("dialog").getByRole("button", { name: "Create key" }).dblclick();
      await button("I have saved it").click();
      await button("Revoke Till").waitFor();
      expect((await page.getByRole("cell").allTextContents()).filter((text) => text === "Till").length).toBe(1);

      // An invalid address is refused at its field; a valid one gets a secret and a test event.
      await page.getByLabel("Address").fill("ftp://example.com");
      await button("Save webhook").click();
      await page.locator("[aria-invalid=true]").waitFor();
      await page.getByLabel("Address").fill(receiver.url);
      await button("Save webhook").click();
      await button("Send test event").click();
      await page.getByText(/Your server responded 200 in \d+ ms/).waitFor();
      await clean("test event");
      await button("Show secret").click();
      const secret =
        (await page
          .locator("code")
          .filter({ hasText: /^whsec_/ })
          .textContent()) ?? "";
      const [received] = receiver.received;
      const [, time, hex] = /^t=(\d+),v1=(\w+)$/.exec(received?.headers.get("service-signature") ?? "") ?? [];
      expect(createHmac("sha256", secret).update(`${time}.${received?.body}`).digest("hex")).toBe(hex ?? "");

      // The events of the address are chosen by checkbox; those of a test stay.
      await page.getByLabel("message.read", { exact: true }).uncheck();
      await page.getByLabel("contact.updated", { exact: true }).check();
      // "Webhook saved" may still be on the page from the first time, so only the server's answer counts.
      const saved = page.waitForResponse((answer) => answer.request().method() === "PUT");
      await button("Save webhook").click();
      expect((await saved).ok()).toBe(true);
      const types = await page.evaluate(
        `fetch("/console/api/w/" + location.pathname.split("/")[3] + "/webhook").then((answer) => answer.json()).then(({ data }) => data.types)`,
      );
      expect(types).toContain("contact.updated");
      expect(types).toContain("webhook.test");
      expect(types).not.toContain("message.read");

      // A second address has a secret of its own, which is shown once; it is changed, disabled and removed.
      const crm = `${receiver.url}/crm`;
      const dialog = page.getByRole("dialog");
      await button("Add address").click();
      await dialog.getByLabel("Address").fill(crm);
      await dialog.getByRole("button", { name: "Add address" }).click();
      await page.getByText("The secret is shown only once").waitFor();
      expect(await dialog.locator("code").textContent()).toMatch(/^whsec_/);
      await clean("second address");
      await button("I have saved it").click();
      await button(`Change ${crm}`).click();
      await dialog.getByRole("button", { name: "Send test event" }).click();
      await dialog.getByText(/Your server responded 200 in \d+ ms/).waitFor();
      expect(receiver.received.at(-1)?.path).toBe("/hook/crm");
      await dialog.getByLabel("State").selectOption("Disabled");
      await clean("change address");
      await dialog.getByRole("button", { name: "Save webhook" }).click();
      await page.getByRole("cell", { name: "Disabled" }).waitFor();
      await button(`Remove ${crm}`).click();
      await button("Remove address").click();
      await button(`Remove ${crm}`).waitFor({ state: "detached" });

      // A link opens the delivery beside the list; Esc closes it and returns the focus to its row.
      await page.getByRole("link", { name: "Open delivery" }).click();
      await page.getByRole("heading", { name: "webhook.test" }).waitFor();
      await page.getByText("Responded 200").waitFor();
      await clean("delivery");
      await page.keyboard.press("Escape");
      await page.getByRole("heading", { name: "webhook.test" }).waitFor({ state: "detached" });
      await page.locator("a[data-row]:focus").waitFor();

      // The keys g and c open the contacts; a contact is added, and edited in its panel.
      await page.keyboard.press("g");
      await page.keyboard.press("c");
      await page.getByText("No contacts yet").waitFor();
      await clean("contacts");
      await button("Add contact").click();
      await page.getByLabel("Phone", { exact: true }).fill("98765 43210");
      await page.getByLabel("Name", { exact: true }).fill("Asha Rao");
      await page.getByRole("dialog").getByRole("button", { name: "Add contact" }).click();
      await page.getByRole("heading", { name: "Asha Rao" }).waitFor();
      await page.getByLabel("City").fill("Pune");

      // The session ends in the middle: the typed text stays, and signing in over it resumes the form.
      await context.clearCookies();
      // The frame polls too and may notice first, which covers the button and hides it from assistive technology.
      await page.getByRole("button", { name: "Save", exact: true, includeHidden: true }).dispatchEvent("click");
      await page.getByText("You are signed out").first().waitFor();
      await page.getByLabel("Password").fill(SCENARIO_PASSWORD);
      await button("Sign in").click();
      await page.getByText("Sign in again to continue").waitFor({ state: "detached" });
      expect(await page.getByLabel("City").inputValue()).toBe("Pune");
      await button("Save").click();
      await page.getByText("Saved").first().waitFor();
      await clean("contact");

      await page.goto(`${app.url}/console/w/999`);
      await page.getByText("Not found, or you don't have access").waitFor();
      await page.goto(`${app.url}/console/account`);
      await page.getByText("This browser", { exact: true }).waitFor();
      await clean("account");
      // The option is checked as soon as it is clicked, before the server has answered.
      await page.getByLabel("Dark").focus();
      expect(await page.evaluate("(document.activeElement.click(), document.activeElement.checked)")).toBe(true);
      await page.locator("html[data-theme=dark]").waitFor();
      await page.reload();
      expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
      await clean("account, dark");
      expect(browser.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
