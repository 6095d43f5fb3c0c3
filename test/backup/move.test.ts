/**
 * A planned move: the server continues elsewhere where it stopped, exactly once; every other way of starting it is a copy,
 * held. A move that is killed at any step leaves at most one database that sends without a hold.
 */
import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "smol-toml";
import { reading, writing } from "#src/backup/database-file.ts";
import { stateOf } from "#src/backup/move/original.ts";
import { newRecoveryKey } from "#src/backup/remote/encryption.ts";
import { openClient } from "#src/db/driver.ts";
import { readFileIdentity } from "#src/db/file-identity.ts";
import { readInstance, readMove, writeMove } from "#src/db/instance.ts";
import {
  charged,
  create,
  HOUR,
  MINUTE,
  notice,
  phones,
  resume,
  type Scenario,
  show,
  startAgain,
  startScenario,
  untilSent,
} from "#test/support/broadcast-scenarios.ts";
import { TestClock } from "#test/support/clock.ts";
import { inForm } from "#test/support/long-form.ts";
import { messagesOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";
import { shipped } from "#test/support/templates.ts";
import { CallingWorkshop, SHOP } from "../cli/spawn.ts";

const slowly = { ...charged, throughput: 10 };
const everybody = phones(30);
const later = phones(5, 500);
const LATER = "+919876540005";
const MEDIUM = `1-${"b".repeat(64)}`;
const hasOtherUsers = process.getuid?.() === 0 ? null : "needs root";

interface Day extends Disposable {
  workshop: CallingWorkshop;
  scenario: Scenario;
  running: number;
  scheduled: number;
  /** A single message that is due with the scheduled broadcast. */
  message: number;
  file: string;
  /** The time at which the server was stopped. */
  at: number;
}

/** A single message, a broadcast half-sent, another and a message scheduled in an hour; the server is stopped. */
async function day(): Promise<Day> {
  const workshop = new CallingWorkshop("");
  const scenario = await startScenario(slowly, { directory: workshop.path("data"), readFileIdentity });
  const { app, shop } = scenario;
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped("+919876540004") });
  const at = new Date(app.clock.now() + HOUR).toISOString();
  const scheduled = await create(scenario, notice(later, { name: "Later", send_at: at }));
  const body = { ...shipped(LATER), send_at: at };
  const { id: message } = (await app.send("POST", "/api/v1/messages", { key: shop.key, body })).body.data;
  const running = await create(scenario, notice(everybody));
  await untilSent(scenario, 14);
  await app.stop();
  mkdirSync(workshop.path("data/media"), { recursive: true });
  writeFileSync(workshop.path(`data/media/${MEDIUM}`), "a picture");
  writeFileSync(workshop.path("data/media/7.part"), "not whole");
  writeFileSync(workshop.path("data/waxwing.key.old-0a0b"), `${Buffer.alloc(32, 3).toString("base64")}\n`);
  return {
    ...{ workshop, scenario, running, scheduled, message, file: workshop.path("server.move"), at: app.clock.now() },
    [Symbol.dispose]: () => workshop[Symbol.dispose](),
  };
}

const clockAt = (at: number) => ({ clock: new TestClock(new Date(at).toISOString()) });

interface MovedOutView {
  code: string;
  code_valid_until: string;
}

function moveOut({ workshop, file, at }: Day): Promise<MovedOutView> {
  return workshop.json(["move", "out", file], clockAt(at + MINUTE));
}

/** Moves in at another place of the same workshop, whose configuration it has. */
function moveIn({ workshop, file, at }: Day, place: string, code: string | null, afterMs = 2 * MINUTE, path = file) {
  const before = workshop.data;
  workshop.data = workshop.path(place);
  const words = ["move", "in", path, ...(code === null ? [] : ["--code", code])];
  return workshop.run([...words, "--json"], clockAt(at + afterMs)).then(({ code: exit, stdout }) => {
    workshop.data = before;
    // biome-ignore lint/suspicious/noExplicitAny: the tests assert single members.
    return { exit, answer: JSON.parse(stdout) as any };
  });
}

async function startAt(day: Day, place: string, laterMs: number): Promise<Scenario> {
  return startAgain(day.scenario, day.workshop.path(place), laterMs, { readFileIdentity });
}

async function messageIn({ app, shop }: Scenario, { message }: Day) {
  return (await app.call("GET", `/api/v1/messages/${message}`, { key: shop.key })).body.data;
}

