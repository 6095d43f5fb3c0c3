/** Archives in any pieces, names in any order, mistyped recipients: the rules behind backups off-site. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { decrypt, encrypt, newRecoveryKey } from "#src/backup/remote/encryption.ts";
import { archiveName, isOwnArchive, readArchiveName, surplusArchives } from "#src/backup/remote/names.ts";
import { ArchiveBroken, readTar, type TarEntry, tarBytes, writeTar } from "#src/backup/remote/tar.ts";
import { isBech32 } from "#src/core/bech32.ts";

const entries = fc.array(
  fc.record({ name: fc.stringMatching(/^[a-z./]{1,40}$/), content: fc.uint8Array({ maxLength: 1_500 }) }),
  { maxLength: 5 },
);

function entryOf({ name, content }: { name: string; content: Uint8Array }): TarEntry {
  return { name, bytes: content.length, content };
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function unpack(pieces: AsyncIterable<Uint8Array>): Promise<{ name: string; content: string }[]> {
  const found: { name: string; content: string }[] = [];
  await readTar(pieces, (name, bytes) => {
    const got: Uint8Array[] = [];
    return {
      write: (piece) => got.push(Uint8Array.from(piece)),
      end: () => {
        const content = Buffer.concat(got);
        expect(content.length).toBe(bytes);
        found.push({ name, content: content.toString("hex") });
      },
    };
  });
  return found;
}

test("an archive is read as it was written, in any pieces; tar reads it too; a cut one is refused", async () => {
  await fc.assert(
    fc.asyncProperty(
      entries,
      fc.array(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 4 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      async (all, sizes, cut) => {
        const bytes = await bytesOf(writeTar(all.map(entryOf)));
        expect(bytes.length).toBe(tarBytes(all.map(entryOf)));
        const expected = all.map(({ name, content }) => ({ name, content: Buffer.from(content).toString("hex") }));
        expect(await unpack(inPieces(bytes, sizes))).toEqual(expected);
        const shorter = bytes.subarray(0, Math.floor(cut * bytes.length));
        await expect(unpack(inPieces(shorter, sizes))).rejects.toBeInstanceOf(ArchiveBroken);
      },
    ),
    { numRuns: 60 },
  );
  const bytes = await bytesOf(writeTar([entryOf({ name: "a/b.txt", content: Buffer.from("hello") })]));
  const tar = Bun.spawnSync(["tar", "-xOf", "-", "a/b.txt"], { stdin: bytes });
  expect(tar.stdout.toString()).toBe("hello");
});

test("changed bytes of an archive are an error of its own kind, or change no name and no length", async () => {
  await fc.assert(
    fc.asyncProperty(entries, fc.nat(), fc.integer({ min: 1, max: 255 }), async (all, place, by) => {
      const bytes = await bytesOf(writeTar(all.map(entryOf)));
      const at = place % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ by;
      try {
        const found = await unpack(inPieces(bytes, [777]));
        const shape = (one: { name: string; content: { length: number } }[], factor: number) =>
          one.map(({ name, content }) => [name, content.length / factor]);
        expect(shape(found, 2)).toEqual(shape(all, 1));
      } catch (error) {
        if (!(error instanceof ArchiveBroken)) throw error;
      }
    }),
    { numRuns: 150 },
  );
});

test("an encrypted archive with any bit changed or any tail cut is refused", async () => {
  const { recoveryKey, recipient } = await newRecoveryKey();
  const plain = Buffer.alloc(150_000, "backup");
  const sealed = await bytesOf(await encrypt(recipient, inPieces(plain, [70_000, 1])));
  const open = async (bytes: Uint8Array) => bytesOf(await decrypt([recoveryKey], inPieces(bytes, [50_000])));
  expect((await open(sealed)).equals(plain)).toBe(true);
  const refused = async (bytes: Uint8Array) =>
    expect(
      await open(bytes).then(
        () => "opened",
        (error: Error) => error.name,
      ),
    ).toMatch(/^(ArchiveBroken|WrongRecoveryKey)$/);
  await fc.assert(
    fc.asyncProperty(fc.nat(sealed.length - 1), fc.nat(7), async (at, bit) => {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ (1 << bit);
      await refused(changed);
      await refused(sealed.subarray(0, at));
    }),
    { numRuns: 40 },
  );
});

test("the surplus is the oldest, never the newest sent, and leaves what is to be kept", () => {
  const time = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2030, 0, 1) });
  fc.assert(
    fc.property(fc.uniqueArray(time, { minLength: 1, maxLength: 40 }), fc.nat(45), fc.nat(), (times, keep, pick) => {
      const names = [...new Set(times.map((at) => archiveName("x", at, "me")))];
      const newest = names[pick % names.length] ?? "";
      const surplus = surplusArchives(names, newest, keep);
      const left = names.filter((name) => !surplus.includes(name));
      expect(left).toContain(newest);
      expect(left.length).toBe(keep === 0 ? names.length : Math.min(names.length, keep));
      const others = left.filter((name) => name !== newest);
      for (const gone of surplus) for (const stays of others) expect(gone < stays).toBe(true);
    }),
  );
  fc.assert(
    fc.property(time, fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (at, one, other) => {
      const name = archiveName("x", at, one);
      expect(readArchiveName(name)?.takenAt).toBe(Math.floor(at / 1000) * 1000);
      expect(isOwnArchive(name, { instanceId: other, lineage: [] })).toBe(one === other);
      expect(isOwnArchive(name, { instanceId: `${one}2`, lineage: [{ id: one, at }] })).toBe(true);
      expect(isOwnArchive(name, { instanceId: `${one}2`, lineage: [{ id: one, at: at - 1_000 }] })).toBe(false);
    }),
  );
});

test("a recipient with a mistyped letter, or two that changed places, is found", async () => {
  const { recipient } = await newRecoveryKey();
  expect([isBech32(recipient, "age"), isBech32(recipient.toUpperCase(), "age"), isBech32(recipient, "other")]).toEqual([
    true,
    true,
    false,
  ]);
  const letters = fc.constantFrom(..."qpzry9x8gf2tvdw0s3jn54khce6mua7lbio1AX ");
  fc.assert(
    fc.property(fc.integer({ min: 0, max: recipient.length - 1 }), letters, (at, letter) => {
      fc.pre(recipient[at] !== letter);
      expect(isBech32(recipient.slice(0, at) + letter + recipient.slice(at + 1), "age")).toBe(false);
    }),
  );
  for (let at = 4; at + 1 < recipient.length; at++) {
    const swapped = recipient.slice(0, at) + recipient[at + 1] + recipient[at] + recipient.slice(at + 2);
    if (swapped !== recipient) expect(isBech32(swapped, "age")).toBe(false);
  }
});
