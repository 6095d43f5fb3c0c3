/** Two people in one conversation, in many orders: no double answer without a question, no lost note, the same at the end. */
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
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

/** Each is inserted into a copy of the project, where the test above has to fail. */
const BUGS = [
  {
    name: "a message is sent without the check",
    file: "src/sending/send-message.ts",
    find: "  request.onStart?.(tx);\n",
    replace: "",
  },
  {
    name: "a note whose answer was lost is stored again",
    file: "src/http/endpoints/call.ts",
    find: "    if (form !== null) saveFormAnswer(tx, form, status, JSON.stringify({ data: replayData }));\n",
    replace: "",
  },
  {
    name: "who has gone is still shown",
    file: "src/http/console/inbox-stream.ts",
    find: "    for (const [, tab] of tabs) this.#tell(workspaceId, tab);\n",
    replace: "",
  },
] as const;

test.skipIf(!isLong)(
  "planted bugs are found",
  async () => {
    using copy = new Copy();
    const own = ["test/console/two-people.test.ts"];
    expect(await copy.run(own)).toBe("passes");
    const missed: string[] = [];
    for (const { name, file, find, replace } of BUGS) {
      const source = readFileSync(resolve(import.meta.dir, "../..", file), "utf8");
      expect(source.split(find)).toHaveLength(2);
      writeFileSync(join(copy.root, file), source.replace(find, replace));
      if ((await copy.run(own)) === "passes") missed.push(name);
      writeFileSync(join(copy.root, file), source);
    }
    expect(missed).toEqual([]);
  },
  3_600_000,
);