function sentTo({ network }: Scenario): string[] {
  return network.sent.map(({ to }) => to ?? "").sort();
}

test("the server continues elsewhere: the rest is sent once, what was scheduled is sent in time, and ids continue", async () => {
  using today = await day();
  const { workshop, running, scheduled, file } = today;
  const out = await moveOut(today);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(Math.abs(Date.parse(out.code_valid_until) - (today.at + MINUTE + 24 * HOUR))).toBeLessThan(1_000);
  expect(readFileSync(workshop.path("data/waxwing.db")).includes(out.code)).toBe(false);

  const moved = await moveIn(today, "elsewhere", out.code);
  expect(moved).toMatchObject({ exit: 0, answer: { held: false, reason: null, already_there: false, flaws: [] } });
  expect(readFileSync(workshop.path("elsewhere/waxwing.key"))).toEqual(readFileSync(workshop.path("data/waxwing.key")));
  expect(existsSync(workshop.path("elsewhere/waxwing.key.old-0a0b"))).toBe(true);
  expect(readdirSync(workshop.path("elsewhere/media"))).toEqual([MEDIUM]);
  expect(existsSync(workshop.path("elsewhere/waxwing.moved.toml"))).toBe(true);

  await using scenario = await startAt(today, "elsewhere", 3 * MINUTE);
  expect(scenario.app.logged.join("")).not.toContain("database.copied");
  expect((await show(scenario, scheduled)).status).toBe("scheduled");
  expect((await messageIn(scenario, today)).status).toBe("scheduled");
  const last = messagesOf(scenario.app).at(-1)?.id ?? 0;
  await scenario.app.clock.advance(10 * MINUTE);
  expect((await show(scenario, running)).counts).toMatchObject({ total: 30, sent: 30 });
  const next = await scenario.app.send("POST", "/api/v1/messages", {
    key: scenario.shop.key,
    body: shipped("+919876540004"),
  });
  expect(next.body.data.id).toBe(last + 1);
  await scenario.app.clock.advance(HOUR);
  expect((await show(scenario, scheduled)).counts).toMatchObject({ total: 5, sent: 5 });
  expect(sentTo(scenario)).toEqual([...everybody, ...later, LATER, "+919876540004", "+919876540004"].sort());
});

test("the original refuses to start and to be changed, says where it went, and can still be read and backed up", async () => {
  using today = await day();
  const { workshop, file } = today;
  await moveOut(today);
  const where = "was moved out on 2";
  await expect(startAt(today, "data", 3 * MINUTE)).rejects.toThrow(file);
  for (const words of [
    ["workspace", "create", ...SHOP],
    ["key-file", "rotate"],
    ["move", "out", `${file}.2`],
  ]) {
    const refusal = await workshop.refusal(words);
    expect(refusal).toMatchObject({ code: "moved_out", message: expect.stringContaining(where) });
    expect(refusal.next).toContain("waxwing move cancel");
  }
  expect(existsSync(`${file}.2`)).toBe(false);
  expect(await workshop.json(["workspace", "list"])).toHaveLength(1);
  expect((await workshop.run(["check"])).code).toBe(0);
  expect(await workshop.json(["status"])).toMatchObject({ conditions: [], moved_out: { file } });
  expect((await workshop.run(["status"])).stdout).toContain(file);
  expect((await workshop.run(["doctor"])).stdout).toContain("moved out");
  expect((await workshop.run(["backup", workshop.path("closed.db")])).code).toBe(0);
  // Restored, it is open again, as a copy.
  expect((await workshop.run(["restore", workshop.path("closed.db")])).code).toBe(0);
  await using scenario = await startAt(today, "data", 5 * MINUTE);
  expect((await show(scenario, today.running)).status).toBe("paused");
});

