/**
 * A machine with a live systemd, for tests of the installed service: a bare Debian that starts as a container. It shares
 * this machine's kernel and nothing else: its own processes, users, network and file system. Requires root and the
 * packages `systemd-container` and `debootstrap`.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Ran {
  code: number;
  out: string;
  seconds: number;
}

const MIRROR = "http://deb.debian.org/debian";
const RELEASE = "bookworm";
/** What an image of a provider has beyond the minimum. `install.sh` needs openssl alone. */
const PACKAGES = ["systemd-sysv", "dbus", "ca-certificates", "openssl", "curl", "procps"];
const START_LIMIT_MS = 60_000;
const GROUPS = ["init.scope", "system.slice", "user.slice", "dev-hugepages.mount", "payload", "supervisor"];
const CONTROLLERS = ["memory", "cpu", "cpuacct", "pids"];

/** `base`: where the bare Debian is kept from one run to the next. */
export async function makeDebian(base: string): Promise<void> {
  if (existsSync(join(base, "etc/debian_version"))) return;
  const words = ["debootstrap", "--variant=minbase", `--include=${PACKAGES.join(",")}`, RELEASE, base, MIRROR];
  const { code, out } = await runHere(words);
  if (code !== 0) throw new Error(`debootstrap failed: ${out.slice(-1_000)}`);
}

export class Box implements AsyncDisposable {
  readonly root: string;
  #nspawn: Bun.Subprocess | null = null;
  #init = 0;
  readonly #groupsBefore = new Set(listGroups());

  readonly #names: string | null;

  /**
   * `names`: the address of its name server, in the network of this process, which it shares. Null: a network of its own,
   * with nothing in it.
   */
  constructor(base: string, names: string | null = null) {
    this.#names = names;
    this.root = join(mkdtempSync(join(tmpdir(), "waxwing-box-")), "debian");
    // With devices, owners and attributes, which Node's copy does not take along.
    Bun.spawnSync(["cp", "-a", base, this.root]);
    if (names !== null) this.write("etc/resolv.conf", `nameserver ${names}\n`);
  }

  /** Starts it, and returns after how many seconds systemd says that the system runs. */
  async start(): Promise<number> {
    const startedAt = performance.now();
    const name = `waxwing-${process.pid}`;
    const nspawn = Bun.spawn(
      [
        ...["systemd-nspawn", "--boot", "--quiet", "--register=no", "--keep-unit"],
        ...(this.#names === null ? ["--private-network"] : ["--resolv-conf=off"]),
        ...[`--machine=${name}`, "--console=pipe", "-D", this.root],
      ],
      { stdin: "ignore", stdout: "ignore", stderr: "ignore" },
    );
    this.#nspawn = nspawn;
    const children = `/proc/${nspawn.pid}/task/${nspawn.pid}/children`;
    for (;;) {
      if (nspawn.exitCode !== null) throw new Error(`systemd-nspawn ended with ${nspawn.exitCode}`);
      if (performance.now() - startedAt > START_LIMIT_MS) throw new Error("the container did not start in time");
      this.#init = Number(readFileSync(children, "utf8").trim().split(" ")[0]);
      if (this.#init > 0 && (await this.run("systemctl", "is-system-running", "--wait")).out.trim() === "running")
        break;
      await Bun.sleep(100);
    }
    return (performance.now() - startedAt) / 1000;
  }

  /** Where this kernel has the first version of control groups, a container may only read them, so no limit would hold. */
  async enforceLimits(): Promise<boolean> {
    const remounts = CONTROLLERS.map(
      (name) => `mount -o remount,bind,rw,nosuid,nodev,noexec /sys/fs/cgroup/${name} 2>/dev/null`,
    ).join("; ");
    await this.shell(`${remounts}; systemctl daemon-reexec`);
    const limit = await this.shell(
      `systemd-run --quiet --pipe --wait -p MemoryMax=50M sh -c 'cat /sys/fs/cgroup/memory$(sed -n "s/.*:memory://p" /proc/self/cgroup)/memory.limit_in_bytes /sys/fs/cgroup$(sed -n "s/^0:://p" /proc/self/cgroup)/memory.max 2>/dev/null'`,
    );
    return limit.out.includes(String(50 * 1024 * 1024));
  }

  run(...words: string[]): Promise<Ran> {
    return runHere([
      ...["nsenter", "-t", String(this.#init), "-a", "env", "-i", "HOME=/root", "TERM=dumb", "LANG=C.UTF-8"],
      "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      ...words,
    ]);
  }

  shell(script: string): Promise<Ran> {
    return this.run("sh", "-c", `cd /root; ${script}`);
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.root, path), text);
  }

  /** As a machine that burns down: nothing in it is shut down, and nothing of it is left. */
  async destroy(): Promise<void> {
    if (this.#nspawn === null) return;
    process.kill(this.#init, "SIGKILL");
    await this.#nspawn.exited;
    this.#nspawn = null;
    this.#remove();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const nspawn = this.#nspawn;
    if (nspawn !== null) {
      if (this.#init > 0) await this.run("systemctl", "poweroff", "--force");
      await Promise.race([nspawn.exited, Bun.sleep(15_000)]);
      nspawn.kill("SIGKILL");
      await nspawn.exited;
    }
    this.#remove();
  }

  #remove(): void {
    rmSync(dirname(this.root), { recursive: true, force: true });
    // What its systemd has made and left, the innermost first.
    for (const group of listGroups()
      .filter((one) => !this.#groupsBefore.has(one))
      .toReversed()) {
      try {
        rmdirSync(group);
      } catch {
        // It is in use.
      }
    }
  }
}

/** Control groups of the first version that a systemd makes below this process's own, the outer ones first. */
function listGroups(): string[] {
  const own = readFileSync("/proc/self/cgroup", "utf8").trim().split("\n");
  return own.flatMap((line) => {
    const [, controller = "", ...path] = line.split(":");
    const name = controller === "" ? "unified" : controller.replace("name=", "");
    return GROUPS.flatMap((group) => {
      const root = join("/sys/fs/cgroup", name, path.join(":"), group);
      if (!existsSync(root)) return [];
      const inside = readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) => one.isDirectory());
      return [root, ...inside.map((one) => join(one.parentPath, one.name)).sort()];
    });
  });
}

async function runHere(words: readonly string[]): Promise<Ran> {
  const startedAt = performance.now();
  const child = Bun.spawn([...words], { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const parts = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const code = await child.exited;
  return { code, out: parts.join("").trimEnd(), seconds: (performance.now() - startedAt) / 1000 };
}
