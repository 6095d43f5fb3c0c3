/**
 * The server is killed while it submits, corrects and deletes templates: before the network has the request, before its
 * answer, and between the answer and the record of it. What each request's caller then asks, what the account's list
 * holds and what the network was given are compared. The short form is part of every test run: 20 kills. The full form
 * kills the executable 200 times:
 *
 *   bun run test:crash templates
 *
 * Processes and time are real, so no two runs are the same: a failure prints what it found, not how to repeat it.
 */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { isFull, program, roundsOf } from "#test/support/crash-form.ts";
import { graphTemplate } from "#test/support/graph-account.ts";
import { noInterposer } from "#test/support/interposer.ts";
import { until } from "#test/support/live-broadcast.ts";
import { type MediaLoad, startMediaLoad } from "#test/support/media-load.ts";
import { preloadClock } from "#test/support/shifted-clock.ts";

const kills = roundsOf(200, 20);
const PATIENCE_MS = 20_000;
/** Until then, another process could still wait for its answer. */
const IN_FLIGHT_MS = 60_000;
/** The server has read an answer of the network that was sent so long ago. */
const READ_WITHIN_MS = 60;

const actions = ["create", "correct", "delete"] as const;
const moments = ["before the network takes it", "before the answer", "before the record"] as const;

interface Round {
  index: number;
  action: (typeof actions)[number];
  moment: (typeof moments)[number];
  name: string;
}

const roundOf = (index: number): Round => ({
  index,
  action: actions[index % 3] ?? "create",
  moment: moments[Math.floor(index / 3) % 3] ?? "before the answer",
  name: `parcel_${index}`,
});

/** Three of nine new templates are made of the library: one for each moment. */
const isOfLibrary = ({ action, index }: Round): boolean => action === "create" && Math.floor(index / 9) % 2 === 1;
const LIBRARY_WORDS = "Thank you, {{1}}. We have your order.";

const newWords = (index: number): string => `Your parcel ${index} comes tonight.`;

const title = "a template is given to the network once, though the server is killed while it does so";
const scenario = noInterposer === null ? test : test.skip;

scenario(
  noInterposer === null ? title : `${title} (${noInterposer})`,
  async () => {
    using waxwing = await program();
    using preloaded = preloadClock();
    const { clock, env } = preloaded;
    await using load = await startMediaLoad(waxwing.command, { env, now: () => clock.now() });
    const rounds = Array.from({ length: kills }, (_, index) => roundOf(index));
    for (const { action, name, index } of rounds) {
      const components = [{ type: "BODY", text: `Your parcel ${index} is here.` }];
      if (action !== "create") load.account.templates.push(graphTemplate(name, { components }));
    }
    load.account.pageSize = 500;
    expect((await load.command("template", "sync")).code).toBe(0);
    await load.start();

    const recorded = { open: 0, told: 0 };
    for (const round of rounds) {
      const given = submittedOf(load, round).length;
      expect(given).toBe(0);
      await killAt(load, round);
      const isTaken = submittedOf(load, round).length === 1;
      expect([round, isTaken]).toEqual([round, round.moment !== "before the network takes it"]);
      recorded.open += load.rows(
        `SELECT 1 FROM template_submissions WHERE state = 'open' AND name = '${round.name}'`,
      ).length;

      if (round.index % 2 === 0) {
        await load.start();
        // Nothing is told that is not known, and nothing is tried that may have been done.
        expect([round, await shown(load, round)]).toEqual([round, round.action === "create" ? null : "APPROVED"]);
        const soon = await ask(load, round);
        expect([round, soon.status, soon.body.error?.outcome]).toEqual([round, 503, "unknown"]);
        expect(submittedOf(load, round)).toHaveLength(isTaken ? 1 : 0);
        clock.move(IN_FLIGHT_MS + 1_000);
      } else {
        clock.move(IN_FLIGHT_MS + 1_000);
        await load.start();
        // The account's list tells what was done, before anybody asks again.
        const told = isTaken
          ? { create: isOfLibrary(round) ? "APPROVED" : "PENDING", correct: "PENDING", delete: "DISABLED" }[
              round.action
            ]
          : null;
        if (told !== null) {
          await until(
            "the list tells it",
            () => shown(load, round),
            (status) => status === told,
            PATIENCE_MS,
          );
          recorded.told += 1;
        }
      }
      const lists = listsRead(load);
      const late = await ask(load, round);
      expect([round, late.status]).toEqual([round, round.action === "create" ? 201 : 200]);
      expect([round, listsRead(load) > lists]).toEqual([round, true]);
      // The same answer again, from the key.
      expect(await ask(load, round)).toEqual(late);
      expect([round, submittedOf(load, round).length]).toEqual([round, 1]);
      expect(await shown(load, round)).toBe(
        isOfLibrary(round) ? "APPROVED" : round.action === "delete" ? "DISABLED" : "PENDING",
      );
      expect(wordsAt(load, round)).toBe(
        {
          create: isOfLibrary(round) ? LIBRARY_WORDS : newWords(round.index),
          correct: newWords(round.index),
          delete: null,
        }[round.action],
      );
    }

    expect(recorded.open).toBe(kills);
    expect(load.rows("SELECT name FROM template_submissions WHERE state = 'open'")).toEqual([]);
    expect(load.account.submitted).toHaveLength(kills);
    await load.stop();
    const checked = await load.command("check");
    expect([checked.code, checked.out]).toEqual([0, expect.anything()]);
    console.log(
      `${kills} kills with a submission under way: ${load.account.submitted.length} requests taken, 0 twice, ${recorded.told} outcomes found before a new try`,
    );
  },
  isFull ? 60_000 + kills * 5_000 : 120_000,
);

