/**
 * kill -9 while WhatsApp is given a template, a correction or a deletion: it is never given twice. After the restart its
 * outcome is unknown for a minute; then the account's list decides.
 */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { graphTemplate } from "#test/support/graph-account.ts";
import { startShop, until, type WhatsappProcess } from "#test/support/whatsapp-process.ts";

const LIMIT_MS = 60_000;
let shop: WhatsappProcess;

beforeAll(async () => {
  const names = ["corrected_taken", "corrected_lost", "deleted_taken", "deleted_lost"];
  shop = await startShop({ templates: names.map((name) => graphTemplate(name)) }, "read,templates");
}, LIMIT_MS);
afterAll(() => shop[Symbol.asyncDispose]());

const content = (text: string) => ({
  category: "UTILITY",
  components: [{ type: "BODY", text, example: { body_text: [["Anna"]] } }],
});

type Action = "created" | "corrected" | "deleted";

const requests: Readonly<Record<Action, (name: string) => { method: string; path: string; body?: object }>> = {
  created: (name) => ({
    ...{ method: "POST", path: "/templates" },
    body: { name, language: "en_US", ...content(`Your parcel ${name} for {{1}} is here.`) },
  }),
  corrected: (name) => ({
    ...{ method: "PUT", path: `/templates/${name}/en_US` },
    body: content(`Your new parcel ${name} for {{1}} is here.`),
  }),
  deleted: (name) => ({ method: "DELETE", path: `/templates/${name}` }),
};

/** As if a minute had passed: until then, another process may still wait for its answer. */
async function letMinutePass(): Promise<void> {
  await shop.stop();
  const database = new Database(join(shop.directory, "data/waxwing.db"));
  database.run("UPDATE template_submissions SET created_at = created_at - 61000 WHERE state = 'open'");
  database.close();
  await shop.start();
}

test.each(
  (["created", "corrected", "deleted"] as const).flatMap((action) => [
    [action, "taken"] as const,
    [action, "lost"] as const,
  ]),
)(
  "a template that is %s, and %s as the server is killed, is given to WhatsApp once",
  async (action, end) => {
    const { method, path, body } = requests[action](`${action}_${end}`);
    const ask = () => shop.call(method, path, body === undefined ? {} : { body });
    const { account } = shop;
    const taken = account.submitted.length;
    const asked = account.templateRequests;
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    account.holds = end === "taken" ? { taking: null, answer: held } : { taking: held, answer: null };
    account.loses.requests = end === "taken" ? 0 : 1;
    const answer = ask().catch(() => null);
    await until("WhatsApp is asked", () => account.templateRequests === asked + 1);
    if (end === "taken") await until("WhatsApp has taken it", () => account.submitted.length === taken + 1);
    await shop.kill();
    release();
    await answer;
    account.holds = { taking: null, answer: null };
    await shop.start();
    const unknown = await ask();
    expect(unknown).toMatchObject({ status: 503, body: { error: { code: "unavailable", outcome: "unknown" } } });
    expect(account.templateRequests).toBe(asked + 1);
    await letMinutePass();
    const settled = await ask();
    expect([settled.status, settled.body.error]).toEqual([action === "created" ? 201 : 200, undefined]);
    // What WhatsApp has is not given again; what it has not is given a second time, and taken once.
    expect(account.templateRequests).toBe(asked + (end === "taken" ? 1 : 2));
    expect(account.submitted).toHaveLength(taken + 1);
    const open = shop.rows("SELECT id FROM template_submissions WHERE state = 'open'");
    expect(open).toEqual([]);
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
