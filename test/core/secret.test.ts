/**
 * Secrets at rest: a sealed secret opens only in its own row, and the key file is complete and private to its owner.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
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
import { dirname, join } from "node:path";
import fc from "fast-check";
import { loadKeys, SecretKeyUnusable } from "#src/core/key-file.ts";
import { type Random, systemRandom } from "#src/core/random.ts";
import {
  constantTimeEqual,
  createSecretBox,
  hashToken,
  hmacSha256Hex,
  newToken,
  SecretUnreadable,
} from "#src/core/secret.ts";

/** The current key. */
const loadSecretKey = (...given: Parameters<typeof loadKeys>): Uint8Array => loadKeys(...given).current().bytes;
const key = Uint8Array.from({ length: 32 }, (_, index) => index);
const box = createSecretBox(key, systemRandom);

describe("a sealed secret", () => {
  test("opens to the text that was sealed, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, context) => {
        expect(box.open(box.seal(text, context), context)).toBe(text);
      }),
    );
  });

  test("is different each time and shows nothing of the text", () => {
    const [first, second] = [box.seal("EAAG-token", "number:1"), box.seal("EAAG-token", "number:1")];
    expect(first).toMatch(/^v1\.[0-9a-f]{8}\.[A-Za-z0-9_-]+$/);
    expect(first).not.toBe(second);
    expect(Buffer.from(first.split(".")[2] ?? "", "base64url").toString("latin1")).not.toContain("EAAG");
  });

  test("does not open in another row, or with another key", () => {
    const sealed = box.seal("hush", "webhook_secret:12");
    expect(() => box.open(sealed, "webhook_secret:13")).toThrow(SecretUnreadable);
    expect(() =>
      createSecretBox(
        key.map((byte) => byte ^ 1),
        systemRandom,
      ).open(sealed, "webhook_secret:12"),
    ).toThrow(SecretUnreadable);
  });

  test("does not open after any change of a single character, and the error repeats nothing of it", () => {
    const sealed = box.seal("hush", "c");
    for (let index = 0; index < sealed.length; index++) {
      for (const other of ["A", "b", "_", "=", " ", "."]) {
        if (sealed[index] === other) continue;
        const damaged = sealed.slice(0, index) + other + sealed.slice(index + 1);
        expect(() => box.open(damaged, "c")).toThrow(SecretUnreadable);
      }
      expect(() => box.open(sealed.slice(0, index), "c")).toThrow(SecretUnreadable);
    }
    expect(() => box.open("hush hush", "c")).toThrow("the stored secret c cannot be read: it is in no known format");
  });

  test("any text that was never sealed is reported as unreadable", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(() => box.open(text, "c")).toThrow(SecretUnreadable);
        expect(() => box.open(`v1.${text}`, "c")).toThrow(SecretUnreadable);
      }),
    );
  });

  test("stays readable after the caller wipes its copy of the key", () => {
    const mine = Uint8Array.from(key);
    const sealed = createSecretBox(mine, systemRandom).seal("hush", "c");
    const before = createSecretBox(mine, systemRandom);
    mine.fill(0);
    expect(before.open(sealed, "c")).toBe("hush");
  });

  test("cannot be made with a key of another length", () => {
    expect(() => createSecretBox(new Uint8Array(16), systemRandom)).toThrow("a secret key has 32 bytes, not 16");
  });

  test("has the stored format: nonce, cipher text, tag", () => {
    // Sealed by the first release: a change that cannot open this loses every stored secret.
    const fixed: Random = { bytes: (count) => new Uint8Array(count).fill(7), fraction: () => 0 };
    expect(createSecretBox(key, fixed).seal("hush", "number:1")).toBe(
      "v1.ed310d76.BwcHBwcHBwcHBwcHxl7cMjlEkQtO9QgEaD520RBNCrc",
    );
    expect(box.open("v1.ed310d76.BwcHBwcHBwcHBwcHxl7cMjlEkQtO9QgEaD520RBNCrc", "number:1")).toBe("hush");
  });
});

