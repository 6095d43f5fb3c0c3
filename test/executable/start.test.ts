/**
 * Starts and commands of the executable where something around them is wrong: what fails leaves no database and says
 * what to do; what can work without the missing thing does.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { linesOf } from "#test/support/database.ts";
import { placeExecutable } from "#test/support/executable.ts";

const LIMIT_MS = 300_000;
const noMount = process.platform !== "linux" || process.getuid?.() !== 0 ? "needs root on Linux" : null;
const because = noMount === null ? "" : ` (skipped: ${noMount})`;

// Not in /tmp, which a test mounts over.
const base = mkdtempSync("/var/tmp/waxwing-start-");
const executable = join(base, "waxwing");

beforeAll(async () => {
  // Another user runs the executable, too.
  chmodSync(base, 0o755);
  await placeExecutable(executable);
}, LIMIT_MS);
afterAll(() => rmSync(base, { recursive: true, force: true }));

const SHOP = ["--name", "Shop", "--country", "IN", "--timezone", "Asia/Kolkata"];

interface Ran {
  code: number | null;
  out: string;
  err: string;
}

function run(words: string[], env: Record<string, string> = {}, before: string[] = []): Ran {
  const child = Bun.spawnSync([...before, executable, ...words], {
    cwd: base,
    env: { PATH: process.env.PATH ?? "", WAXWING_LOG_LEVEL: "error", ...env },
    stdin: "ignore",
    timeout: 30_000,
  });
  return { code: child.exitCode, out: child.stdout.toString(), err: child.stderr.toString() };
}

function databasesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).filter((name) => /^waxwing\.db(-wal|-shm)?$/.test(name)) : [];
}

test(
  "a start that fails says which setting and leaves no database",
  async () => {
    const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const wrong: [Record<string, string>, string][] = [
      [{ WAXWING_SERVER_LISTEN: `127.0.0.1:${taken.port}` }, "another program already listens"],
      [{ WAXWING_SERVER_LISTEN: "203.0.113.1:8080" }, "is not an address of this machine"],
      [{ WAXWING_SERVER_TLS_CERT: "/none", WAXWING_SERVER_TLS_KEY: "/none" }, "/none cannot be read"],
      [{ WAXWING_SERVER_DOMAIN: "wa.example.com", WAXWING_ACME_CA_FILE: "/none.pem" }, "/none.pem cannot be read"],
      [{ WAXWING_SECRETS_KEY: "short" }, "WAXWING_SECRETS_KEY is not a key"],
      [{ WAXWING_SECRETS_KEY_FILE: "/none/key" }, "no key can be created at /none/key"],
      [{ WAXWING_SERVER_PUBLIC_URL: "nonsense" }, "server.public_url"],
    ];
    for (const [index, [env, says]] of wrong.entries()) {
      const data = join(base, `wrong-${index}`);
      const ran = run(["serve", "--data", data], { WAXWING_SERVER_LISTEN: "127.0.0.1:0", ...env });
      expect([ran.code, ran.err]).toEqual([1, expect.stringContaining(says)]);
      expect(databasesIn(data)).toEqual([]);
    }
    await taken.stop(true);
  },
  LIMIT_MS,
);

describe.skipIf(noMount !== null)(`disks${because}`, () => {
  /** A disk of its own; unmounted at the end. */
  function mountDisk(name: string, kilobytes: number): { path: string } & Disposable {
    const path = join(base, name);
    mkdirSync(path);
    expect(Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", path]).exitCode).toBe(0);
    return { path, [Symbol.dispose]: () => void Bun.spawnSync(["umount", "-l", path]) };
  }

  /** Leaves so many kilobytes. */
  function fill(path: string, left: number): void {
    const { bavail, bsize } = statfsSync(path);
    writeFileSync(join(path, "fill"), new Uint8Array(Math.max(0, bavail * bsize - left * 1_024)));
  }

  test(
    "a database that does not fit on the disk is not left half made, and the reason is the disk",
    () => {
      for (const kilobytes of [100, 400]) {
        using disk = mountDisk(`small-${kilobytes}`, kilobytes);
        const data = join(disk.path, "data");
        for (const words of [
          ["serve", "--listen", "127.0.0.1:0"],
          ["workspace", "create", ...SHOP],
        ]) {
          const ran = run([...words, "--data", data]);
          expect([kilobytes, ran.code]).toEqual([kilobytes, 1]);
          expect(ran.err).toContain("full");
          expect(ran.err).not.toContain("another process");
          expect(databasesIn(data)).toEqual([]);
        }
      }
    },
    LIMIT_MS,
  );

  test(
    "a start without one free page says that the disk is full, and starts once there is room",
    async () => {
      using disk = mountDisk("no-page", 8_192);
      const data = join(disk.path, "data");
      expect(run(["workspace", "create", ...SHOP, "--data", data]).code).toBe(0);
      // As after a clean stop: the index of the log has to be made anew.
      for (const suffix of ["-shm", "-wal"]) rmSync(join(data, `waxwing.db${suffix}`), { force: true });
      fill(disk.path, 0);
      const serve = ["serve", "--listen", "127.0.0.1:0", "--data", data];
      const refused = run(serve);
      expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/disk is full.*\n *next: free space/s)]);
      rmSync(join(disk.path, "fill"));
      await using server = Bun.spawn([executable, ...serve], { stdio: ["ignore", "pipe", "ignore"] });
      expect((await linesOf(server.stdout).next()).value).toStartWith("listening on");
    },
    LIMIT_MS,
  );

  test(
    "a server without operators stays up on a full disk, says so, and is ready when there is room",
    async () => {
      using disk = mountDisk("full", 8_192);
      const data = join(disk.path, "data");
      expect(run(["workspace", "create", ...SHOP, "--data", data]).code).toBe(0);
      // SQLite needs 32 KB for its index of the log.
      fill(disk.path, 40);
      await using server = Bun.spawn([executable, "serve", "--listen", "127.0.0.1:0", "--data", data], {
        env: { WAXWING_LOG_LEVEL: "error" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const url = (await linesOf(server.stdout).next()).value?.replace("listening on ", "");
      const isReady = async (): Promise<boolean> => (await fetch(`${url}/readyz`)).status === 200;
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect(await isReady()).toBe(false);
      rmSync(join(disk.path, "fill"));
      const until = performance.now() + 20_000;
      while (!(await isReady()) && performance.now() < until) await Bun.sleep(50);
      expect(await isReady()).toBe(true);
      server.kill("SIGTERM");
      expect(await server.exited).toBe(0);
      expect(await new Response(server.stderr).text()).toContain("the link for the first one could not be written");
    },
    LIMIT_MS,
  );

  test(
    "a move that does not fit on a disk changes nothing: the original is open, the file unused, the target empty",
    () => {
      using disk = mountDisk("move", 900);
      const data = join(base, "moving");
      mkdirSync(data);
      const json = (...words: string[]) => {
        const ran = run([...words, "--json"]);
        return { code: ran.code, err: ran.err, answer: JSON.parse(ran.out) };
      };
      expect(run(["workspace", "create", ...SHOP, "--data", data]).code).toBe(0);
      writeFileSync(join(disk.path, "rest"), new Uint8Array(500_000));
      const refused = json("move", "out", join(disk.path, "server.move"), "--data", data);
      expect([refused.code, refused.answer.error.code]).toEqual([1, "no_room"]);
      // As the service's user it writes into a file that root has opened, until the disk is full.
      for (const name of ["", ...readdirSync(data)]) chownSync(join(data, name), 12_345, 12_345);
      const full = json("move", "out", join(disk.path, "server.move"), "--data", data);
      expect([full.code, full.answer.error.next]).toEqual([1, "free space on the disk"]);
      expect(full.err).toContain("is left empty; remove it");
      expect(statSync(join(disk.path, "server.move")).size).toBe(0);
      expect(run(["workspace", "create", ...SHOP, "--data", data]).code).toBe(0);

      const file = join(base, "server.move");
      const { code } = json("move", "out", file, "--data", data).answer;
      const small = json("move", "in", file, "--code", code, "--data", join(disk.path, "data"));
      expect([small.code, small.answer.error.code]).toEqual([1, "no_room"]);
      expect(readdirSync(join(disk.path, "data")).filter((name) => !name.endsWith("-lock"))).toEqual([]);
      const moved = json("move", "in", file, "--code", code, "--data", join(base, "moved"));
      expect([moved.code, moved.answer.held]).toEqual([0, false]);
    },
    LIMIT_MS,
  );

  test(
    "where /tmp is noexec or full, commands use the temporary directory of the data, or say what to set",
    () => {
      const [with_, without] = [join(base, "with"), join(base, "without")];
      mkdirSync(join(with_, "tmp"), { recursive: true });
      for (const data of [with_, without]) expect(run(["workspace", "create", ...SHOP, "--data", data]).code).toBe(0);
      for (const make of [
        "mount -t tmpfs -o noexec tmpfs /tmp",
        "mount -t tmpfs -o size=64k tmpfs /tmp; dd if=/dev/zero of=/tmp/fill bs=1k 2>/dev/null",
      ]) {
        const inNamespace = ["unshare", "-m", "sh", "-c", `${make}; exec "$@"`, "sh"];
        const list = (data: string): Ran => run(["workspace", "list", "--data", data, "--json"], {}, inNamespace);
        const found = list(with_);
        expect([found.code, found.err]).toEqual([0, ""]);
        const refused = list(without);
        expect(refused.code).toBe(1);
        expect(refused.out).toContain("set TMPDIR to a directory with free space");
        expect(run(["version"], {}, inNamespace).code).toBe(0);
      }
    },
    LIMIT_MS,
  );
});
