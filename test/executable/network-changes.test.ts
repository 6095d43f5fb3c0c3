/**
 * The executable is killed while it takes what WhatsApp reports of a template's quality; WhatsApp repeats what was not answered,
 * and what was. Each report is one entry, and what is shown is the newest.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type GraphRow, graphTemplate } from "#test/support/graph-account.ts";
import { startShop, until, type WhatsappProcess } from "#test/support/whatsapp-process.ts";

const LIMIT_MS = 300_000;
const SCORES = ["GREEN", "YELLOW", "RED"] as const;
/** How long after a report is posted the executable is killed: before it is stored, before it is applied, and after. */
const KILLED_AFTER_MS = [0, 1, 2, 4, 8, 30] as const;

let shop: WhatsappProcess;
beforeAll(async () => {
  const template = graphTemplate("greeting", { quality_score: { score: "GREEN" } });
  shop = await startShop({ templates: [template] }, "read");
}, LIMIT_MS);
afterAll(() => shop[Symbol.asyncDispose]());

const shown = async (): Promise<{ from: string; to: string }[]> => {
  const { status, body } = await shop.call("GET", "/network-changes?template=greeting");
  expect(status).toBe(200);
  return body.data.map(({ from, to }: { from: string; to: string }) => ({ from, to }));
};

test(
  "a report makes one entry, though the executable is killed with it and it arrives three times",
  async () => {
    await until("the templates are there", () => shop.rows("SELECT id FROM templates").length === 1);
    const began = Math.floor(Date.now() / 1_000) - 100;
    const expected: { from: string; to: string }[] = [];
    for (const [round, ms] of KILLED_AFTER_MS.entries()) {
      const [from = "", to = ""] = [SCORES[round % 3], SCORES[(round + 1) % 3]];
      const scores = { previous_quality_score: from, new_quality_score: to };
      const named = { message_template_id: 1, message_template_name: "greeting", message_template_language: "en-US" };
      const change = { field: "message_template_quality_update", value: { ...named, ...scores } };
      const post = { time: began + round };
      (shop.account.templates[0] as GraphRow).quality_score = { score: to };
      const unanswered = shop.hear(change, post).catch(() => 0);
      await Bun.sleep(ms);
      await shop.kill();
      await unanswered;
      await shop.start();
      for (const _ of ["again", "and again"]) expect(await shop.hear(change, post)).toBe(200);
      await until("it is applied", () => shop.rows("SELECT id FROM callbacks WHERE done_at IS NULL").length === 0);
      expected.unshift({ from, to });
      expect([round, await shown()]).toEqual([round, expected]);
      expect(shop.rows("SELECT quality FROM templates")).toEqual([{ quality: to }]);
    }
  },
  LIMIT_MS,
);