describe("the secret key", () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "waxwing-key-"));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const fresh = (): string => join(mkdtempSync(join(root, "data-")), "waxwing.key");
  const from = (keyFile: string, env: Record<string, string> = {}) => ({ keyFile, env, random: systemRandom });

  test("is created once, readable by its owner only, and found again", () => {
    const keyFile = fresh();
    const made = loadSecretKey(from(keyFile), true);
    expect(made).toHaveLength(32);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(keyFile, "utf8")).toBe(`${Buffer.from(made).toString("base64")}\n`);
    expect(loadSecretKey(from(keyFile), true)).toEqual(made);
    expect(loadSecretKey(from(keyFile), false)).toEqual(made);
    expect(readdirSync(join(keyFile, ".."))).toEqual(["waxwing.key"]);
  });

  test.skipIf(process.getuid?.() !== 0)("created by root belongs to the owner of the directory", () => {
    const keyFile = fresh();
    chownSync(dirname(keyFile), 65_534, 65_534);
    loadSecretKey(from(keyFile), true);
    expect(statSync(keyFile)).toMatchObject({ uid: 65_534, gid: 65_534 });
  });

  test("is the same for processes that start at the same moment", async () => {
    const keyFile = fresh();
    const program = `
      import { loadKeys } from "${join(import.meta.dir, "../../src/core/key-file.ts")}";
      import { systemRandom } from "${join(import.meta.dir, "../../src/core/random.ts")}";
      console.log(Buffer.from(loadKeys({ keyFile: ${JSON.stringify(keyFile)}, env: {}, random: systemRandom }, true).current().bytes).toString("hex"));
    `;
    const started = Array.from({ length: 6 }, () => Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" }));
    const keys = await Promise.all(started.map((one) => new Response(one.stdout).text()));
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]?.trim()).toHaveLength(64);
  });

  test("is not created by a command that only reads", () => {
    const keyFile = fresh();
    expect(() => loadSecretKey(from(keyFile), false)).toThrow(`there is no key at ${keyFile}: put the key`);
    expect(existsSync(keyFile)).toBe(false);
  });

  test("is refused while others may read or change it, with the command that fixes this", () => {
    const keyFile = fresh();
    loadSecretKey(from(keyFile), true);
    for (const mode of [0o640, 0o604, 0o620, 0o602, 0o644]) {
      chmodSync(keyFile, mode);
      expect(() => loadSecretKey(from(keyFile), true)).toThrow(`(mode 0${mode.toString(8)}): run chmod 600 ${keyFile}`);
    }
    chmodSync(keyFile, 0o400);
    expect(loadSecretKey(from(keyFile), true)).toHaveLength(32);
  });

  test("is never replaced when the file does not hold a key", () => {
    for (const content of ["", "hush", Buffer.alloc(31).toString("base64"), `${"0".repeat(63)}g`]) {
      const keyFile = fresh();
      writeFileSync(keyFile, content, { mode: 0o600 });
      expect(() => loadSecretKey(from(keyFile), true)).toThrow(SecretKeyUnusable);
      expect(readFileSync(keyFile, "utf8")).toBe(content);
    }
    const folder = fresh();
    mkdirSync(folder, { mode: 0o700 });
    expect(() => loadSecretKey(from(folder), true)).toThrow(SecretKeyUnusable);
  });

  test("requires its directory, and the error says so", () => {
    const keyFile = join(root, "missing", "waxwing.key");
    expect(() => loadSecretKey(from(keyFile), true)).toThrow(
      `does ${join(root, "missing")} exist, and is it writable?`,
    );
  });

  test("may be given in the environment variable, in base64 of either alphabet or hexadecimal; then no file is touched", () => {
    const bytes = new Uint8Array(32).fill(251);
    const keyFile = fresh();
    for (const form of ["base64", "base64url", "hex"] as const) {
      const WAXWING_SECRETS_KEY = ` ${Buffer.from(bytes).toString(form)}\n`;
      expect(loadSecretKey(from(keyFile, { WAXWING_SECRETS_KEY }), true)).toEqual(bytes);
    }
    expect(existsSync(keyFile)).toBe(false);
  });

  test("is refused when the variable does not hold a key, without repeating it or falling back to the file", () => {
    const keyFile = fresh();
    for (const WAXWING_SECRETS_KEY of ["", "hush hush", Buffer.alloc(33).toString("base64")]) {
      const act = () => loadSecretKey(from(keyFile, { WAXWING_SECRETS_KEY }), true);
      expect(act).toThrow("WAXWING_SECRETS_KEY is not a key");
      expect(act).not.toThrow("hush");
    }
    expect(existsSync(keyFile)).toBe(false);
  });
});

describe("tokens", () => {
  test("have the prefix and at least the requested randomness", () => {
    expect(newToken(systemRandom, "wx_", 16)).toMatch(/^wx_[0-9A-Za-z]{22}$/);
    expect(newToken(systemRandom, "", 32)).toMatch(/^[0-9A-Za-z]{43}$/);
    for (let bytes = 1; bytes < 64; bytes++) {
      expect(62 ** newToken(systemRandom, "", bytes).length).toBeGreaterThanOrEqual(256 ** bytes);
    }
  });

  test("map equally many byte values to each character", () => {
    // Every byte value once: the 248 that are used yield each of the 62 characters exactly four times.
    let next = 0;
    const counting: Random = {
      bytes: (count) => Uint8Array.from({ length: count }, () => next++ % 256),
      fraction: () => 0,
    };
    const length = 248;
    const token = newToken(counting, "", Math.floor((length * Math.log2(62)) / 8));
    expect(token).toHaveLength(length);
    const counts = new Map<string, number>();
    for (const letter of token) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect(counts.size).toBe(62);
    expect(new Set(counts.values())).toEqual(new Set([4]));
  });
});

test("the hash and the HMAC match their test vectors", () => {
  expect(Buffer.from(hashToken("abc")).toString("hex")).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
  // RFC 4231, test case 2.
  const expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
  expect(hmacSha256Hex("Jefe", "what do ya want for nothing?")).toBe(expected);
  expect(hmacSha256Hex(Buffer.from("Jefe"), Buffer.from("what do ya want for nothing?"))).toBe(expected);
});

test("the comparison says equal for equal bytes, of texts and bytes alike, and for nothing else", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (a, b) => {
      expect(constantTimeEqual(a, b)).toBe(a === b);
      expect(constantTimeEqual(a, new TextEncoder().encode(a))).toBe(true);
    }),
  );
  expect(constantTimeEqual("abc", "abcd")).toBe(false);
});
