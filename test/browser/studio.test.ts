/**
 * The template studio in a real browser: a template from its first word to its deletion, by mouse and by keyboard; and the
 * written templates of `test/support`, each wrong one stopped at its field, each right one as it reaches the network. The
 * long form has all of them.
 */
import { describe, expect, test } from "bun:test";
import { checkTemplate } from "#src/domain/templates/rules/check.ts";
import { noBrowser, openBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";
import { firstOperator, person } from "#test/support/console.ts";
import { graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { inForm } from "#test/support/long-form.ts";
import { startWhatsapp } from "#test/support/whatsapp.ts";
import { rightTemplates, wrongTemplates } from "#test/support/written-templates.ts";

const NUMBER = "number add --workspace 1 --phone +911244001100 --name Shop --network simulator";
const LONG_MS = 1_800_000;
const HINTS = "What WhatsApp's review may find";

/** Every `step`-th in the short form. */
function some<One>(all: readonly One[], step: number): readonly One[] {
  return inForm({ short: all.filter((_, index) => index % step === 0), long: all });
}

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "a template is written, rejected, corrected, approved, written in another language, copied and deleted",
    async () => {
      await using scenario = await startScenario();
      const { page, button } = scenario;
      const clean = inForm({ short: scenario.clean, long: scenario.cleanEverywhere });
      await scenario.command(NUMBER);
      const templates = () =>
        scenario.read<{ data: { name: string; language: string; status: string }[] }>("/templates");
      const decide = async (status: string, reason: string) => {
        await page.getByLabel("Decision").selectOption(status);
        if (reason !== "") await page.getByLabel("Reason, if not approved").fill(reason);
        await button("Save decision").click();
      };

      await scenario.go("templates");
      await page.getByRole("link", { name: "New template" }).click();
      await button(
        "Utility Something that the person asked for or bought: an order, an appointment, an account.",
      ).click();
      await page.getByRole("heading", { name: "Body" }).waitFor();
      // An empty form is not blamed.
      expect(await page.getByRole("alert").count()).toBe(0);
      await clean("empty-studio");
      await button("Send for review").click();
      await page.getByText("A body needs a text.").waitFor();
      await page.getByText("A name has lower-case letters, digits and underscores only").waitFor();
      await clean("studio-with-sentences");

      await page.getByLabel("Name", { exact: true }).fill("order_ready");
      await page.getByLabel("Language", { exact: true }).selectOption("en_US");
      await page.getByLabel("Kind of header").selectOption("IMAGE");
      await page.getByText("needs a sample").waitFor();
      await page.locator("[data-sample='sample_media.header']").setInputFiles(FILES.image);
      await page.getByText("Uploaded", { exact: true }).waitFor();
      const text = page.getByLabel("Text", { exact: true });
      await text.fill("Hi , your order is ready.");
      await text.press("Home");
      for (const _ of "Hi ") await page.keyboard.press("ArrowRight");
      await button("Add placeholder").click();
      expect(await text.inputValue()).toBe("Hi {{1}}, your order is ready.");
      await page.getByLabel("Name of {{1}}").fill("first_name");
      await page.getByLabel("Name of {{1}}").press("Tab");
      await page.getByLabel("Sample for {{first_name}}").fill("Asha");
      await page.getByRole("figure", { name: "Preview" }).getByText("Hi Asha, your order is ready.").waitFor();

      // Buttons: added, moved by keyboard and by dragging, removed.
      for (const [kind, label] of [
        ["QUICK_REPLY", "Thanks"],
        ["QUICK_REPLY", "Later"],
        ["URL", "Track"],
      ] as const) {
        await page.getByLabel("Kind of button").selectOption(kind);
        await button("Add button").focus();
        // What is typed right behind Enter is in the new field.
        await Promise.all([page.keyboard.press("Enter"), page.keyboard.type(label)]);
      }
      await page.getByLabel("Address (Button 3: Link)").fill("https://shop.example/orders/{{1}}");
      await page.getByLabel("Sample of the address, or of its end (Button 3: Link)").fill("10042");
      const labels = () =>
        page.getByLabel(/^Label/).evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value));
      expect(await labels()).toEqual(["Thanks", "Later", "Track"]);
      // The focus goes with the button that is moved, before the next key.
      await button("Move up: Button 3: Link").focus();
      await Promise.all([page.keyboard.press("Enter"), page.keyboard.press("Enter")]);
      expect(await labels()).toEqual(["Track", "Thanks", "Later"]);
      await button("Move down: Button 1: Link").press("Enter");
      await page.getByText("Quick replies stand together").waitFor();
      await button("Move up: Button 2: Link").press("Enter");
      expect(await labels()).toEqual(["Track", "Thanks", "Later"]);
      const handle = (name: string) => page.getByRole("img", { name: `Drag: ${name}` });
      await handle("Button 3: Quick reply").dragTo(page.getByText("Button 2: Quick reply", { exact: true }));
      await waitUntil(async () => Bun.deepEquals(await labels(), ["Track", "Later", "Thanks"]));
      await button("Remove: Button 2: Quick reply").click();
      expect(await labels()).toEqual(["Track", "Thanks"]);
      await button("Dark").click();
      await clean("studio");

      // Nothing of it is lost by a reload.
      await page.getByText("Draft saved").waitFor();
      await page.reload();
      expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe(
        "Hi {{first_name}}, your order is ready.",
      );
      expect(await templates()).toMatchObject({ data: [] });
      await page.getByLabel("Name", { exact: true }).press("Control+Enter");
      await page.getByRole("heading", { name: "order_ready" }).waitFor();

      await decide("REJECTED", "INVALID_FORMAT");
      await page.getByText("The form is wrong. Look at the placeholders").waitFor();
      await clean("rejected");
      await button("Correct and send again").click();
      await page.getByRole("heading", { name: "Correct template" }).waitFor();
      await page.getByLabel("Text", { exact: true }).fill("Hello {{first_name}}, your order is ready.");
      await page.locator("[data-sample='sample_media.header']").setInputFiles(FILES.image);
      await page.getByText("Uploaded", { exact: true }).waitFor();
      await button("Correct and send again").click();
      await page.getByRole("heading", { name: "order_ready" }).waitFor();
      await decide("APPROVED", "");
      await page.getByRole("link", { name: "Use in a broadcast" }).waitFor();

      await button("Add a language").click();
      await page.getByLabel("Language", { exact: true }).selectOption("de");
      await page.getByLabel("Kind of header").selectOption("none");
      await page.getByLabel("Text", { exact: true }).fill("Hallo {{first_name}}, Ihre Bestellung ist da.");
      await button("Send for review").click();
      await page.getByRole("heading", { name: "order_ready" }).waitFor();
      // A test to oneself, as soon as it is approved.
      await decide("APPROVED", "");
      await button("Send a test").press("Enter");
      const test = page.getByRole("region", { name: "Send a test" });
      await test.getByLabel("Your own number").fill("+4915112345601");
      await test.getByLabel("Body placeholder {{first_name}}").fill("Asha");
      await test.getByLabel("Link of “Track”").fill("10042");
      await clean("approved-template");
      await test.getByRole("button").press("Enter");
      await test.getByText("Sent to +4915112345601.").waitFor();
      const messages = await scenario.read<{ data: { to: string; template: object }[] }>("/messages");
      expect(messages.data).toMatchObject([
        { to: "+4915112345601", template: { name: "order_ready", language: "de" } },
      ]);

      // The languages of the name stand side by side.
      const languages = page.getByRole("region", { name: "Languages of this name" });
      await languages.getByText("Hello {{1}}, your order is ready.").waitFor();
      await languages.getByText("Hallo {{1}}, Ihre Bestellung ist da.").waitFor();
      await clean("languages");
      await languages.getByRole("link", { name: "order_ready in en_US" }).press("Enter");
      await languages.getByRole("link", { name: "order_ready in de" }).click();
      await languages.getByRole("link", { name: "order_ready in en_US" }).waitFor();

      await button("Duplicate").press("Enter");
      await page.getByLabel("Name", { exact: true }).waitFor();
      expect(await page.getByLabel("Name", { exact: true }).inputValue()).toBe("order_ready_copy");
      await page.getByLabel("Text", { exact: true }).fill("Hallo {{first_name}}, Ihre Bestellung wartet.");
      await page.getByText("Draft saved").waitFor();
      await button("Send for review").click();
      await page.getByRole("heading", { name: "order_ready_copy" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "New template" }).click();

      // What may be found in a review is said with its source, beside a template that WhatsApp has approved, and stops nothing.
      await page.getByRole("button", { name: /^Utility/ }).click();
      await page.getByText("A template of yours in this category").waitFor();
      await page.getByRole("link", { name: "Approved here: order_ready · en_US" }).waitFor();
      expect(await page.getByRole("region", { name: HINTS }).count()).toBe(0);
      await page.getByLabel("Name", { exact: true }).fill("order_and_offer");
      await page.getByLabel("Language", { exact: true }).selectOption("en_US");
      await page.getByLabel("Text", { exact: true }).fill("Your order is ready. Enjoy 20% off the next one.");
      const hints = page.getByRole("region", { name: HINTS });
      await hints.getByText("“20% off” reads like an offer.").waitFor();
      await hints.getByText("Everybody gets the same words.").waitFor();
      expect(await hints.getByRole("link", { name: "WhatsApp's page" }).first().getAttribute("href")).toBe(
        "https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/template-categorization",
      );
      await clean("studio-hints");
      await page.getByLabel("Category", { exact: true }).selectOption("MARKETING");
      await hints.waitFor({ state: "detached" });
      await page.getByLabel("Category", { exact: true }).selectOption("UTILITY");
      await hints.waitFor();
      await button("Send for review").click();
      await page.getByRole("heading", { name: "order_and_offer" }).waitFor();
      await button("Delete").click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
      await page.getByRole("alertdialog").waitFor({ state: "detached" });

      await page.getByRole("link", { name: "New template" }).click();
      await page.getByLabel("Or begin with an approved template").selectOption({ label: "order_ready · en_US" });
      await clean("beginning");
      await button("Begin with it").click();
      await page.getByLabel("Sample for {{first_name}}").waitFor();
      expect(await page.getByLabel("Sample for {{first_name}}").inputValue()).toBe("Asha");
      await button("Discard draft").click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Discard draft" }).click();
      await page.getByText("Draft discarded").waitFor();
      await page.getByRole("link", { name: /^order_ready_copy/ }).click();
      await button("Delete").press("Enter");
      await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).press("Enter");
      await page.getByText("Template deleted").first().waitFor();
      await page.getByRole("alertdialog").waitFor({ state: "detached" });
      expect((await templates()).data.map(({ name, language, status }) => [name, language, status])).toEqual([
        ["order_and_offer", "en_US", "DISABLED"],
        ["order_ready", "en_US", "APPROVED"],
        ["order_ready", "de", "APPROVED"],
        ["order_ready_copy", "de", "DISABLED"],
      ]);
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a category that WhatsApp changes is shown in the list and on the template's page, by mouse and by keyboard",
    async () => {
      const templates = [graphTemplate("order_ready"), graphTemplate("other")];
      await using world = await startWhatsapp({
        account: graphAccount({ templates }),
        workspace: { billing: { rate: 8_500, balance: 1_000_000 } },
      });
      const { app, workspace } = world;
      await firstOperator(app);
      const owner = await person(app, "owner@example.com", "owner", workspace.id);
      await using opened = await openBrowser();
      const { page, context } = opened;
      const [name = "", value = ""] = (owner.cookie ?? "").split("=");
      await context.addCookies([{ name, value, url: app.server.url }]);
      await page.clock.setFixedTime(world.clock.now());
      const update = (more: object) => ({
        field: "template_category_update",
        value: {
          ...{ message_template_id: 1, message_template_name: "order_ready", message_template_language: "en-US" },
          ...more,
        },
      });
      const row = (of: string) => page.getByRole("link", { name: new RegExp(`^${of}`) });
      const at = Math.floor(world.clock.now() / 1000) + 2 * 24 * 3_600;
      const time = Math.floor(world.clock.now() / 1000);
      const announced = { new_category: "UTILITY", correct_category: "MARKETING", category_update_timestamp: at };
      await world.hear(update(announced), { time });
      await page.goto(`${app.server.url}/console/w/${workspace.id}/templates`);
      await row("order_ready").getByText("Category: Utility → Marketing").waitFor();
      expect(await row("other").getByText("Category:").count()).toBe(0);
      await row("order_ready").click();
      await page.getByText("WhatsApp is going to change the category from Utility to Marketing.").waitFor();
      await page.getByText("Until then it is sent and billed as before.").waitFor();
      await opened.cleanEverywhere("category-announced");

      await world.hear(update({ previous_category: "UTILITY", new_category: "MARKETING" }), { time });
      await page.goto(`${app.server.url}/console/w/${workspace.id}/templates`);
      await row("order_ready").getByText("Category: Utility → Marketing").waitFor();
      await opened.cleanEverywhere("category-list");
      await row("order_ready").focus();
      await page.keyboard.press("Enter");
      await page.getByText("WhatsApp has changed the category from Utility to Marketing.").waitFor();
      await page.getByText("bills each delivered message with this template as marketing").waitFor();
      await page.getByText("The balance here is charged 0.0085 USD a message before and after.").waitFor();
      await opened.cleanEverywhere("category-changed");
      await page.keyboard.press("Escape");
      await row("other").focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "other" }).waitFor();
      expect(await page.getByText("the category from").count()).toBe(0);
      expect(opened.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "each wrong template is stopped at its field, and each right one leaves as it is written",
    async () => {
      await using world = await startWhatsapp({
        account: graphAccount({ pageSize: 500 }),
        config: { limits: { requestsPerSecond: 10_000, burst: 10_000 } },
      });
      const { app, workspace, account } = world;
      await firstOperator(app);
      const member = await person(app, "member@example.com", "member", workspace.id);
      await using opened = await openBrowser();
      const { page, context, button } = opened;
      const [name = "", value = ""] = (member.cookie ?? "").split("=");
      await context.addCookies([{ name, value, url: app.server.url }]);
      const base = `/w/${workspace.id}/template-drafts`;
      const open = async (content: object) => {
        const draft = await member.post(base, { content });
        expect(draft.status).toBe(201);
        await page.goto(`${app.server.url}/console/w/${workspace.id}/templates/new?draft=${draft.body.data.id}`);
        await button("Send to WhatsApp").waitFor();
        expect(await page.getByRole("alert").count()).toBe(0);
      };

      const before = account.submitted.length;
      for (const { rule, template } of some(wrongTemplates, 16)) {
        await open(template);
        await button("Send to WhatsApp").click();
        for (const { message, path } of checkTemplate(template)) {
          const shown = page.getByRole("alert").filter({ hasText: message });
          await shown.first().waitFor();
          // A member that no template has, has no field.
          const isField = (await shown.getByRole("listitem").count()) === 0;
          expect([rule, path, isField]).toEqual([rule, path, rule !== "member_unknown"]);
        }
      }
      expect(account.submitted.length).toBe(before);

      for (const { samples, language = "en_US", ...template } of some(rightTemplates, 12)) {
        const count = account.submitted.length;
        await open({ ...template, language });
        for (const path of [
          ...(samples?.header === undefined ? [] : ["sample_media.header"]),
          ...(samples?.cards ?? []).map((_, index) => `sample_media.cards.${index}`),
        ]) {
          const kind = samples?.header ?? samples?.cards?.[0] ?? "image";
          await page.locator(`[data-sample='${path}']`).setInputFiles(FILES[kind]);
          await page
            .locator(`[data-sample='${path}'] ~ [role=status]`)
            .getByText(/^Uploaded/)
            .waitFor();
        }
        await button("Send to WhatsApp").click();
        await page.getByRole("heading", { name: template.name, exact: true }).waitFor();
        const left = account.submitted.slice(count);
        expect(left.length).toBe(1);
        const { components, ...rest } = (left[0]?.body ?? {}) as { components?: object[] };
        expect(rest).toMatchObject({ name: template.name, language, category: template.category ?? "" });
        expect(withoutHandles(components)).toEqual(withoutHandles(template.components));
      }
      expect(opened.troubles).toEqual([]);
    },
    inForm({ short: SCENARIO_LIMIT_MS, long: LONG_MS }),
  );
});

const latin = (text: string): Buffer => Buffer.from(text, "latin1");
const FILES = {
  image: { name: "a.jpg", mimeType: "image/jpeg", buffer: latin(`\xff\xd8\xff\xe0${"x".repeat(2_000)}`) },
  video: {
    name: "a.mp4",
    mimeType: "video/mp4",
    buffer: latin(`\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom${"x".repeat(2_000)}`),
  },
  document: { name: "a.pdf", mimeType: "application/pdf", buffer: latin(`%PDF-1.7\n${"x".repeat(2_000)}`) },
};

/** The handle of an upload is new each time. */
function withoutHandles(components: unknown): unknown {
  return JSON.parse(JSON.stringify(components), (name, value) =>
    name === "example" && value !== null && typeof value === "object" && "header_handle" in value ? undefined : value,
  );
}
