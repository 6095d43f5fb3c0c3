/**
 * The executable's commands, run as root on a data directory that belongs to the service's user: nothing in that
 * directory leads root to a file outside it, and the commands still do their work. The same commands as the service's
 * user, in a directory that it may not enter.
 *
 * Each name is tried with a third of the commands, and each command with a third of the names. `ROOT_FULL=1 bun test
 * test/executable/root.test.ts` tries every pair.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { linesOf } from "#test/support/database.ts";
import { placeExecutable } from "#test/support/executable.ts";

const LIMIT_MS = 300_000;
const isFull = process.env.ROOT_FULL === "1";
const PART = 3;
/** No account on this machine has this id. A service needs only a number. */
const SERVICE = 12_345;
const noRoot =
  process.platform !== "linux" ? "needs Linux" : process.getuid?.() !== 0 ? "needs root, who can act as both" : null;
const because = noRoot === null ? "" : ` (skipped: ${noRoot})`;

const base = mkdtempSync(join(tmpdir(), "waxwing-root-"));
const executable = join(base, "waxwing");
/** A fresh directory for each test, which every user may enter. */
let place: string;
let data: string;
/** Nothing here may change. The files belong to root, and every user may read them. */
let outside: string;
/** Only root may enter this directory. */
let home: string;

interface Ran {
  code: number;
  out: string;
  err: string;
}

interface Way {
  uid?: number;
  cwd?: string;
  env?: Record<string, string>;
}

function run(words: string[], { uid = 0, cwd = home, env = {} }: Way = {}): Ran {
  const { exitCode, stdout, stderr } = Bun.spawnSync([executable, ...words], {
    cwd,
    env: { PATH: "/usr/bin:/bin", ...env },
    stdin: "ignore",
    uid,
    gid: uid,
  });
  return { code: exitCode, out: stdout.toString(), err: stderr.toString() };
}

/** Runs with `--json` on the data directory, requires exit 0 and returns the document. */
// biome-ignore lint/suspicious/noExplicitAny: the tests assert single fields; a wrong answer fails its assertion.
function answer(words: string[], way: Way = {}): any {
  const ran = run([...words, "--data", data, "--json"], way);
  if (ran.code !== 0) throw new Error(`${words.join(" ")}: exit ${ran.code}: ${ran.out}${ran.err}`);
  return JSON.parse(ran.out);
}

const SHOP = ["--name", "Shop", "--country", "IN", "--timezone", "Asia/Kolkata"];

function makePlace(): void {
  place = mkdtempSync(join(base, "case-"));
  chmodSync(place, 0o755);
  data = join(place, "data");
  outside = join(place, "outside");
  home = join(place, "home");
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, SERVICE, SERVICE);
  mkdirSync(outside);
  mkdirSync(home, { mode: 0o700 });
}

/** Name, owner, mode, length and beginning of each file in a directory. */
function stateOf(directory: string): string[] {
  return readdirSync(directory)
    .sort()
    .map((name) => {
      const path = join(directory, name);
      const { uid, gid, mode } = lstatSync(path);
      const text = readFileSync(path, "latin1");
      const beginning = JSON.stringify(text.slice(0, 40));
      return `${name} ${uid}:${gid} ${(mode & 0o7777).toString(8)} ${text.length} ${beginning}`;
    });
}

function ownersIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => ({ name, ...lstatSync(join(directory, name)) }))
    .filter(({ uid, gid, mode }) => uid !== SERVICE || gid !== SERVICE || (mode & 0o077) !== 0)
    .map(({ name, uid, gid, mode }) => `${name} ${uid}:${gid} ${(mode & 0o7777).toString(8)}`);
}

async function serve(): Promise<{ url: string } & AsyncDisposable> {
  const server = Bun.spawn([executable, "serve", "--listen", "127.0.0.1:0", "--data", data], {
    cwd: "/",
    env: {},
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    uid: SERVICE,
    gid: SERVICE,
  });
  const line = String((await linesOf(server.stdout).next()).value);
  const url = /^listening on (http:\S+)$/.exec(line)?.[1];
  if (url === undefined) throw new Error(`no server: ${line} ${await new Response(server.stderr).text()}`);
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.kill("SIGTERM");
      await server.exited;
    },
  };
}

beforeAll(async () => {
  chmodSync(base, 0o755);
  if (noRoot !== null) return;
  await placeExecutable(executable);
  chmodSync(executable, 0o755);
}, LIMIT_MS);
afterAll(() => rmSync(base, { recursive: true, force: true }));

