/** A release is used only as its publisher signed it, from wherever it is read. */
import { afterAll, describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { compareVersions } from "#src/upgrade/compare-versions.ts";
import { openRelease, ReleaseRefused, readPublicKey } from "#src/upgrade/signed-release.ts";
import { writeRelease } from "#test/support/upgrades.ts";
import { tar } from "../../scripts/release/tar.ts";

const PLATFORM = `${process.platform}-${process.arch}`;
const workshop = mkdtempSync(join(tmpdir(), "waxwing-release-"));
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const folder = join(workshop, "release");
writeFileSync(join(workshop, "program"), "x".repeat(3_000));
writeRelease(folder, { version: "1.2.3", schema: 1, executable: join(workshop, "program"), key: privateKey });
const names = ["SHA256SUMS", "SHA256SUMS.sig", "release.json", `waxwing-${PLATFORM}`];
let count = 0;

afterAll(() => rmSync(workshop, { recursive: true, force: true }));

/** The text of the executable that was taken. */
async function take(from: string, key = publicKey): Promise<string> {
  const path = join(workshop, `taken-${count++}`);
  const release = await openRelease(from, key, PLATFORM);
  await release.saveExecutable(path);
  return `${release.version} ${readFileSync(path, "utf8").length}`;
}

async function archive(isZipped: boolean): Promise<string> {
  const path = join(workshop, isZipped ? "release.tar.gz" : "release.tar");
  const entries = names.map((name) => ({
    path: `waxwing-1.2.3/${name}`,
    mode: 0o644,
    bytes: readFileSync(join(folder, name)),
  }));
  const bytes = await tar([{ path: "waxwing-1.2.3/", mode: 0o755 }, ...entries], 0);
  writeFileSync(path, isZipped ? Bun.gzipSync(Buffer.from(bytes)) : bytes);
  return path;
}

describe("a release", () => {
  test("is the same from a folder, an archive and an address", async () => {
    using server = Bun.serve({
      port: 0,
      fetch: ({ url }) => new Response(Bun.file(join(workshop, new URL(url).pathname))),
    });
    const address = String(server.url).replace(/\/$/, "");
    const places = [
      folder,
      await archive(false),
      await archive(true),
      `${address}/release`,
      `${address}/release.tar.gz`,
    ];
    for (const from of places) expect({ from, taken: await take(from) }).toEqual({ from, taken: "1.2.3 3000" });
  });

  test("is refused when any byte of it was changed, and nothing is written", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (name, at, change) => {
          const copy = join(workshop, `tampered-${count++}`);
          cpSync(folder, copy, { recursive: true });
          const bytes = readFileSync(join(copy, name));
          const place = at % bytes.length;
          bytes[place] = (bytes[place] ?? 0) ^ change;
          writeFileSync(join(copy, name), bytes);
          const path = join(workshop, `refused-${count++}`);
          const attempt = openRelease(copy, publicKey, PLATFORM).then((release) => release.saveExecutable(path));
          expect(await attempt.catch((error) => error)).toBeInstanceOf(ReleaseRefused);
          expect(existsSync(path)).toBe(false);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("is refused when another key signed it, or it has nothing for this platform", async () => {
    const other = generateKeyPairSync("ed25519").publicKey;
    expect(await take(folder, other).catch((error) => error)).toBeInstanceOf(ReleaseRefused);
    const elsewhere = await openRelease(folder, publicKey, "plan9-mips").catch((error) => error);
    expect(elsewhere).toBeInstanceOf(ReleaseRefused);
    expect(String(elsewhere)).toContain(PLATFORM);
  });

  test("that lacks a file, or is no release, is called unreadable with its place", async () => {
    const empty = join(workshop, "empty");
    mkdirSync(empty);
    for (const from of [empty, join(workshop, "nowhere"), join(workshop, "program")]) {
      expect(String(await take(from).catch((error) => error))).toMatch(/ReleaseUnreadable: .*(no file|no release)/);
    }
  });
});

test("a public key is read in PEM and as bytes, and every other kind is refused", () => {
  const pem = String(publicKey.export({ type: "spki", format: "pem" }));
  const raw = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url").toString("base64");
  expect(readPublicKey(raw).equals(readPublicKey(pem))).toBe(true);
  const rsa = String(
    generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ type: "spki", format: "pem" }),
  );
  for (const text of [rsa, "", "AAAA"]) expect(() => readPublicKey(text)).toThrow("Ed25519");
});

test("versions are in a total order, in which a candidate comes before its release", () => {
  const order = ["0.1.0", "0.1.9", "0.1.10", "0.2.0-rc.1", "0.2.0-rc.2", "0.2.0-rc.10", "0.2.0", "1.0.0", "10.0.0"];
  for (const [at, one] of order.entries()) {
    for (const [other, version] of order.entries()) {
      expect(Math.sign(compareVersions(one, version))).toBe(Math.sign(at - other));
    }
  }
});
