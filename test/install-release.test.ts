/** install.sh without a checkout: it installs a release only as its publisher signed it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout } from "./support/source.ts";
import { writeRelease } from "./support/upgrades.ts";

const missing = ["openssl", "tar", "curl"].find((name) => Bun.which(name) === null) ?? null;
const unfit = process.platform === "linux" ? missing : "Linux";
const because = unfit === null ? "" : ` (skipped: needs ${unfit})`;

const workshop = mkdtempSync(join(tmpdir(), "waxwing install release-"));
const script = join(workshop, "install.sh");
const keyFile = join(workshop, "key.pem");
const release = join(workshop, "release");
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const platform = `${process.platform}-${process.arch}`;
let stages = 0;

beforeAll(() => {
  cpSync(join(checkout, "install.sh"), script);
  writeFileSync(keyFile, publicKey.export({ type: "spki", format: "pem" }));
  writeFileSync(join(workshop, "program"), "#!/bin/sh\necho 'waxwing 1.2.3'\n");
  writeRelease(release, { version: "1.2.3", schema: 1, executable: join(workshop, "program"), key: privateKey });
});

afterAll(() => rmSync(workshop, { recursive: true, force: true }));

async function install(...options: string[]): Promise<{ code: number; said: string; files: string[] }> {
  const stage = join(workshop, `stage ${stages++}`);
  const child = Bun.spawn(["/bin/sh", script, ...options], {
    cwd: workshop,
    env: { PATH: process.env.PATH ?? "", DESTDIR: stage },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const said = (await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])).join("");
  let files: string[] = [];
  try {
    files = readdirSync(stage, { recursive: true, encoding: "utf8" });
  } catch {
    // Nothing was made.
  }
  return { code: await child.exited, said, files };
}

describe.skipIf(unfit !== null)(`install.sh without a checkout${because}`, () => {
  test("installs a verified release from a folder, an archive and an address, and leaves nothing else", async () => {
    const archive = join(workshop, "release.tar.gz");
    Bun.spawnSync(["tar", "-czf", archive, "-C", workshop, "release"]);
    using server = Bun.serve({
      port: 0,
      fetch: ({ url }) => new Response(Bun.file(join(workshop, new URL(url).pathname))),
    });
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith("tmp.")).length;
    for (const from of [release, archive, `${server.url}release`, `${server.url}release.tar.gz`]) {
      const { code, said, files } = await install("--release", from, "--public-key", keyFile);
      expect({ from, code, said }).toEqual({ from, code: 0, said: expect.stringContaining("waxwing 1.2.3") });
      expect(files.filter((name) => name.includes("bin/"))).toEqual(["usr/local/bin/waxwing"]);
    }
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("tmp.")).length).toBeLessThanOrEqual(before);
  }, 30_000);

  test("the key and the address in the script suffice", async () => {
    const raw = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url").toString("base64");
    const own = readFileSync(script, "utf8");
    try {
      const filled = own.replace(/^RELEASE_KEY=''$/m, `RELEASE_KEY='${raw}'`);
      writeFileSync(script, filled.replace(/^RELEASE_ADDRESS=''$/m, `RELEASE_ADDRESS='${release}'`));
      expect(await install()).toMatchObject({ code: 0 });
    } finally {
      writeFileSync(script, own);
    }
  });

  test("refuses a release that was changed, is signed by another key or lacks a file, and changes nothing", async () => {
    const other = join(workshop, "other.pem");
    writeFileSync(other, generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }));
    const changed = (name: string): string => {
      const copy = join(workshop, `changed ${name}`);
      cpSync(release, copy, { recursive: true });
      writeFileSync(join(copy, name), `${readFileSync(join(copy, name), "latin1")}x`);
      return copy;
    };
    const lacking = join(workshop, "lacking");
    cpSync(release, lacking, { recursive: true });
    rmSync(join(lacking, "release.json"));
    for (const [from, key] of [
      ...["SHA256SUMS", "SHA256SUMS.sig", "release.json", `waxwing-${platform}`].map((name) => [
        changed(name),
        keyFile,
      ]),
      [release, other],
      [lacking, keyFile],
      [join(workshop, "nowhere"), keyFile],
    ] as const) {
      const { code, said, files } = await install("--release", from ?? "", "--public-key", key ?? "");
      expect({ from, code, said, files }).toEqual({
        from,
        code: 1,
        said: expect.stringContaining("next: "),
        files: [],
      });
    }
    expect(await install("--release", release)).toMatchObject({
      code: 1,
      said: expect.stringContaining("--public-key"),
    });
    expect(await install()).toMatchObject({ code: 1, said: expect.stringContaining("--release") });
  }, 30_000);
});