test("without the code, too late, or with a used file it is a copy, held; so is the original that cancel reopens", async () => {
  using today = await day();
  const { workshop, running, scheduled, file } = today;
  const { code } = await moveOut(today);
  expect((await moveIn(today, "a", "wrong-code-000")).answer.error).toMatchObject({ code: "wrong_code" });
  expect(existsSync(workshop.path("a/waxwing.db"))).toBe(false);
  expect((await moveIn(today, "b", null)).answer).toMatchObject({ held: true, reason: "no code was given" });
  expect((await moveIn(today, "c", code, 25 * HOUR)).answer).toMatchObject({
    held: true,
    reason: expect.stringContaining("a day"),
  });
  expect((await moveIn(today, "d", code)).answer).toMatchObject({ held: false });
  expect((await moveIn(today, "e", code)).answer).toMatchObject({ held: true, reason: "the file was used before" });
  expect((await moveIn(today, "d", code)).answer).toMatchObject({ held: false, already_there: true });
  expect((await moveIn(today, "c", code)).answer.error).toMatchObject({ code: "occupied" });

  expect(await workshop.json(["move", "cancel"])).toMatchObject({ file });
  expect(await workshop.refusal(["move", "cancel"])).toMatchObject({ code: "not_moved_out" });
  expect(await workshop.refusal(["move", "out", `${file}.2`])).toMatchObject({ code: "copy_not_started" });
  const sent = sentTo(today.scenario);
  for (const place of ["b", "c", "e", "data"]) expect(standingOf(workshop.path(place))).toBe("held");
  await using scenario = await startAt(today, "data", 5 * MINUTE);
  await scenario.app.clock.advance(HOUR + MINUTE);
  expect(scenario.app.logged.join("")).toContain("database.copied");
  for (const id of [running, scheduled]) expect((await show(scenario, id)).status).toBe("paused");
  expect(await messageIn(scenario, today)).toMatchObject({ status: "failed", error: { whatsapp_code: "restored" } });
  await resume(scenario, running, false);
  await scenario.app.clock.advance(10 * MINUTE);
  expect(sentTo(scenario)).toEqual(sent);
});

test("a damaged file, one that cannot be marked, other keys and a database in the way are refused and change nothing", async () => {
  using today = await day();
  const { workshop, file } = today;
  expect(await workshop.refusal(["move", "out", workshop.write("there", "")])).toMatchObject({ code: "file_exists" });
  const { code } = await moveOut(today);
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 4;
  writeFileSync(workshop.path("damaged"), bytes);
  const damaged = await moveIn(today, "a", code, MINUTE, workshop.path("damaged"));
  expect(damaged.answer.error).toMatchObject({ code: "broken", message: expect.stringContaining("digest") });
  expect((await moveIn(today, "a", code, MINUTE, workshop.path("none"))).answer.error.code).toBe("unreadable_file");
  expect(readdirSync(workshop.path("a")).filter((name) => !name.endsWith("-lock"))).toEqual([]);

  // What a new installation has made before is put aside, with its key.
  workshop.data = workshop.path("fresh");
  const user = ["user", "create", "--email", "a@example.com", "--role", "operator"];
  expect((await workshop.run(user)).code).toBe(0);
  workshop.data = workshop.path("data");
  const moved = await moveIn(today, "fresh", code);
  expect(moved.answer).toMatchObject({ held: false, replaced: expect.stringContaining(".replaced-") });
  expect(readdirSync(workshop.path("fresh")).filter((name) => /^waxwing\.key\.replaced-/.test(name))).toHaveLength(1);
  await using scenario = await startAt(today, "fresh", 3 * MINUTE);
  expect(scenario.app.logged.join("")).not.toContain("database.copied");
});

test.skipIf(hasOtherUsers !== null)(
  "a file that may only be read is refused with a code, and is a copy without",
  () => {
    using workshop = new CallingWorkshop("");
    chmodSync(workshop.directory, 0o755);
    const run = (words: string[], uid: number) =>
      Bun.spawnSync([process.execPath, join(import.meta.dir, "move-process.ts"), "0", ...words, "--json"], {
        cwd: workshop.directory,
        ...{ uid, gid: uid, env: { PATH: process.env.PATH ?? "" } },
      });
    mkdirSync(workshop.path("data"), { mode: 0o700 });
    expect(run(["workspace", "create", ...SHOP], 0).exitCode).toBe(0);
    const { code } = JSON.parse(run(["move", "out", "server.move"], 0).stdout.toString()) as MovedOutView;
    chmodSync(workshop.path("server.move"), 0o644);
    mkdirSync(workshop.path("other"), { mode: 0o700 });
    Bun.spawnSync(["chown", "12345:12345", workshop.path("other")]);
    const refused = run(["move", "in", "server.move", "--code", code, "--data", "other"], 12_345).stdout.toString();
    expect(refused).toContain('"not_markable"');
    expect(readdirSync(workshop.path("other")).filter((name) => !name.endsWith("-lock"))).toEqual([]);
    expect(run(["move", "in", "server.move", "--data", "other"], 12_345).stdout.toString()).toContain('"held":true');
  },
);

/** `sends`: a start continues without a hold. */
type Standing = "none" | "sends" | "held" | "closed" | "interrupted";

