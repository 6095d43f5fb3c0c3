/**
 * What install.sh promises an operator, on a staging directory with a stand-in for the executable. The tests need no
 * network and no build; those that need root are skipped without it.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { nameOf } from "#src/cli/command.ts";
import { groups } from "#src/cli/commands.ts";
import { flagOf } from "#src/cli/option.ts";

const checkout = resolve(import.meta.dir, "..");
const script = join(checkout, "install.sh");

interface Run {
  exitCode: number;
  stdout: string;
  stderr: string;
}

let workshop: string;

beforeAll(async () => {
  // The space is deliberate: every path below contains one.
  workshop = await mkdtemp(join(tmpdir(), "waxwing install-"));
});

afterAll(async () => {
  await rm(workshop, { recursive: true, force: true });
});

describe("the command line", () => {
  test("install.sh is plain POSIX shell", () => {
    for (const shell of ["sh", "dash"].filter((name) => Bun.which(name) !== null)) {
      const { exitCode, stderr } = run([shell, "-n", script]);
      expect({ shell, exitCode, stderr: stderr.toString() }).toEqual({ shell, exitCode: 0, stderr: "" });
    }
  });

  test("install.sh pins the Bun version of package.json", async () => {
    const { packageManager } = JSON.parse(await readFile(join(checkout, "package.json"), "utf8"));
    const pinned = /^BUN_VERSION=(\S+)$/m.exec(await readFile(script, "utf8"))?.[1];
    expect(packageManager).toBe(`bun@${pinned}`);
  });

  test("a Bun whose content is not the pinned one is never started, in the checkout, on the PATH or fetched", async () => {
    const stage = await makeStage("tampered");
    const [copy, bin] = [join(stage, "checkout"), join(stage, "bin")];
    for (const directory of [join(copy, ".bun/bin"), bin]) await mkdir(directory, { recursive: true });
    await writeFile(join(copy, "install.sh"), await readFile(script), { mode: 0o755 });
    for (const name of ["package.json", "bun.lock", "bunfig.toml"]) {
      await writeFile(join(copy, name), await readFile(join(checkout, name)));
    }
    await mkdir(join(copy, "scripts"));
    await writeFile(join(copy, "scripts/build.ts"), "");
    const started = join(stage, "started");
    const fake = `#!/bin/sh\necho started >>'${started}'\necho 1.4.5\n`;
    for (const place of [join(copy, ".bun/bin/bun"), join(bin, "bun")]) await writeFile(place, fake, { mode: 0o755 });
    // An npm that brings a tampered package.
    const packaged = "$root/.bun/node_modules/@oven/bun-linux-x64/bin";
    const npm = `#!/bin/sh\nroot='${copy}'\nmkdir -p "${packaged}"\ncp '${join(bin, "bun")}' "${packaged}/bun"\n`;
    await writeFile(join(bin, "npm"), npm, { mode: 0o755 });
    for (const tool of ["sh", "cat", "grep", "cut", "sha256sum", "dirname", "mkdir", "rm", "cp", "ln", "id", "uname"]) {
      await symlink(Bun.which(tool) ?? "", join(bin, tool));
    }
    const { exitCode, stderr } = run([join(bin, "sh"), join(copy, "install.sh"), "build"], { PATH: bin });
    expect(stderr).toContain("npm fetched no Bun that is known by its SHA-256");
    expect(stderr).toContain(`${copy}/.bun/bin/bun is not the Bun 1.4.5 that is known by its SHA-256`);
    expect([exitCode, await readdir(stage)]).toEqual([1, expect.not.arrayContaining(["started"])]);
  });

  test("install.sh --help names every subcommand and option, and changes nothing", () => {
    const { exitCode, stdout } = run([script, "--help"]);
    expect(exitCode).toBe(0);
    for (const word of ["dev", "test", "build", "audit", "--prefix", "--data", "--no-service", "--uninstall"]) {
      expect(stdout).toContain(word);
    }
    // Both are left outside of the checkout, and are said to be.
    expect(stdout.replaceAll("\n", " ")).toContain(
      "npm and Bun also keep their caches of packages in your home directory",
    );
  });

  for (const [what, ...wrong] of [
    ["an unknown option", "--frobnicate"],
    ["an unknown subcommand", "instal"],
    ["an option without its value", "--data"],
    ["a data directory that is not a full path", "--data", "data"],
    ["a path that a unit file would misread", "--data", "/srv/50%"],
    ["a data directory that others need", "--data", "/var/lib/"],
    ["a data directory that the service cannot see", "--data", "/tmp/waxwing"],
    ["a path with parent directories in it", "--prefix", "/opt/../usr"],
  ] as const) {
    test(`install.sh refuses ${what} with exit code 2 and the next step, and changes nothing`, async () => {
      const stage = await makeStage("refused");
      const { exitCode, stdout, stderr } = install(stage, [...wrong]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain("next: ");
      expect(stdout).toBe("");
      expect(await readdir(stage)).toEqual([]);
    });
  }
});

describe("install.sh audit", () => {
  /** `advisories` is the registry's answer; null: the registry answers 405. */
  async function auditAt(advisories: object | null): Promise<Run & { asked: Record<string, string[]> }> {
    let asked: Record<string, string[]> = {};
    await using registry = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        asked = JSON.parse(Buffer.from(Bun.gunzipSync(await request.arrayBuffer())).toString());
        return advisories === null ? new Response("", { status: 405 }) : Response.json(advisories);
      },
    });
    const env = { ...process.env, BUN_CONFIG_REGISTRY: registry.url.href };
    const audit = Bun.spawn([script, "audit"], { env, stdout: "pipe", stderr: "pipe" });
    const [stdout, stderr] = await Promise.all([audit.stdout.text(), audit.stderr.text()]);
    return { exitCode: await audit.exited, stdout, stderr, asked };
  }
  const advisoryOf = (severity: string): object => ({
    elysia: [{ id: 1, url: "https://example.com/GHSA-1", title: "A hole", severity, vulnerable_versions: "<99" }],
  });

  test("the audit asks about the executable's dependencies only, in the versions of the lockfile", async () => {
    const { exitCode, stdout, asked } = await auditAt({});
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("No vulnerabilities")]);
    const { dependencies, devDependencies } = JSON.parse(
      await readFile(join(checkout, "package.json"), "utf8"),
    ) as Record<"dependencies" | "devDependencies", Record<string, string>>;
    for (const [name, version] of Object.entries(dependencies)) expect([name, asked[name]]).toEqual([name, [version]]);
    for (const name of Object.keys(devDependencies)) expect(Object.keys(asked)).not.toContain(name);
  });

  test("a critical vulnerability exits 1 with the package and the next step; a low one passes", async () => {
    const { exitCode, stdout, stderr } = await auditAt(advisoryOf("critical"));
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/elysia@[\d.]+\s[\s\S]*A hole/)]);
    expect(stderr).toContain("next: upgrade");
    expect(await auditAt(advisoryOf("low"))).toMatchObject({ exitCode: 0 });
  });

  test("the audit exits 3 if the registry cannot answer", async () => {
    const { exitCode, stdout, stderr } = await auditAt(null);
    expect([exitCode, stdout, stderr]).toEqual([3, "", expect.stringContaining("next: ")]);
  });
});