/** Kills the server at the moment of the round, and resolves once it is dead. */
async function killAt(load: MediaLoad, round: Round): Promise<void> {
  const killed = Promise.withResolvers<void>();
  const kill = () => void load.kill().then(killed.resolve, killed.reject);
  load.account.refuse = ({ method, path }) => {
    if (method === "GET" || !isAboutTemplates(load, path)) return null;
    load.account.refuse = null;
    if (round.moment === "before the record") void killUnrecorded(load).then(kill, killed.reject);
    else kill();
    if (round.moment === "before the network takes it") load.account.loses.requests = 1;
    return null;
  };
  const asked = ask(load, round).catch(() => null);
  await Promise.all([asked, killed.promise]);
}

/** The answer arrives while the database is locked, so that it is not recorded. */
async function killUnrecorded(load: MediaLoad): Promise<void> {
  const client = openClient(join(load.directory, "data/waxwing.db"), {});
  client.exec("BEGIN IMMEDIATE");
  await Bun.sleep(READ_WITHIN_MS);
  await load.kill();
  client.exec("ROLLBACK");
  client.close();
}

function isAboutTemplates(load: MediaLoad, path: string): boolean {
  return path.includes("/message_templates") || load.account.templates.some(({ id }) => path.includes(`/${id}`));
}

function ask(load: MediaLoad, round: Round) {
  const { action, name, index } = round;
  const library = { category: "UTILITY", library: { name: "order_taken" } };
  const content = { category: "UTILITY", components: [{ type: "BODY", text: newWords(index) }] };
  const [method, path, body] = {
    create: ["POST", "/templates", { name, language: "en_US", ...(isOfLibrary(round) ? library : content) }],
    correct: ["PUT", `/templates/${name}/en_US`, content],
    delete: ["DELETE", `/templates/${name}/en_US`, null],
  }[action] as [string, string, object | null];
  return call(load, method, path, body, `template-${index}`);
}

interface Answered {
  data?: { name: string; status: string }[];
  error?: { outcome?: string };
}

async function call(load: MediaLoad, method: string, path: string, body: object | null, key?: string) {
  const answer = await fetch(`${load.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${load.key}`,
      "content-type": "application/json",
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: JSON.parse(await answer.text()) as Answered };
}

/** The status that our list of templates tells; null: it has none of this name. */
async function shown(load: MediaLoad, { name }: Round): Promise<string | null> {
  const { body } = await call(load, "GET", "/templates?per_page=500", null);
  return body.data?.find((one) => one.name === name)?.status ?? null;
}

/** What the network was given about the template. */
function submittedOf(load: MediaLoad, { name }: Round) {
  const ids = new Set([...ofName(load, name), ...(known.get(name) ?? [])]);
  known.set(name, ids);
  return load.account.submitted.filter(
    ({ path, body }) =>
      (body as { name?: string } | null)?.name === name ||
      [...ids].some((id) => new RegExp(`[/=]${id}(\\?|&|$)`).test(path)),
  );
}

/** The network's ids of each name, also of those that it has deleted. */
const known = new Map<string, ReadonlySet<string>>();

function ofName(load: MediaLoad, name: string): string[] {
  return load.account.templates.filter((row) => row.name === name).map(({ id }) => id);
}

function listsRead(load: MediaLoad): number {
  return load.graph.questions.filter(({ method, path }) => method === "GET" && path.includes("/message_templates"))
    .length;
}

/** The words of the network's template; null: it has none of this name. */
function wordsAt(load: MediaLoad, { name }: Round): string | null {
  const row = load.account.templates.find((one) => one.name === name);
  return (row?.components as { text: string }[] | undefined)?.[0]?.text ?? null;
}
