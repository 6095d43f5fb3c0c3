/** The commands that write templates, on the executable beside its server. `test/crash/templates.test.ts` kills it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startShop, type WhatsappProcess } from "#test/support/whatsapp-process.ts";

const LIMIT_MS = 180_000;
let shop: WhatsappProcess;

beforeAll(async () => {
  shop = await startShop({});
}, LIMIT_MS);
afterAll(() => shop[Symbol.asyncDispose]());

const content = (text: string) => ({
  category: "UTILITY",
  components: [{ type: "BODY", text, example: { body_text: [["Anna"]] } }],
});

test(
  "the commands list the library, and submit a template of it",
  async () => {
    const { account } = shop;
    const taken = account.submitted.length;
    const listed: unknown = await shop.json("template", "library", "--workspace", "1", "--search", "thank");
    expect(listed).toEqual([
      expect.objectContaining({ name: "order_taken", body: "Thank you, {{1}}. We have your order." }),
    ]);
    const base = { name: "thanks", language: "en_US", category: "UTILITY" };
    const files = { "none.json": { name: "nothing" }, "taken.json": { name: "order_taken" } };
    for (const [file, library] of Object.entries(files)) shop.write(file, JSON.stringify({ ...base, library }));
    for (const command of ["check", "submit"]) {
      const wrong = await shop.command("template", command, "--workspace", "1", "--file", "none.json");
      expect([wrong.code, wrong.out + wrong.err]).toEqual([1, expect.stringContaining("no template of this name")]);
    }
    expect(account.submitted).toHaveLength(taken);
    const submitted = await shop.json("template", "submit", "--workspace", "1", "--file", "taken.json");
    expect(submitted).toMatchObject({ name: "thanks", status: "APPROVED" });
    expect(account.submitted.slice(taken).map(({ body }) => body)).toEqual([
      { ...base, library_template_name: "order_taken" },
    ]);
    account.refuse = ({ path }) => (path.includes("message_template_library") ? { code: 200, status: 403 } : null);
    const barred = await shop.command("template", "library", "--workspace", "1");
    account.refuse = null;
    expect([barred.code, barred.err]).toEqual([1, expect.stringContaining("does not show its template library")]);
  },
  LIMIT_MS,
);

test(
  "the commands check, submit, correct and delete a template beside the running server",
  async () => {
    const { account } = shop;
    const taken = account.submitted.length;
    const ofShop = ["--workspace", "1"];
    const written = { name: "parcel_here", language: "en_US", ...content("Your parcel for {{1}} is at the door.") };
    shop.write("wrong.json", JSON.stringify({ ...written, ...content("{{1}} is at the door.") }));
    const wrong = await shop.command("template", "check", ...ofShop, "--file", "wrong.json");
    expect(wrong).toMatchObject({
      code: 1,
      out: expect.stringContaining("neither begins nor ends with a placeholder"),
    });
    const refused = await shop.command("template", "submit", ...ofShop, "--file", "wrong.json");
    expect(refused.code).toBe(1);
    expect(account.submitted).toHaveLength(taken);
    shop.write("right.json", JSON.stringify(written));
    expect(await shop.json("template", "check", ...ofShop, "--file", "right.json")).toEqual({
      valid: true,
      problems: [],
      warnings: [],
    });
    const submitted = await shop.json("template", "submit", ...ofShop, "--file", "right.json");
    expect(submitted).toMatchObject({ name: written.name, status: "PENDING" });
    // WhatsApp approves it: only then can it be corrected.
    account.templates = account.templates.map((row) =>
      row.name === written.name ? { ...row, status: "APPROVED" } : row,
    );
    await Bun.sleep(1_100);
    await shop.json("template", "sync");
    shop.write("other.json", JSON.stringify(content("Your parcel for {{1}} is here at last.")));
    const named = [written.name, ...ofShop];
    const corrected = await shop.json("template", "correct", ...named, "--language", "en_US", "--file", "other.json");
    expect(corrected).toMatchObject({ name: written.name, text: "Your parcel for {{1}} is here at last." });
    const deleted = await shop.json("template", "delete", ...named);
    expect(deleted).toEqual({ name: written.name, languages: ["en_US"] });
    expect(account.submitted.slice(taken).map(({ method }) => method)).toEqual(["POST", "POST", "DELETE"]);
    const again = await shop.command("template", "delete", ...named);
    expect(again.code).toBe(1);
  },
  LIMIT_MS,
);