describe("installing the service", () => {
  test("the installer creates executable, configuration, data directory and unit with the right permissions", async () => {
    const stage = await makeStage("fresh");
    const { exitCode, stderr } = install(stage, ["--prefix", "/opt/wax wing", "--data", "/srv/wax wing/"]);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });

    expect(await modeOf(stage, "/opt/wax wing/bin/waxwing")).toBe("755");
    expect(await modeOf(stage, "/srv/wax wing")).toBe("700");
    expect(await modeOf(stage, "/etc/waxwing")).toBe("750");
    expect(await modeOf(stage, "/etc/waxwing/waxwing.toml")).toBe("640");
    expect(await modeOf(stage, "/etc/systemd/system/waxwing.service")).toBe("644");
    expect(Bun.TOML.parse(await read(stage, "/etc/waxwing/waxwing.toml"))).toEqual({
      server: {
        listen: "127.0.0.1:8080",
        public_url: "",
        metrics_token: expect.stringMatching(/^[0-9a-f]{48}$/),
      },
      storage: { data: "/srv/wax wing" },
    });

    // The plan is printed before anything changes.
    const announced = stderr.slice(0, stderr.indexOf("installed /opt"));
    for (const path of ["/opt/wax wing/bin/waxwing", "/etc/waxwing/waxwing.toml", "/srv/wax wing", "waxwing.service"]) {
      expect(announced).toContain(path);
    }
  });

  test("the unit has a temporary directory for the driver, a stop timeout, and no rule that breaks the JavaScript engine", async () => {
    const stage = await makeStage("unit");
    install(stage, ["--data", "/srv/wax wing"]);
    const lines = (await read(stage, "/etc/systemd/system/waxwing.service")).split("\n");
    expect(lines).toContain('Environment="TMPDIR=/srv/wax wing/tmp"');
    // Neither a full disk nor a /tmp that is mounted noexec may prevent a start.
    const ownTmp = ['Environment="BUN_TMPDIR=/tmp"', "TemporaryFileSystem=/tmp:mode=1777,size=32m"];
    expect(lines).toEqual(expect.arrayContaining(ownTmp));
    expect(lines).toContain('ReadWritePaths="/srv/wax wing"');
    expect(lines).toContain("TimeoutStopSec=30");
    // Without netlink the server cannot ask for this machine's addresses.
    expect(lines).toContain("RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK");
    expect(lines).toEqual(expect.arrayContaining(["NoNewPrivileges=yes", "TasksMax=512", "LimitCORE=0"]));
    expect(lines).toContain("ProtectHome=yes");
    expect(lines.filter((line) => line.startsWith("MemoryDenyWriteExecute="))).toEqual([]);
  });

  test.skipIf(Bun.which("systemd-analyze") === null)("systemd accepts the unit without a complaint", async () => {
    const stage = await makeStage("verify");
    install(stage, ["--data", "/srv/wax wing"]);
    // systemd checks that the executable exists, and it does not exist on this machine.
    const unit = (await read(stage, "/etc/systemd/system/waxwing.service")).replaceAll(
      "/usr/local/bin/waxwing",
      "/bin/sh",
    );
    const copy = join(stage, "waxwing.service");
    await writeFile(copy, unit);
    const { exitCode, stdout, stderr } = run(["systemd-analyze", "verify", "--man=no", copy]);
    const complaints = `${stdout}${stderr}`.split("\n").filter((line) => line.includes("waxwing.service"));
    expect({ exitCode, complaints }).toEqual({ exitCode: 0, complaints: [] });
  });

  test("the service can reach a data directory under /home", async () => {
    const stage = await makeStage("home");
    install(stage, ["--data", "/home/shop/waxwing"]);
    expect(await read(stage, "/etc/systemd/system/waxwing.service")).toContain("\nProtectHome=read-only\n");
  });

  test("a second run replaces the executable by rename, and keeps configuration, prefix and data directory", async () => {
    const stage = await makeStage("again");
    install(stage, ["--prefix", "/opt/wax wing", "--data", "/srv/wax wing"], "0.1.0");
    const executable = "/opt/wax wing/bin/waxwing";
    const before = await stat(join(stage, executable));
    const edited = `# edited\n${await read(stage, "/etc/waxwing/waxwing.toml")}`;
    await writeFile(join(stage, "/etc/waxwing/waxwing.toml"), edited);
    await writeFile(join(stage, "/srv/wax wing/waxwing.db"), "precious");

    const { exitCode } = install(stage, [], "0.2.0");
    expect(exitCode).toBe(0);
    const after = await stat(join(stage, executable));
    // A different file under the same name: a process that runs the former executable keeps it.
    expect(after.ino).not.toBe(before.ino);
    expect(run([join(stage, executable), "version"]).stdout).toContain("0.2.0");
    expect((await readdir(join(stage, "/opt/wax wing/bin"))).sort()).toEqual(["waxwing", "waxwing.previous"]);
    expect(await read(stage, "/etc/waxwing/waxwing.toml")).toBe(edited);
    expect(await read(stage, "/srv/wax wing/waxwing.db")).toBe("precious");
    expect(await read(stage, "/etc/systemd/system/waxwing.service")).toContain('ReadWritePaths="/srv/wax wing"');
  });

  test("an upgrade keeps the previous executable, which can be put back", async () => {
    const stage = await makeStage("previous");
    const executable = join(stage, "/usr/local/bin/waxwing");
    const versions = () => [executable, `${executable}.previous`].map((path) => run([path, "version"]).stdout.trim());
    install(stage, [], "0.1.0");
    expect(await readdir(join(stage, "/usr/local/bin"))).toEqual(["waxwing"]);
    expect(install(stage, [], "0.2.0").stderr).toContain("waxwing.previous");
    expect(versions()).toEqual(["waxwing 0.2.0", "waxwing 0.1.0"]);
    // Installing the same version again keeps the previous one.
    install(stage, [], "0.2.0");
    expect(versions()).toEqual(["waxwing 0.2.0", "waxwing 0.1.0"]);
    const back = run([script], { DESTDIR: stage, WAXWING_EXECUTABLE: `${executable}.previous` });
    expect([back.exitCode, versions()]).toEqual([0, ["waxwing 0.1.0", "waxwing 0.2.0"]]);
    install(stage, ["--uninstall"]);
    expect(await readdir(join(stage, "/usr/local/bin"))).toEqual([]);
  });

  test("the installer runs the new executable's schema check on the database before it replaces anything", async () => {
    const stage = await makeStage("asked");
    install(stage, ["--data", "/srv/wax wing"], "0.1.0");
    const asked = join(stage, "asked");
    await makeStandIn(
      "older",
      `if [ "$1" = version ]; then echo "waxwing 0.0.9"; exit; fi
printf '%s\\n' "$@" >'${asked}'
echo 'waxwing: the database has schema 9' >&2
exit 1`,
    );
    // Without a database there is nothing to check.
    expect(install(stage, [], "older").exitCode).toBe(0);
    install(stage, [], "0.1.0");
    await writeFile(join(stage, "/srv/wax wing/waxwing.db"), "precious");
    const unit = await read(stage, "/etc/systemd/system/waxwing.service");
    const bin = await readdir(join(stage, "/usr/local/bin"));

    const { exitCode, stderr } = install(stage, [], "older");
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("the database has schema 9")]);
    expect(stderr).toMatch(/nothing has been replaced[\s\S]*next: .*restore/);
    expect((await readFile(asked, "utf8")).split("\n")).toEqual([
      "check",
      "--schema",
      "--config",
      join(stage, "/etc/waxwing/waxwing.toml"),
      join(stage, "/srv/wax wing/waxwing.db"),
      "",
    ]);
    expect(run([join(stage, "/usr/local/bin/waxwing"), "version"]).stdout).toContain("0.1.0");
    expect(await readdir(join(stage, "/usr/local/bin"))).toEqual(bin);
    expect(await read(stage, "/etc/systemd/system/waxwing.service")).toBe(unit);
  });

  test("the installer refuses a data directory that differs from the configured one", async () => {
    const stage = await makeStage("parted");
    install(stage, ["--data", "/srv/one"]);
    const { exitCode, stderr } = install(stage, ["--data", "/srv/two"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("/srv/one");
    expect(stderr).toContain("next: ");
  });

  test("an executable that does not run on this machine replaces nothing", async () => {
    const stage = await makeStage("broken");
    install(stage, [], "0.1.0");
    const { exitCode, stderr } = install(stage, [], "broken");
    expect(exitCode).toBe(1);
    expect(stderr).toContain("does not run on this machine");
    expect(run([join(stage, "/usr/local/bin/waxwing"), "version"]).stdout).toContain("0.1.0");
  });

  test("--no-service installs everything except the unit", async () => {
    const stage = await makeStage("no service");
    expect(install(stage, ["--no-service"]).exitCode).toBe(0);
    expect(await modeOf(stage, "/usr/local/bin/waxwing")).toBe("755");
    expect(await readdir(join(stage, "etc"))).toEqual(["waxwing"]);
  });

  test("--uninstall removes executable and unit, keeps data and configuration, and says where they are", async () => {
    const stage = await makeStage("uninstall");
    install(stage, ["--prefix", "/opt/wax wing", "--data", "/srv/wax wing"]);
    await writeFile(join(stage, "/srv/wax wing/waxwing.db"), "precious");

    const { exitCode, stderr } = install(stage, ["--uninstall"]);
    expect(exitCode).toBe(0);
    expect(await readdir(join(stage, "/opt/wax wing/bin"))).toEqual([]);
    expect(await readdir(join(stage, "/etc/systemd/system"))).toEqual([]);
    expect(await read(stage, "/srv/wax wing/waxwing.db")).toBe("precious");
    expect(await read(stage, "/etc/waxwing/waxwing.toml")).toContain("/srv/wax wing");
    expect(stderr).toContain("/srv/wax wing");
    expect(stderr).toContain("/etc/waxwing/waxwing.toml");

    expect(stderr).toContain("sudo rm -rf '/srv/wax wing' /etc/waxwing && sudo userdel waxwing");

    const second = install(stage, ["--uninstall", "--prefix", "/opt/wax wing"]);
    expect(second.exitCode).toBe(0);
    expect(second.stderr).toContain("nothing to remove");
  });
});