describe.skipIf(noRoot !== null)(`commands as root on a service's data${because}`, () => {
  beforeEach(makePlace);

  /** Every name in the data directory that any command opens, creates, changes or replaces. */
  const NAMES = [
    "waxwing.db.command-lock",
    "waxwing.db.server-lock",
    "waxwing.db.drill-lock",
    "waxwing.db-wal",
    "waxwing.db-shm",
    "waxwing.db-journal",
    "waxwing.db.command-lock-journal",
    "waxwing.db.unfinished-restore",
    "waxwing.db.unfinished-replaced",
    "waxwing.db.unfinished-drill",
    "waxwing.key",
    "waxwing.db",
    "backup.db",
    "backup.db.unfinished-backup",
    "people.csv.errors.csv",
    "contacts.csv",
    "imports",
    "tmp",
  ];
  const commandsOn = (directory: string): string[][] => [
    ["workspace", "list"],
    ["workspace", "create", ...SHOP],
    ["key", "create", "--workspace", "1"],
    ["webhook", "test", "--workspace", "1"],
    ["contact", "import", "--workspace", "1", join(directory, "people.csv")],
    ["contact", "export", "--workspace", "1", "--file", join(directory, "contacts.csv")],
    ["contact", "erase", "--workspace", "1", "+919876543210"],
    ["backup", join(directory, "backup.db")],
    ["check"],
    ["restore", join(directory, "good.db"), "--rehearse"],
    ["restore", join(directory, "good.db")],
  ];

  for (const kind of ["existing", "dangling"] as const) {
    test(
      `a link in the data directory to a file that is ${kind === "existing" ? "there" : "not there"} leads root to no file outside`,
      () => {
        answer(["workspace", "create", ...SHOP], { uid: SERVICE, cwd: "/" });
        answer(["backup", join(data, "good.db")], { uid: SERVICE, cwd: "/" });
        answer(["webhook", "set", "--workspace", "1", "--url", "https://example.com/hook"], { uid: SERVICE, cwd: "/" });
        writeFileSync(join(data, "people.csv"), "phone,name\n+919876543210,Asha\nnonsense,Nobody\n");
        if (kind === "existing") {
          for (const name of NAMES) writeFileSync(join(outside, name), `root's ${name}`, { mode: 0o640 });
        }
        const before = stateOf(outside);
        const whole = join(place, "whole");
        Bun.spawnSync(["cp", "-a", data, whole]);
        const changes: string[] = [];
        for (const [row, name] of NAMES.entries()) {
          for (const [column, words] of commandsOn(data).entries()) {
            if (!isFull && (row + column) % PART !== 0) continue;
            rmSync(data, { recursive: true });
            Bun.spawnSync(["cp", "-a", whole, data]);
            rmSync(join(data, name), { recursive: true, force: true });
            symlinkSync(join(outside, name), join(data, name));
            run([...words, "--data", data]);
            const after = stateOf(outside);
            if (!Bun.deepEquals(after, before)) {
              changes.push(
                `${words.slice(0, 2).join(" ")} by ${name}: ${after.filter((one) => !before.includes(one))}`,
              );
              for (const left of readdirSync(outside)) rmSync(join(outside, left), { recursive: true });
              if (kind === "existing") {
                for (const one of NAMES) writeFileSync(join(outside, one), `root's ${one}`, { mode: 0o640 });
              }
            }
          }
        }
        expect(changes).toEqual([]);
      },
      LIMIT_MS,
    );
  }

  test(
    "a file named inside the service's directory is opened with the service's rights",
    () => {
      answer(["workspace", "create", ...SHOP]);
      writeFileSync(join(outside, "secret"), "root-only-word", { mode: 0o600 });
      symlinkSync(join(outside, "secret"), join(data, "link"));
      const number = ["--phone", "+911244001100", "--name", "Shop", "--network", "whatsapp"];
      const ids = ["--phone-number-id", "1", "--account-id", "2"];
      for (const words of [
        ["contact", "import", "--workspace", "1", join(data, "link")],
        ["contact", "opt-out", "--workspace", "1", "--file", join(data, "link")],
        ["restore", join(data, "link"), "--rehearse"],
        ["check", join(data, "link")],
        ["number", "add", "--workspace", "1", ...number, ...ids, "--token-file", join(data, "link")],
      ]) {
        const { code, out, err } = run([...words, "--data", data]);
        expect([words, code, `${out}${err}`]).toEqual([words, 1, expect.not.stringContaining("root-only-word")]);
        expect([words, `${out}${err}`]).toEqual([
          words,
          expect.stringMatching(/EACCES|this user may not read it|permission|open/),
        ]);
      }
      expect(answer(["number", "list"])).toEqual([]);
    },
    LIMIT_MS,
  );

  test(
    "a backup that root put into the service's directory, and companion files of root's, are named with what to do",
    async () => {
      answer(["workspace", "create", ...SHOP]);
      answer(["backup", join(home, "copy.db")]);
      const own = join(data, "copy.db");
      writeFileSync(own, readFileSync(join(home, "copy.db")), { mode: 0o600 });
      for (const words of [
        ["restore", own],
        ["restore", own, "--rehearse"],
        ["check", own],
        ["move", "in", own],
        ["contact", "import", "--workspace", "1", own],
      ]) {
        const { code, err } = run([...words, "--data", data]);
        expect([words, code, err]).toEqual([words, 1, expect.stringContaining(`${own} is opened as user ${SERVICE}`)]);
        expect(err).toContain("next: move it to a directory that only root may change");
      }
      renameSync(own, join(home, "moved.db"));
      expect(answer(["restore", join(home, "moved.db")])).toMatchObject({ counts: { workspaces: 1 } });
      expect(ownersIn(data)).toEqual([]);

      const log = join(data, "waxwing.db-wal");
      writeFileSync(log, "", { mode: 0o600 });
      chownSync(log, 0, 0);
      const advice = `chown -h ${SERVICE}:${SERVICE} ${log}`;
      for (const words of [
        ["workspace", "list"],
        ["check"],
        ["backup", "late.db"],
        ["restore", "copy.db"],
        ["status"],
      ]) {
        const { code, err } = run([...words, "--data", data]);
        expect([words, code, err]).toEqual([words, 1, expect.stringContaining(advice)]);
      }
      const served = run(["serve", "--listen", "127.0.0.1:0", "--data", data], { uid: SERVICE, cwd: "/" });
      expect([served.code, served.err]).toEqual([1, expect.stringContaining(advice)]);
      expect(served.err).toContain("--data: storage.data: ");
      chownSync(log, SERVICE, SERVICE);
      expect(answer(["workspace", "list"])).toHaveLength(1);
      await using _server = await serve();
    },
    LIMIT_MS,
  );

  test(
    "root's commands beside a running server read files that only root may read, and leave the data to the service's user",
    async () => {
      answer(["workspace", "create", ...SHOP]);
      expect(ownersIn(data)).toEqual([]);
      {
        await using server = await serve();
        const { key } = answer(["key", "create", "--workspace", "1"]);
        answer([
          "number",
          "add",
          "--workspace",
          "1",
          ...words("--phone +911244001100 --name Shop --network simulator"),
        ]);
        writeFileSync(
          join(home, "template.json"),
          JSON.stringify({
            name: "order_shipped",
            language: "en",
            category: "UTILITY",
            components: [{ type: "BODY", text: "Hello" }],
          }),
          { mode: 0o600 },
        );
        // A relative path is resolved from root's working directory.
        answer(["template", "add", "--workspace", "1", "--file", "template.json"]);

        writeFileSync(join(home, "people.csv"), "phone,name\n+919876543210,Asha\nnonsense,Nobody\n", { mode: 0o600 });
        const imported = answer(["contact", "import", "--workspace", "1", "people.csv"]);
        expect(imported).toMatchObject({ rows: 2, created: 1, failed: 1, errors_file: "people.csv.errors.csv" });
        expect(readFileSync(join(home, "people.csv.errors.csv"), "utf8")).toContain(",nonsense,Nobody");
        writeFileSync(join(home, "stop.txt"), "+919876543211\n", { mode: 0o600 });
        expect(answer(["contact", "opt-out", "--workspace", "1", "--file", "stop.txt"])).toMatchObject({
          opted_out: 1,
        });
        // Large enough to be read in a thread.
        const many = Array.from({ length: 12_000 }, (_, index) => `+9198${String(index).padStart(8, "0")},Somebody`);
        writeFileSync(join(home, "many.csv"), ["phone,name", ...many].join("\n"), { mode: 0o600 });
        expect(answer(["contact", "import", "--workspace", "1", "many.csv"])).toMatchObject({ created: 12_000 });

        expect(answer(["contact", "export", "--workspace", "1", "--file", "out.csv"])).toMatchObject({
          contacts: 12_002,
        });
        expect(readFileSync(join(home, "out.csv"), "utf8").split("\n").length).toBe(12_004);

        const backup = answer(["backup", "copy.db"]);
        expect(backup).toMatchObject({ file: join(home, "copy.db"), verified: true, counts: { contacts: 12_002 } });
        expect(statSync(join(home, "copy.db"))).toMatchObject({ uid: 0, size: backup.bytes });
        expect(statSync(join(home, "copy.db")).mode & 0o777).toBe(0o600);
        expect(answer(["check", "copy.db"])).toMatchObject({ ok: true, file: join(home, "copy.db") });
        const again = run(["backup", "copy.db", "--data", data, "--json"]);
        expect([again.code, again.out]).toEqual([1, expect.stringContaining("file_exists")]);
        expect(answer(["restore", "copy.db", "--rehearse"])).toMatchObject({ rehearsed: true, gap: null });
        // In a directory that the service may write to, the backup belongs to the service.
        answer(["backup", join(data, "own.db")]);
        expect(answer(["check"])).toMatchObject({ ok: true });

        const me = await fetch(`${server.url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
        expect(me.status).toBe(200);
        expect(ownersIn(data)).toEqual([]);
      }
      expect(answer(["restore", "copy.db"])).toMatchObject({ gap: null, counts: { contacts: 12_002 } });
      expect(ownersIn(data)).toEqual([]);
      expect(readdirSync(data).filter((name) => name.includes("unfinished"))).toEqual([]);
      await using _server = await serve();
      expect(answer(["workspace", "list"])).toHaveLength(1);
    },
    LIMIT_MS,
  );

  test("commands work with a temporary directory that only root may use", () => {
    const env = { TMPDIR: home };
    answer(["workspace", "create", ...SHOP], { env });
    expect(answer(["workspace", "list"], { env })).toHaveLength(1);
    expect(readdirSync(home)).toEqual([]);
  });

  test("in a data directory that belongs to root, every file belongs to root", () => {
    chownSync(data, 0, 0);
    answer(["workspace", "create", ...SHOP]);
    answer(["backup", join(data, "own.db")]);
    expect([...new Set(readdirSync(data).map((name) => statSync(join(data, name)).uid))]).toEqual([0]);
  });

  test("a link that the service puts in place of its data directory is refused", () => {
    const theirs = join(place, "theirs");
    mkdirSync(theirs);
    chownSync(theirs, SERVICE, SERVICE);
    symlinkSync(outside, join(theirs, "data"));
    lchownSync(join(theirs, "data"), SERVICE, SERVICE);
    const ran = run(["workspace", "create", ...SHOP, "--data", join(theirs, "data")]);
    expect([ran.code, readdirSync(outside)]).toEqual([1, []]);
  });

  test("./waxwing.toml is read only if both the file and its directory belong to root", () => {
    const elsewhere = join(place, "elsewhere");
    const config = (directory: string): void => {
      writeFileSync(join(directory, "waxwing.toml"), `[storage]\ndata = "${elsewhere}"\n`);
    };
    const visit = (uid: number, fileUid: number): Ran => {
      const cwd = mkdtempSync(join(place, "cwd-"));
      config(cwd);
      chownSync(join(cwd, "waxwing.toml"), fileUid, fileUid);
      chownSync(cwd, uid, uid);
      return run(["workspace", "list"], { cwd, env: { WAXWING_STORAGE_PATH: "" } });
    };
    expect(visit(0, 0).err).toContain(elsewhere);
    for (const ran of [visit(SERVICE, 0), visit(0, SERVICE), visit(SERVICE, SERVICE)]) {
      expect(ran.err).not.toContain(elsewhere);
      expect(ran.err).toContain("./waxwing.toml");
    }
  });
});

describe.skipIf(noRoot !== null)(`commands as the service, from a directory that it may not enter${because}`, () => {
  beforeEach(makePlace);

  test(
    "the documented commands work in a directory that the service may not enter",
    () => {
      const way = { uid: SERVICE, cwd: home };
      answer(["workspace", "create", ...SHOP], way);
      const backups = join(place, "backups");
      mkdirSync(backups);
      chownSync(backups, SERVICE, SERVICE);
      const file = join(backups, "waxwing.db");
      expect(answer(["backup", file], way)).toMatchObject({ verified: true });
      expect(answer(["check"], way)).toMatchObject({ ok: true });
      expect(answer(["check", file], way)).toMatchObject({ ok: true });
      expect(answer(["broadcast", "list"], way)).toEqual([]);
      expect(answer(["restore", file, "--rehearse"], way)).toMatchObject({ rehearsed: true });
      expect(answer(["restore", file], way)).toMatchObject({ gap: null });
    },
    LIMIT_MS,
  );

  test("an unreadable ./waxwing.toml is an error, not ignored", () => {
    const cwd = mkdtempSync(join(place, "cwd-"));
    chmodSync(cwd, 0o755);
    writeFileSync(join(cwd, "waxwing.toml"), "", { mode: 0o600 });
    const ran = run(["workspace", "list", "--data", data], { uid: SERVICE, cwd });
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("./waxwing.toml: this user may not read it")]);
  });
});

function words(text: string): string[] {
  return text.split(" ");
}
