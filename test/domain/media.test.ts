/** The rules of media, each over all its inputs: states, retries, room, ranges, types, links. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ringOf } from "#src/core/key-ring.ts";
import { hasRoom, mediaStates, retryDelay, sourcesOf } from "#src/domain/media/media.ts";
import { readByteRange } from "#src/http/serve-media.ts";
import { contentDisposition, readContentType } from "#src/media/content-type.ts";
import { MediaLinks } from "#src/media/links.ts";
import { samples } from "#src/networks/simulator/samples.ts";

const HOUR = 60 * 60_000;

test("a medium moves forward only: from pending, or from stored, or to erased", () => {
  const moves = Object.fromEntries(mediaStates.map((state) => [state, sourcesOf(state)]));
  expect(moves).toEqual({
    pending: [],
    stored: ["pending"],
    failed: ["pending"],
    expired: ["stored"],
    erased: ["pending", "stored", "failed", "expired"],
  });
});

test("retries wait longer each time, at most an hour, and at least as long as the network asks", () => {
  const inputs = [fc.nat(1_000), fc.option(fc.nat(10 * HOUR)), fc.double({ min: 0, max: 1, noNaN: true })] as const;
  fc.assert(
    fc.property(...inputs, (attempt, hintMs, fraction) => {
      const delay = retryDelay(attempt, hintMs, fraction);
      expect(delay).toBeGreaterThanOrEqual(Math.min(hintMs ?? 0, HOUR));
      expect(delay).toBeLessThanOrEqual(Math.max(1.1 * HOUR, Math.min(hintMs ?? 0, HOUR)));
      expect(retryDelay(attempt + 1, hintMs, fraction)).toBeGreaterThanOrEqual(delay);
    }),
  );
});

test("the quota holds whatever arrives, and no workspace beyond its share takes the last fifth", () => {
  const arrivals = fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 40 })), { maxLength: 60 });
  fc.assert(
    fc.property(arrivals, (files) => {
      const used = [0, 0, 0, 0];
      const total = () => used.reduce((sum, one) => sum + one, 0);
      for (const [workspace, bytes] of files) {
        const own = used[workspace] ?? 0;
        if (!hasRoom(bytes, 100, { total: total(), workspace: own, workspaceCount: 4 })) continue;
        used[workspace] = own + bytes;
        expect(total()).toBeLessThanOrEqual(100);
        if (own + bytes > 25) expect(total()).toBeLessThanOrEqual(80);
      }
    }),
  );
  expect(hasRoom(100, 100, { total: 0, workspace: 0, workspaceCount: 1 })).toBe(true);
});

test("a range is within the file, or whole, or refused, whatever the header says", () => {
  const number = fc.oneof(fc.constant(""), fc.nat(30).map(String), fc.string({ maxLength: 4 }));
  fc.assert(
    fc.property(number, number, fc.nat(20), (from, to, size) => {
      const range = readByteRange(`bytes=${from}-${to}`, size);
      if (typeof range === "string") return;
      expect(range.first).toBeLessThanOrEqual(range.last);
      expect(range.last).toBeLessThan(size);
    }),
  );
  expect([readByteRange(null, 5), readByteRange("bytes=-", 5), readByteRange("bytes=0-", 0)]).toEqual([
    "whole",
    "whole",
    "unsatisfiable",
  ]);
});

describe("the type of a file", () => {
  test.each([
    ["image", "image/jpeg"],
    ["sticker", "image/webp"],
    ["audio", "audio/ogg"],
    ["video", "video/mp4"],
    ["document", "application/pdf"],
  ])("of the sample %s is %s", (type, expected) => {
    expect(readContentType(Buffer.from(samples[type] ?? "", "base64"), null)).toBe(expected);
  });

  test.each([
    [
      "a Word document",
      "PK\x03\x04rest",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      null,
    ],
    ["a ZIP that claims to be a page", "PK\x03\x04rest", "text/html", "application/zip"],
    ["a page", "<!doctype html><script>", "text/html", "text/plain"],
    ["an SVG that claims to be a PNG", "<svg xmlns='http://www.w3.org/2000/svg'>", "image/png", "text/plain"],
    ["a table", "a,b\n1,2", "text/csv; charset=utf-8", "text/csv"],
    ["a voice message of an iPhone", "\0\0\0\x18ftypM4A ", "audio/mp4", "audio/mp4"],
    ["bytes that no one knows", "\0\x01\x02\x03", "image/png", "application/octet-stream"],
    ["nothing", "", "image/png", "application/octet-stream"],
  ])("of %s is read from its bytes", (_, bytes, claimed, expected) => {
    expect(readContentType(Buffer.from(bytes, "latin1"), claimed)).toBe(expected ?? claimed);
  });

  test("is never one that a browser runs, and the file's name never leaves its header", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 80 }),
        fc.string(),
        fc.string({ unit: "binary" }),
        (head, claimed, name) => {
          const type = readContentType(head, claimed);
          expect(type).not.toMatch(/html|xml|svg|javascript/);
          const header = contentDisposition(type, name, 1);
          expect(header).toMatch(/^(inline|attachment); filename="[^"\r\n]*"; filename\*=UTF-8''[\w.~%!&#$+^`|-]*$/);
          if (!/^(image|audio|video)\//.test(type)) expect(header).toStartWith("attachment");
        },
      ),
    );
  });
});

test("a link is right for its file, its end and its key alone", () => {
  const key = new Uint8Array(32).fill(1);
  const links = new MediaLinks(ringOf([key]), "https://wa.example.com");
  const { url, expiresAt } = links.sign(58, 1_000_999);
  const { query } = { query: new URL(url).searchParams };
  expect([new URL(url).pathname, expiresAt]).toEqual(["/media/58", 1_000_000]);
  expect([links.verify(58, query, 999_999), links.verify(58, query, 1_000_000)]).toEqual(["valid", "expired"]);
  expect(links.verify(59, query, 0)).toBe("wrong");
  for (const [name, value] of [...query]) {
    for (let at = 0; at < value.length; at++) {
      const changed = new URLSearchParams(query);
      changed.set(name, `${value.slice(0, at)}${value[at] === "0" ? "1" : "0"}${value.slice(at + 1)}`);
      expect(links.verify(58, changed, 0)).toBe("wrong");
    }
  }
  const other = new MediaLinks(ringOf([new Uint8Array(32).fill(2)]), "");
  expect(other.verify(58, query, 0)).toBe("wrong");
  const rotated = new MediaLinks(ringOf([new Uint8Array(32).fill(2), key]), "");
  expect(rotated.verify(58, query, 0)).toBe("valid");
});