test("--uninstall names everything that stays, wherever the configuration has put it", async () => {
  const stage = await makeStage("uninstall-elsewhere");
  install(stage, []);
  const settings = [
    '[storage]\ndata = "/var/lib/waxwing"\npath = "/srv/db/waxwing.db"',
    '[secrets]\nkey_file = "/etc/keys/waxwing.key"',
    '[media]\ndirectory = "/srv/wax media"',
    '[backup]\ndirectory = "/srv/backups"',
  ];
  await writeFile(join(stage, "/etc/waxwing/waxwing.toml"), `${settings.join("\n")}\n`);
  await mkdir(join(stage, "/etc/systemd/system/waxwing.service.d"), { recursive: true });
  const { exitCode, stderr } = install(stage, ["--uninstall"]);
  expect(exitCode).toBe(0);
  const elsewhere = ["/srv/db/waxwing.db", "/etc/keys/waxwing.key", "/srv/wax media", "/srv/backups"];
  const kept = [...elsewhere, "/var/lib/waxwing", "/etc/waxwing", "/etc/systemd/system/waxwing.service.d"];
  const last = stderr.split("\n").find((line) => line.includes("sudo rm -rf")) ?? "";
  for (const path of kept) {
    expect(stderr.split("\n").filter((line) => line.includes(path) && line !== last)).not.toEqual([]);
    expect(last).toContain(path);
  }
  expect(last).toContain("'/srv/wax media'");
});

