/** Two people in one conversation, in many orders: no double answer without a question, no lost note, the same at the end. */
import { expect, test } from "bun:test";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Copy } from "#test/limits/planted.ts";
import { firstOperator, person } from "#test/support/console.ts";
import { inForm, isLong } from "#test/support/long-form.ts";
import { startTestServer } from "#test/support/server.ts";
import { play } from "./two-people.ts";

const SEEDS = Number(process.env.TWO_PEOPLE_SEEDS ?? inForm({ short: 4, long: 500 }));

test("in every order there is no double answer without a question, no lost note, and both see the same at the end", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace();
  const operator = await firstOperator(app);
  const people = [
    await person(app, "ana@example.com", "member", shop.id),
    await person(app, "bob@example.com", "member", shop.id),
  ] as const;
  const wrong: string[] = [];
  const totals = { asked: 0, sent: 0 };
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { problems, asked, sent } = await play({ app, shop, operator, people }, seed);
    wrong.push(...problems.map((problem) => `seed ${seed}: ${problem}`));
    totals.asked += asked;
    totals.sent += sent;
  }
  expect(wrong).toEqual([]);
  // What no one is asked about, and no one sends, shows nothing.
  expect(totals.asked).toBeGreaterThan(SEEDS);
  expect(totals.sent).toBeGreaterThan(SEEDS);
  if (isLong) console.log(`${SEEDS} seeds: ${totals.sent} messages, ${totals.asked} questions`);
}, 3_600_000);

/** What each removes from a copy of the project, where the test above then has to fail. */
const BUGS = [
  {
    name: "a message is sent without the check",
    removed: [["src/sending/send-message.ts", "  request.onStart?.(tx);\n"]],
  },
  {
    name: "a note whose answer was lost is stored again",
    // For a day the answer of the form keeps it from being repeated too.
    removed: [
      [
        "src/http/endpoints/call.ts",
        "    if (form !== null) saveFormAnswer(tx, form, status, JSON.stringify({ data: replayData }));\n",
      ],
      [
        "src/http/endpoints/conversation-acts.ts",
        "      if (repeated !== undefined) return { status: 201, data: viewNote(repeated, call.workspace), audit: null };\n",
      ],
    ],
  },
  {
    name: "who has gone is still shown",
    removed: [["src/http/console/inbox-stream.ts", "    for (const [, tab] of tabs) this.#tell(workspaceId, tab);\n"]],
  },
] as const;

test.skipIf(!isLong)(
  "planted bugs are found",
  async () => {
    using copy = new Copy();
    const own = ["test/console/two-people.test.ts"];
    expect(await copy.run(own)).toBe("passes");
    const missed: string[] = [];
    for (const { name, removed } of BUGS) {
      for (const [file, code] of removed) {
        const source = readFileSync(resolve(import.meta.dir, "../..", file), "utf8");
        expect(source.split(code)).toHaveLength(2);
        writeFileSync(join(copy.root, file), source.replace(code, ""));
      }
      if ((await copy.run(own)) === "passes") missed.push(name);
      for (const [file] of removed) cpSync(resolve(import.meta.dir, "../..", file), join(copy.root, file));
    }
    expect(missed).toEqual([]);
  },
  3_600_000,
);
