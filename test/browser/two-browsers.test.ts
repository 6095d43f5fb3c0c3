/** Two colleagues in one conversation, in two real browsers on lines that break, in many orders. */
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Copy } from "#test/limits/planted.ts";
import { noBrowser } from "#test/support/browser.ts";
import { inForm, isLong } from "#test/support/long-form.ts";
import { type Outcome, play } from "./two-browsers/round.ts";
import { Town } from "./two-browsers/town.ts";

const ROUNDS = Number(process.env.TWO_BROWSERS_ROUNDS ?? inForm({ short: 6, long: 500 }));
const FIRST = Number(process.env.TWO_BROWSERS_FIRST ?? 1);
/** After the first round that shows a fault. */
const STOPS = process.env.TWO_BROWSERS_STOP !== undefined;
/** Pairs of colleagues that play at the same time. */
const PAIRS = Math.min(ROUNDS, Number(process.env.TWO_BROWSERS_PAIRS ?? inForm({ short: 3, long: 5 })));

describe.skipIf(noBrowser)("in two browsers", () => {
  test("nothing is sent twice, lost or unasked, and both see the same at the end", async () => {
    const { town, shards } = await Town.open(PAIRS);
    await using _ = town;
    const begun = performance.now();
    const outcomes: Outcome[] = [];
    let next = FIRST;
    const run = async (shard: (typeof shards)[number]): Promise<void> => {
      while (next < FIRST + ROUNDS && !(STOPS && outcomes.some(({ problems }) => problems.length > 0))) {
        const seed = next;
        next += 1;
        const outcome = await play(town, shard, seed);
        outcomes.push(outcome);
        if (outcome.problems.length > 0 || process.env.TWO_BROWSERS_TRACE !== undefined) console.log(told(outcome));
        if (isLong && outcomes.length % 50 === 0) console.log(summary(outcomes, performance.now() - begun));
      }
    };
    await Promise.all(shards.map(run));
    if (isLong || process.env.TWO_BROWSERS_ROUNDS !== undefined)
      console.log(summary(outcomes, performance.now() - begun), `${town.restarts} restarts`);
    expect(outcomes.flatMap(({ seed, problems }) => problems.map((one) => `seed ${seed}: ${one}`))).toEqual([]);
    // What no one sends, and no one is asked about, shows nothing.
    expect(sum(outcomes, "sent") + sum(outcomes, "notes")).toBeGreaterThan(ROUNDS / 3);
    expect(sum(outcomes, "faults")).toBeGreaterThan(ROUNDS / 3);
  }, 7_200_000);
});

/** Each is inserted into a copy of the project, where the test above has to fail. */
const BUGS = [
  {
    name: "the question is never asked",
    file: "src/sending/send-message.ts",
    find: "  request.onStart?.(tx);\n",
    replace: "",
  },
  {
    name: "what came after the last key counts as seen",
    file: "src/web/features/inbox/change-question.tsx",
    find: "if (readDraft(draftId).seen === null) note(",
    replace: "note(",
  },
  {
    name: "what waits for the line is sent again under another key",
    file: "src/web/data/outbox.ts",
    find: "  return save({ ...sent, at,",
    replace: "  return save({ ...sent, key: newFormKey(), at,",
  },
  {
    name: "a note whose answer was lost is stored again",
    file: "src/http/endpoints/call.ts",
    find: "    if (form !== null) saveFormAnswer(tx, form, status, JSON.stringify({ data: replayData }));\n",
    replace: "",
  },
  {
    name: "the draft of one is shown to the other",
    file: "src/domain/inbound/drafts.ts",
    find: "return and(eq(conversationDrafts.contactId, contactId), eq(conversationDrafts.userId, userId));",
    replace:
      "return and(eq(conversationDrafts.contactId, contactId), eq(conversationDrafts.userId, conversationDrafts.userId));",
  },
  {
    name: "what was stale ends what is newer",
    file: "src/http/endpoints/conversation-acts.ts",
    find: "if (isEnd) unchangedCheck(call)?.(tx);",
    replace: "if (isEnd) return;",
  },
  {
    name: "the stream says nothing of changes",
    file: "src/http/console/inbox-stream.ts",
    find: "    for (const { sink } of [...streams]) sink.send(CHANGED);\n",
    replace: "",
  },
  {
    name: "what meets a lost line again is dropped",
    file: "src/web/data/outbox.ts",
    find: "    if (!isThere) return keepOrRefuse(waiting, error);\n",
    replace: "",
  },
  {
    name: "a reload loses what was just typed",
    file: "src/web/features/inbox/composer-draft.ts",
    find: "  store(id, draft);\n",
    replace: "",
  },
] as const;

const BUGS_ROUNDS = "60";

test.skipIf(noBrowser || !isLong)(
  "planted bugs are found",
  async () => {
    using copy = new Copy();
    const own = ["test/browser/two-browsers.test.ts"];
    Object.assign(process.env, { TWO_BROWSERS_STOP: "1", TWO_BROWSERS_ROUNDS: BUGS_ROUNDS });
    const missed: string[] = [];
    for (const { name, file, find, replace } of BUGS) {
      const source = readFileSync(resolve(import.meta.dir, "../..", file), "utf8");
      expect([name, source.split(find).length]).toEqual([name, 2]);
      writeFileSync(join(copy.root, file), source.replace(find, replace));
      const begun = performance.now();
      const found = await copy.run(own);
      writeFileSync(join(copy.root, file), source);
      console.log(`${name}: ${found}, ${Math.round((performance.now() - begun) / 1_000)} s`);
      if (found === "passes") missed.push(name);
    }
    expect(missed).toEqual([]);
  },
  7_200_000,
);

function sum(outcomes: readonly Outcome[], name: "sent" | "notes" | "questions" | "faults"): number {
  return outcomes.reduce((total, one) => total + one[name], 0);
}

function told({ seed, problems, trace }: Outcome): string {
  return [`seed ${seed}`, ...problems.map((one) => `  ! ${one}`), ...trace.map((one) => `    ${one}`)].join("\n");
}

function summary(outcomes: readonly Outcome[], ms: number): string {
  const wrong = outcomes.filter(({ problems }) => problems.length > 0).length;
  const [sent, notes, questions, faults] = (["sent", "notes", "questions", "faults"] as const).map((name) =>
    sum(outcomes, name),
  );
  const each = (ms / outcomes.length / 1_000).toFixed(2);
  return `${outcomes.length} rounds, ${each} s each: ${sent} messages, ${notes} notes, ${questions} questions, ${faults} faults; wrong: ${wrong}`;
}