test("the installer's last words are commands that exist, with options that exist", async () => {
  const text = await readFile(script, "utf8");
  const functions = text.slice(0, text.indexOf("# --- Which of them"));
  const config = `config='${join(checkout, "config.example.toml")}'`;
  const call = `destination='' is_upgrade=no with_service=yes release='' ${config} executable=/usr/local/bin/waxwing data=/var/lib/waxwing; say_next`;
  const { stderr } = run(["sh", "-c", `${functions}\n${call}`]);
  const commands = (await Promise.all(groups.map((group) => group.load()))).flat();
  const shown = [...stderr.matchAll(/^ +sudo \/usr\/local\/bin\/waxwing (.*)$/gm)].map(([, line]) => line ?? "");
  expect(shown.length).toBeGreaterThan(4);
  for (const line of shown) {
    const found = commands.find((command) => `${line} `.startsWith(`${nameOf(command)} `));
    expect([line, found === undefined]).toEqual([line, false]);
    const known = Object.keys(found?.options ?? {}).map(flagOf);
    for (const [flag] of line.matchAll(/--[a-z-]+/g)) expect(known).toContain(flag);
    for (const [name, option] of Object.entries(found?.options ?? {})) {
      if ("required" in option && option.required) expect(line).toContain(flagOf(name));
    }
  }
  expect(stderr).toContain("sudo cat /var/lib/waxwing/setup-link");
  expect(stderr).toMatch(/number add .* --network simulator/);
  expect(stderr).toContain("docs/whatsapp.md");
});

