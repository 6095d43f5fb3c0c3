/** Encrypted archives, names in any order, mistyped recipients: the rules behind backups off-site. */
import { expect, test } from "bun:test";
import { bech32 } from "@scure/base";
import fc from "fast-check";
import { decrypt, encrypt, newRecoveryKey } from "#src/backup/remote/encryption.ts";
import { archiveName, isOwnArchive, readArchiveName, surplusArchives } from "#src/backup/remote/names.ts";
import { remoteKeys } from "#src/config/remote-keys.ts";
import { bytesOf, inPieces } from "#test/support/pieces.ts";

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
  const isTaken = (text: string): boolean => remoteKeys.recipient.kind.read(text) === text;
  const foreign = bech32.encode("other", bech32.decode(recipient as `${string}1${string}`).words);
  expect([recipient, recipient.toUpperCase(), foreign].map(isTaken)).toEqual([true, true, false]);
  const letters = fc.constantFrom(..."qpzry9x8gf2tvdw0s3jn54khce6mua7lbio1AX ");
  fc.assert(
    fc.property(fc.integer({ min: 0, max: recipient.length - 1 }), letters, (at, letter) => {
      fc.pre(recipient[at] !== letter);
      expect(isTaken(recipient.slice(0, at) + letter + recipient.slice(at + 1))).toBe(false);
    }),
  );
  for (let at = 4; at + 1 < recipient.length; at++) {
    const swapped = recipient.slice(0, at) + recipient[at + 1] + recipient[at] + recipient.slice(at + 2);
    if (swapped !== recipient) expect(isTaken(swapped)).toBe(false);
  }
});
