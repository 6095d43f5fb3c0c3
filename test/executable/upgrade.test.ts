/**
 * The executable is replaced while customers send, and put back if it is not ready: the short form of
 * `bun run test:upgrade`, with copies of one executable, which differ by their inode alone. What is refused changes no
 * byte.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeExecutable } from "#test/support/executable.ts";
import { makeSite, type Site, until, writeRelease } from "#test/support/upgrades.ts";

const LIMIT_MS = 300_000;
const onlyLinux = process.platform === "linux" ? null : "needs Linux";
const because = onlyLinux === null ? "" : ` (skipped: ${onlyLinux})`;

const workshop = mkdtempSync(join(tmpdir(), "waxwing-upgrade-"));
const executable = join(workshop, "waxwing");
/** Answers as the executable does, and does not start. */
const broken = join(workshop, "broken");
const keyFile = join(workshop, "key.pem");
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
let version = "";

beforeAll(async () => {
  await placeExecutable(executable);
  writeFileSync(broken, `#!/bin/sh\nif [ "$1" = serve ]; then exit 1; fi\nexec '${executable}' "$@"\n`);
  chmodSync(broken, 0o755);
  writeFileSync(keyFile, publicKey.export({ type: "spki", format: "pem" }));
  ({ version } = JSON.parse(Bun.spawnSync([executable, "version", "--json"]).stdout.toString()));
}, LIMIT_MS);

afterAll(() => rmSync(workshop, { recursive: true, force: true }));

function placeInode(site: Site): number {
  return statSync(site.executable).ino;
}

test.skipIf(onlyLinux !== null)(
  `an upgrade, the way back, one that is put back and one that is killed: a server runs, and nothing is lost or sent twice${because}`,
  async () => {
    await using site = await makeSite({ executable, isSupervised: false });
    const traffic = site.startTraffic();
    const continues = async (): Promise<void> => {
      const before = traffic.count();
      await until("messages continue", () => traffic.count() > before + 5);
    };
    const first = placeInode(site);
    expect(await site.run("upgrade", "--built", executable).ended).toMatchObject({
      code: 0,
      answer: { from: version, to: version, changed: true, kept_database: null, ready: true },
    });
    const second = placeInode(site);
    expect(second).not.toBe(first);
    await continues();

    const undone = await site.run("upgrade", "--built", broken).ended;
    expect(undone).toMatchObject({ code: 1, answer: { error: { code: "undone" } } });
    expect(placeInode(site)).toBe(second);
    await continues();

    // Nothing restarts the server, so the old one has never ended.
    const refused = await site.run("upgrade", "--built", executable, "--restart-with", "false").ended;
    expect(refused).toMatchObject({ code: 1, answer: { error: { code: "undone" } } });
    expect(placeInode(site)).toBe(second);
    await continues();

    expect(await site.run("upgrade", "back").ended).toMatchObject({ code: 0, answer: { changed: true, ready: true } });
    expect(placeInode(site)).toBe(first);
    await continues();

    const killed = site.run("upgrade", "--built", executable);
    // On a fast machine it may have ended before.
    let isOver = false;
    void killed.ended.then(() => {
      isOver = true;
    });
    const isReached = (): boolean => readText(`${site.executable}.upgrade/phase`) === "go\n";
    await until("it is declared ready", () => isOver || isReached(), { everyMs: 1 });
    killed.kill();
    await killed.ended;
    await continues();
    // The next command notes that the killed one had succeeded.
    await site.run("upgrade", "--built", broken).ended;
    expect(placeInode(site)).not.toBe(first);
    await continues();

    const { sent, other } = await traffic.stop();
    const seen = Map.groupBy(await site.installation.requests(), ({ label }) => label);
    expect(other).toEqual([]);
    expect(sent.filter((label) => seen.get(label)?.length !== 1)).toEqual([]);
    expect([...seen.values()].filter((requests) => requests.length > 1)).toEqual([]);
    expect((await site.run("check").ended).code).toBe(0);
  },
  LIMIT_MS,
);

test.skipIf(onlyLinux !== null)(
  `a release that was tampered with, is signed by another key, is older or does not run is refused before anything changes${because}`,
  async () => {
    await using site = await makeSite({ executable, isSupervised: false });
    const release = (
      name: string,
      options: { version?: string; program?: string; key?: typeof privateKey },
    ): string => {
      const folder = join(workshop, name);
      const { program = executable, key = privateKey } = options;
      writeRelease(folder, { version: options.version ?? "9.9.9", schema: 1, executable: program, key });
      return folder;
    };
    const good = release("good", {});
    const tampered = join(workshop, "tampered");
    cpSync(good, tampered, { recursive: true });
    const file = join(tampered, `waxwing-${process.platform}-${process.arch}`);
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const other = release("other", { key: generateKeyPairSync("ed25519").privateKey });
    const older = release("older", { version: "0.0.1" });
    const same = release("same", { version, program: broken });
    const unusable = release("unusable", { program: keyFile });
    const before = describePlace(site);
    const from = (folder: string): string[] => ["--from", folder, "--public-key", keyFile];
    for (const [words, code] of [
      [from(tampered), "refused"],
      [from(other), "refused"],
      [from(older), "downgrade"],
      [from(same), "same_version"],
      // Its executable says another version than the release.
      [from(good), "refused"],
      [from(unusable), "unusable"],
      [["--built", keyFile], "unusable"],
      [["--built", join(workshop, "nowhere")], "unreadable_file"],
      [["--from", good], "no_key"],
      [["--from", good, "--public-key", executable], "invalid_key"],
      [[], "no_release"],
      [["--from", join(workshop, "nowhere"), "--public-key", keyFile], "unreadable"],
    ] as const) {
      const { answer } = await site.run("upgrade", ...words).ended;
      expect({ words, code: (answer.error as { code?: string } | undefined)?.code }).toEqual({ words, code });
      expect(describePlace(site)).toEqual(before);
    }
    expect((await site.run("upgrade", "back").ended).answer).toMatchObject({ error: { code: "no_way_back" } });
    expect((await site.run("upgrade", "--check", ...from(good)).ended).answer).toEqual({
      ...{ from: version, to: "9.9.9", newer: true, schema: 1, changes: [] },
    });
    expect(describePlace(site)).toEqual(before);
    expect(await site.version()).toBe(version);
  },
  LIMIT_MS,
);

/** Executable, journal and database: names, inodes and sizes; the small files of the journal by their content. */
function describePlace({ executable: path, installation }: Site): string[] {
  const bin = join(installation.directory, "bin");
  const names = readdirSync(bin).filter((name) => !name.endsWith(".upgrade"));
  const data = readdirSync(installation.data).filter((name) => /unfinished|before-schema|\.upgrade$/.test(name));
  return [
    ...names.map((name) => `${name} ${lstatSync(join(bin, name)).ino} ${lstatSync(join(bin, name)).size}`),
    readText(`${path}.upgrade/phase`),
    ...data,
  ];
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