describe("the last words where a database is there already", () => {
  /** Runs the script's last part alone, after its look at the database: a real install would change this machine. */
  async function lastWords(name: string, withService: string): Promise<string> {
    const stage = await makeStage(name);
    const text = await readFile(script, "utf8");
    const functions = text.slice(0, text.indexOf("# --- Which of them"));
    const executable = join(stage, "waxwing");
    await writeFile(join(stage, "waxwing.db"), "");
    await writeFile(`${executable}.previous`, "");
    const call = `destination='' is_upgrade=no way_back=${withService} with_service=${withService} release='' config='${join(stage, "waxwing.toml")}' executable='${executable}' data='${stage}' built='${join(workshop, "waxwing 0.2.0")}' version='waxwing 0.2.0\ncommit 12345'; require_known_schema; say_next`;
    await writeFile(join(stage, "waxwing.toml"), `[storage]\ndata = "${stage}"\n`);
    return run(["sh", "-c", `${functions}\n${call}`]).stderr;
  }

  test.each(["yes", "no"])(
    "are those of an upgrade, not of a first install (with a service: %s)",
    async (withService) => {
      const said = await lastWords(`words ${withService}`, withService);
      expect(said).toMatch(/^waxwing: done: .*waxwing 0\.2\.0.*$/m);
      expect(said).not.toContain("commit");
      expect(said).toContain("/waxwing' status");
      // Only waxwing upgrade itself, which a running service is upgraded by, keeps a way back.
      expect(said.includes("/waxwing' upgrade back")).toBe(withService === "yes");
      expect(said.includes("/waxwing.previous")).toBe(withService === "no");
      for (const wrong of ["first operator", "setup", "workspace create", "key create", "number add"]) {
        expect(said).not.toContain(wrong);
      }
      expect(said.includes("the service runs")).toBe(withService === "yes");
      expect(said.includes("restart it")).toBe(withService === "no");
    },
  );

  test("name only commands that exist", async () => {
    const commands = (await Promise.all(groups.map((group) => group.load()))).flat().map(nameOf);
    const named = [...(await lastWords("words", "yes")).matchAll(/sudo '[^']*' ([a-z ]+)$/gm)].map(
      ([, words]) => words,
    );
    expect(named.toSorted()).toEqual(["status", "upgrade back"]);
    for (const one of named) expect(commands).toContain(String(one));
  });
});

