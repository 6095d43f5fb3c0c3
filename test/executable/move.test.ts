/**
 * A planned move of the executable, as root on data that belongs to the service's user: a message was sent, a broadcast
 * is half-way, another is scheduled. The server that comes out of the file sends the rest, and every person gets one.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeExecutable } from "#test/support/executable.ts";
import { type Installation, LABELLED, makeInstallation } from "#test/support/installation.ts";
import { answersThatLeave, begin, requestsOf, show, untilSeen, untilStatus } from "#test/support/live-broadcast.ts";

const LIMIT_MS = 300_000;
const PEOPLE = 250;
/** No account on this machine has this id. */
const SERVICE = 12_345;
const isRoot = process.platform === "linux" && process.getuid?.() === 0;

const base = mkdtempSync(join(tmpdir(), "waxwing-move-"));
const executable = join(base, "waxwing");

beforeAll(() => placeExecutable(executable), LIMIT_MS);
afterAll(() => rmSync(base, { recursive: true, force: true }));

function giveToService(directory: string): void {
  if (!isRoot) return;
  for (const name of ["", ...readdirSync(directory)]) chownSync(join(directory, name), SERVICE, SERVICE);
}

async function command(installation: Installation, ...words: string[]) {
  const { code, output } = await installation.command(...words).ended;
  // biome-ignore lint/suspicious/noExplicitAny: the test asserts single members.
  return { code, answer: JSON.parse(output.split("\n").find((line) => line.startsWith("{")) ?? "null") as any };
}

test(
  "a server that is moved half-way sends the rest from its new place, and no person gets two",
  async () => {
    await using installation = await makeInstallation({
      ...{ people: PEOPLE, lists: 2, throughput: 100, command: [executable], inDoubtAfter: "2s", isTalkative: true },
      env: { WAXWING_BROADCASTS_SETTLE_AFTER: "1s" },
    });
    const { data, directory } = installation;
    const old = join(directory, "old");
    // Only root may enter it.
    const file = join(directory, "root/server.move");
    mkdirSync(join(directory, "root"), { mode: 0o700 });
    chmodSync(directory, 0o755);
    giveToService(data);

    await installation.setMood({ maxAnswers: answersThatLeave(1, { people: PEOPLE }) });
    const before = installation.start();
    await before.started();
    const single = { to: "+919800000000", template: LABELLED, variables: ["single"] };
    const first = await before.call("POST", "/messages", single, "key-of-the-single-one");
    expect(first?.status).toBe(201);
    const later = await begin(installation, before, "later", 1, {
      send_at: new Date(Date.now() + 4_000).toISOString(),
    });
    const running = await begin(installation, before, "running", 0);
    await untilSeen(installation, running, 20);
    expect((await command(installation, "move", "out", file)).answer.error.code).toBe("locked");
    expect(existsSync(file) && statSync(file).size > 0).toBe(false);
    rmSync(file, { force: true });
    const stopped = before.stop();
    await installation.setMood({ maxAnswers: null });
    expect(await stopped).toBe(0);
    expect((await requestsOf(installation, running)).length).toBeLessThan(PEOPLE);

    const out = await command(installation, "move", "out", file);
    const { code } = out.answer;
    expect([out.code, out.answer.file]).toEqual([0, file]);
    expect(code).toMatch(/^[0-9a-z]{6}(-[0-9a-z]{6}){3}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const refused = installation.start();
    expect(await refused.listening).toBeNull();
    expect(await refused.complaints()).toContain("moved out");
    expect(await refused.complaints()).toContain(file);

    renameSync(data, old);
    mkdirSync(data, { mode: 0o700 });
    giveToService(data);
    const moved = await command(installation, "move", "in", file, "--code", code);
    expect(moved).toMatchObject({ code: 0, answer: { held: false, key_file: join(data, "waxwing.key") } });
    for (const name of readdirSync(data)) {
      const { uid, mode } = statSync(join(data, name));
      expect([name, uid]).toEqual([name, isRoot ? SERVICE : (process.getuid?.() ?? 0)]);
      expect([name, mode & 0o077]).toEqual([name, 0]);
    }
    const after = installation.start();
    await after.started();
    expect((await show(after, later)).status).not.toBe("paused");
    // The same request under the same key is answered again, not sent again.
    const again = await after.call("POST", "/messages", single, "key-of-the-single-one");
    expect(again?.body).toEqual(first?.body);
    const next = await after.call("POST", "/messages", { ...single, variables: ["next"] });
    expect(next?.body.data.id).toBeGreaterThan(first?.body.data.id);
    expect(next?.body.data.id).toBeLessThan(1_000);
    for (const broadcast of [running, later]) {
      await untilStatus(after, broadcast, "completed");
      const reached = (await requestsOf(installation, broadcast)).map(({ to }) => to);
      expect(reached.toSorted()).toEqual(broadcast.people.toSorted());
    }
    expect((await installation.requests()).filter(({ label }) => label === "single")).toHaveLength(1);
    await after.stop();
    expect((await command(installation, "check")).code).toBe(0);

    // The file is used: elsewhere it is a copy, held.
    renameSync(data, join(directory, "second"));
    mkdirSync(data, { mode: 0o700 });
    giveToService(data);
    const copy = await command(installation, "move", "in", file, "--code", code);
    expect(copy).toMatchObject({ code: 0, answer: { held: true, reason: "the file was used before" } });
  },
  LIMIT_MS,
);