function standingOf(data: string): Standing {
  if (existsSync(join(data, "waxwing.db.moving-in"))) return "interrupted";
  const database = join(data, "waxwing.db");
  if (!existsSync(database)) return "none";
  const state = writing(database, (client) => stateOf(client, database));
  return state === "open" ? "sends" : state === "copy" ? "held" : "closed";
}

const base = mkdtempSync(join(tmpdir(), "waxwing-move-killed-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Kills the command before its nth output. */
function kill(step: number, ...words: string[]): { isKilled: boolean; out: string } {
  const child = Bun.spawnSync([process.execPath, join(import.meta.dir, "move-process.ts"), String(step), ...words], {
    cwd: base,
    env: { PATH: process.env.PATH ?? "" },
  });
  return { isKilled: child.signalCode === "SIGKILL", out: child.stdout.toString() };
}

/** Before these outputs the first file of `move out`, or the mark of `move in`, is still far away. */
const SKIPPED = inForm({ short: { out: 2, in: 1 }, long: { out: 0, in: 0 } });

test("killed at any step, a move leaves one database that sends or none, and the same command ends it", async () => {
  using workshop = new CallingWorkshop("");
  const [original, file, pristine] = ["data", "server.move", "pristine"].map((name) => workshop.path(name)) as [
    string,
    string,
    string,
  ];
  const at = (place: string) => ["--config", workshop.path("waxwing.toml"), "--data", workshop.path(place)];
  const finish = async (place: string, path: string, ...words: string[]): Promise<Standing> => {
    workshop.data = workshop.path(place);
    await workshop.run(["move", "in", path, ...words]);
    return standingOf(workshop.data);
  };
  const clear = (...places: string[]): void => {
    for (const place of places) rmSync(workshop.path(place), { recursive: true, force: true });
  };
  await workshop.json(["workspace", "create", ...SHOP]);
  const standings: Standing[] = [];
  let code = "";
  for (let step = SKIPPED.out + 1; code === ""; step++) {
    const { isKilled, out } = kill(step, "move", "out", file, ...at("data"));
    standings.push(standingOf(original));
    code = isKilled ? "" : (/move in FILE --code (\S+)/.exec(out)?.[1] ?? "");
    if (!isKilled) continue;
    // No one has seen a code: the file is a copy, if it is anything.
    if (existsSync(file)) expect(await finish("target", file)).toBe("held");
    clear("server.move", "target");
    writing(join(original, "waxwing.db"), (client) => writeMove(client, null));
  }
  expect(standings.slice(-3)).toEqual(["closed", "closed", "closed"]);
  expect(new Set(standings)).toEqual(new Set<Standing>(["sends", "closed"]));

  copyFileSync(file, pristine);
  const seen = new Set<Standing>();
  for (let step = SKIPPED.in + 1, isKilled = true; isKilled; step++) {
    clear("target", "second");
    copyFileSync(pristine, file);
    ({ isKilled } = kill(step, "move", "in", file, "--code", code, ...at("target")));
    const standing = standingOf(workshop.path("target"));
    seen.add(standing);
    // On another machine a marked file is a copy: never a second database that sends.
    copyFileSync(file, `${file}.second`);
    const isMarked = readFileSync(file).includes("used 1");
    if (isMarked) expect(await finish("second", `${file}.second`, "--code", code)).toBe("held");
    else expect(standing).not.toBe("sends");
    expect(await finish("target", file, "--code", code)).toBe("sends");
    expect(readFileSync(file).includes("used 1")).toBe(true);
  }
  expect([...seen].filter((one) => one !== "none").sort()).toEqual(["interrupted", "sends"]);

  expect(kill(1, "move", "cancel", ...at("data")).isKilled).toBe(true);
  expect(standingOf(original)).toBe("held");
});

test("a server does not begin another database where a move in was interrupted", async () => {
  using workshop = new CallingWorkshop("");
  mkdirSync(workshop.path("data"));
  workshop.write("data/waxwing.db.moving-in", "");
  await expect(startTestServer({ directory: workshop.path("data"), readFileIdentity })).rejects.toThrow("did not end");
  expect(existsSync(workshop.path("data/waxwing.db"))).toBe(false);
});

test("a state from before the move that is copied over the closed original is an older one", async () => {
  using today = await day();
  const { workshop } = today;
  Bun.spawnSync(["cp", "-r", workshop.path("data"), workshop.path("before")]);
  await moveOut(today);
  Bun.spawnSync(["cp", "-r", `${workshop.path("before")}/.`, workshop.path("data")]);
  expect(standingOf(workshop.path("data"))).toBe("held");
});

test("a moved database can be moved again, and its past stays with it", async () => {
  using today = await day();
  const { workshop, file } = today;
  const { code } = await moveOut(today);
  await moveIn(today, "b", code);
  const instanceAt = (place: string) =>
    reading(workshop.path(`${place}/waxwing.db`), (client) => readInstance(client)?.instanceId);
  expect(instanceAt("b")).toBe(instanceAt("data") ?? "");
  workshop.data = workshop.path("b");
  const again = await workshop.json<MovedOutView>(["move", "out", `${file}.2`], clockAt(today.at + 5 * MINUTE));
  const moved = await moveIn(today, "c", again.code, 6 * MINUTE, `${file}.2`);
  expect(moved.answer).toMatchObject({ held: false });
  const client = openClient(workshop.path("b/waxwing.db"), { readonly: true });
  expect(readMove(client)).toMatchObject({ state: "out" });
  client.close();
  expect(instanceAt("c")).toBe(instanceAt("data") ?? "");
});

test("alarms and off-site backups of the old machine hold on the new one, with their secret files; what it has of its own stays", async () => {
  using workshop = new CallingWorkshop();
  const remote = { endpoint: "https://s3.example.com", bucket: "backups", access_key: "ID" };
  const { recipient } = await newRecoveryKey();
  const old = {
    alerts: { webhook: "https://alerts.example.com/hook", email_to: ["ops@example.com", "boss@example.com"] },
    remote: { ...remote, recipient },
  };
  const lines = (table: object) => Object.entries(table).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const secret = (name: string) => `${JSON.stringify(workshop.write(name, `${name} of the old machine\n`))}`;
  workshop.write(
    "waxwing.toml",
    [
      ...["[alerts]", ...lines(old.alerts), `smtp_url_file = ${secret("smtp")}`, 'repeat_after = "12h"'],
      ...[
        "[backup.remote]",
        ...lines(old.remote),
        `secret_key_file = ${secret("store")}`,
        "[log]",
        'level = "warn"',
        "",
      ],
    ].join("\n"),
  );
  await workshop.json(["workspace", "create", ...SHOP]);
  const { code } = await workshop.json<MovedOutView>(["move", "out", workshop.path("server.move")]);
  for (const name of ["smtp", "store"]) rmSync(workshop.path(name));

  const settings = () => parse(readFileSync(workshop.path("waxwing.toml"), "utf8"));
  const moveTo = async (place: string, config: string): Promise<Record<string, unknown>> => {
    copyFileSync(workshop.path("server.move"), workshop.path(`${place}.move`));
    workshop.write("waxwing.toml", config);
    workshop.data = workshop.path(place);
    return workshop.json(["move", "in", workshop.path(`${place}.move`), "--code", code]);
  };
  expect(await moveTo("one", '# mine\n[server]\npublic_url = "https://new.example.com"\n')).toMatchObject({
    held: false,
    carried: ["alerts", "backup.remote"],
  });
  expect(readFileSync(workshop.path("waxwing.toml"), "utf8")).toStartWith("# mine\n");
  const { alerts, backup, server, log } = settings() as Record<string, Record<string, unknown>>;
  expect([server, log]).toEqual([{ public_url: "https://new.example.com" }, undefined]);
  const smtp = workshop.path("one/waxwing.moved.toml.alerts.smtp_url_file");
  const store = workshop.path("one/waxwing.moved.toml.backup.remote.secret_key_file");
  expect(alerts).toEqual({ ...old.alerts, smtp_url_file: smtp, repeat_after: "12h" });
  expect(backup?.remote).toEqual({ ...old.remote, secret_key_file: store });
  for (const [path, text] of [
    [smtp, "smtp of the old machine\n"],
    [store, "store of the old machine\n"],
  ] as const)
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual([text, 0o600]);
  const { conditions } = await workshop.json<{ conditions: { id: string }[] }>(["status"]);
  expect(conditions.map(({ id }) => id)).not.toContain("alarms_off");

  // Alarms that are refused or set here stay as they are.
  expect(await moveTo("two", "[alerts]\nnone = true\n")).toMatchObject({ carried: ["backup.remote"] });
  expect(settings().alerts).toEqual({ none: true });
  workshop.data = workshop.path("three");
  expect(await workshop.json(["move", "in", workshop.path("server.move")])).toMatchObject({ held: true, carried: [] });
});