test("drop-ins that the documents show do not stop the service where a directory is missing", async () => {
  const page = await readFile(join(import.meta.dir, "../docs/operations.md"), "utf8");
  const paths = [...page.matchAll(/^(?:ReadWritePaths|ReadOnlyPaths|BindPaths|EnvironmentFile)=(.*)$/gm)];
  expect(paths.length).toBeGreaterThan(0);
  for (const [, path] of paths) expect(path).toStartWith("-");
});

const noService =
  process.platform !== "linux" || process.getuid?.() !== 0
    ? "needs root on Linux"
    : run(["su", "-s", "/bin/sh", "daemon", "-c", "true"]).exitCode !== 0
      ? "needs su and the user daemon"
      : null;

describe.skipIf(noService !== null)(
  `the data directory, as root${noService === null ? "" : ` (skipped: ${noService})`}`,
  () => {
    /** Runs the script's functions without its main part: a real install would change this machine. */
    async function makeData(data: string): Promise<Run> {
      const text = await readFile(script, "utf8");
      const functions = text.slice(0, text.indexOf("# --- Which of them"));
      const call = `account=daemon destination='' data='${data}'; make_data`;
      return run(["sh", "-c", `${functions}\n${call}`]);
    }
    const stateOf = async (path: string): Promise<string> => {
      const { uid, gid, mode } = await lstat(path);
      return `${uid}:${gid} ${(mode & 0o7777).toString(8)}`;
    };
    let place: string;
    let daemon: string;
    beforeEach(async () => {
      await chmod(workshop, 0o755);
      place = await mkdtemp(join(workshop, "as root "));
      await chmod(place, 0o755);
      daemon = run(["id", "-u", "daemon"]).stdout.trim();
    });

    test("the data directory belongs to the service alone, and a second run restores owner and mode", async () => {
      const data = join(place, "one/data");
      expect(await makeData(data)).toMatchObject({ exitCode: 0, stderr: "" });
      expect([await stateOf(join(place, "one")), await stateOf(data)]).toEqual(["0:0 755", `${daemon}:${daemon} 700`]);
      await chmod(data, 0o755);
      expect(await makeData(data)).toMatchObject({ exitCode: 0, stderr: "" });
      expect(await stateOf(data)).toBe(`${daemon}:${daemon} 700`);
      // The case of a directory that root has created.
      await chown(data, 0, 0);
      expect(await makeData(data)).toMatchObject({ exitCode: 0, stderr: "" });
      expect(await stateOf(data)).toBe(`${daemon}:${daemon} 700`);
    });

    test("a link or another directory that the service put in place of its data directory is not given to the service", async () => {
      const theirs = join(place, "theirs");
      const roots = join(place, "roots");
      for (const directory of [theirs, roots]) await mkdir(directory);
      await chown(theirs, Number(daemon), Number(daemon));
      await symlink(roots, join(theirs, "data"));
      expect(await makeData(join(theirs, "data"))).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining("next: "),
      });
      expect(await stateOf(roots)).toBe("0:0 755");
      // The service creates for itself what it has the right to create.
      expect(await makeData(join(theirs, "own"))).toMatchObject({ exitCode: 0 });
      expect(await stateOf(join(theirs, "own"))).toBe(`${daemon}:${daemon} 700`);
      // The case of a link made by root: only root decides about the directory behind it.
      await symlink(roots, join(place, "link"));
      expect(await makeData(join(place, "link"))).toMatchObject({ exitCode: 1 });
      expect(await stateOf(roots)).toBe("0:0 755");
    });
  },
);

/** Runs with a minimal environment: the script may need neither a home directory nor a terminal. */
function run(command: string[], env: Record<string, string> = {}): Run {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, {
    cwd: workshop,
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", ...env },
    stdin: "ignore",
  });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** Runs install.sh on a staging directory with a stand-in executable of the given version. */
function install(stage: string, options: string[], version = "0.1.0"): Run {
  return run([script, ...options], { DESTDIR: stage, WAXWING_EXECUTABLE: join(workshop, `waxwing ${version}`) });
}

async function makeStage(name: string): Promise<string> {
  for (const version of ["0.1.0", "0.2.0"]) await makeStandIn(version, `echo "waxwing ${version}"`);
  await makeStandIn("broken", "echo 'Exec format error' >&2; exit 126");
  return mkdtemp(join(workshop, `${name} `));
}

async function makeStandIn(version: string, body: string): Promise<void> {
  const path = join(workshop, `waxwing ${version}`);
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o700);
}

async function modeOf(stage: string, path: string): Promise<string> {
  return ((await stat(join(stage, path))).mode & 0o777).toString(8);
}

function read(stage: string, path: string): Promise<string> {
  return readFile(join(stage, path), "utf8");
}
