/** Answers of a network as bytes: any answer in any pieces reads as the same one, and no bytes make the reader guess. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AnswerReader, type Reading } from "#src/net/answer-reader.ts";

const LIMITS = { isHead: false, headMax: 1_024, bodyMax: 2_048 };

/** Reads the pieces until the answer is complete or unreadable; then the host ends the connection. */
function read(pieces: readonly Buffer[], options: typeof LIMITS & { isCut?: boolean } = LIMITS): Reading {
  const reader = new AnswerReader(options);
  for (const piece of pieces) {
    const reading = reader.read(piece);
    if (reading.kind !== "more") return reading;
  }
  return reader.end();
}

function readText(text: string, options = LIMITS): Reading {
  return read([Buffer.from(text, "latin1")], options);
}

/** What is compared: the connection's use and the parts of a complete answer, or that it was unreadable. */
function summary(reading: Reading): unknown {
  if (reading.kind !== "complete") return reading.kind;
  const { status, body, isReusable, headers } = reading;
  return { status, body: body.toString("latin1"), isReusable, date: headers.get("Date") };
}

function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const length of lengths) {
    pieces.push(bytes.subarray(from, from + length));
    from += length;
  }
  return [...pieces, bytes.subarray(from)];
}

const body = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("latin1"));
const cuts = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 30 });
const interim = fc.array(fc.constantFrom("HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Hints\r\nlink: x\r\n\r\n"), {
  maxLength: 2,
});
const status = fc.constantFrom(200, 201, 204, 304, 400, 429, 500);
const framing = fc.constantFrom("length", "chunked", "until_end");
const noise = fc.array(fc.constantFrom("x-a: 1", "Set-Cookie: a=b", "no colon here", "bad name: x", "x-b:\t y \t"), {
  maxLength: 4,
});

function chunksOf(text: string, sizes: readonly number[]): string {
  let rest = text;
  let out = "";
  for (const size of sizes) {
    const piece = rest.slice(0, size + 1);
    rest = rest.slice(piece.length);
    if (piece !== "") out += `${piece.length.toString(16).toUpperCase()};ext=1\r\n${piece}\r\n`;
  }
  if (rest !== "") out += `${rest.length.toString(16)}\r\n${rest}\r\n`;
  return `${out}0\r\nx-trailer: 1\r\n\r\n`;
}

test("an answer reads the same in any pieces, with the body that the host sent", () => {
  fc.assert(
    fc.property(interim, status, framing, body, noise, cuts, cuts, (before, code, form, text, more, sizes, lengths) => {
      const head = [`HTTP/1.1 ${code} Any words`, "Date: Sun, 22 Nov 2026 10:00:00 GMT", ...more];
      if (form === "length") head.push(`Content-Length: ${text.length}`);
      if (form === "chunked") head.push("Transfer-Encoding: chunked");
      const hasBody = code !== 204 && code !== 304;
      const sent = form === "chunked" ? chunksOf(text, sizes) : text;
      const bytes = Buffer.from(`${before.join("")}${head.join("\r\n")}\r\n\r\n${hasBody ? sent : ""}`, "latin1");
      expect(summary(read(cut(bytes, lengths)))).toEqual({
        status: code,
        body: hasBody ? text : "",
        isReusable: !hasBody || form !== "until_end",
        date: "Sun, 22 Nov 2026 10:00:00 GMT",
      });
    }),
    { numRuns: 2_000 },
  );
});

test("a reader that may cut keeps the beginning of a longer body, in any pieces, and gives up its connection", () => {
  const max = fc.integer({ min: 0, max: 300 });
  fc.assert(
    fc.property(framing, body, max, cuts, cuts, (form, text, bodyMax, sizes, lengths) => {
      const line = {
        length: `Content-Length: ${text.length}`,
        chunked: "Transfer-Encoding: chunked",
        until_end: "X: y",
      };
      const sent = form === "chunked" ? chunksOf(text, sizes) : text;
      const bytes = Buffer.from(`HTTP/1.1 200 OK\r\n${line[form]}\r\n\r\n${sent}`, "latin1");
      const reading = read(cut(bytes, lengths), { ...LIMITS, bodyMax, isCut: true });
      expect(summary(reading)).toEqual({
        status: 200,
        body: text.slice(0, bodyMax),
        isReusable: form !== "until_end" && text.length <= bodyMax,
        date: null,
      });
    }),
    { numRuns: 1_000 },
  );
});

test("an answer that is cut anywhere before its end is not complete", () => {
  for (const whole of [
    "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunksOf("hello world", [3, 2])}`,
  ]) {
    for (let length = 0; length < whole.length; length += 1) {
      expect(readText(whole.slice(0, length)).kind).toBe("unreadable");
    }
    expect(readText(whole).kind).toBe("complete");
  }
});

test("mutated bytes are complete or unreadable, never an error, and whatever is kept is within the limits", () => {
  const whole = Buffer.from(
    `HTTP/1.1 200 OK\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n${chunksOf("hello world", [3, 2])}`,
  );
  const change = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255), isInsert: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), cuts, (changes, lengths) => {
      let bytes = Buffer.from(whole);
      for (const { at, byte, isInsert } of changes) {
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(isInsert ? at : at + 1)]);
      }
      const reading = read(cut(bytes, lengths));
      // Bytes after the end of an answer may still be on their way, so the use of the connection may differ.
      const bodyOf = (one: Reading) => (one.kind === "complete" ? one.body.toString("latin1") : one.kind);
      expect(bodyOf(reading)).toBe(bodyOf(read([bytes])));
      if (reading.kind === "complete") expect(reading.body.length).toBeLessThanOrEqual(LIMITS.bodyMax);
    }),
    { numRuns: 3_000 },
  );
});

describe("the end of an answer is certain, or the answer is unreadable", () => {
  test.each([
    ["two lengths", "content-length: 2\r\ncontent-length: 3"],
    ["two lengths in a list", "content-length: 2, 3"],
    ["a negative length", "content-length: -2"],
    ["a length with a sign", "content-length: +2"],
    ["a length in another base", "content-length: 0x2"],
    ["an empty length", "content-length:"],
    ["a length beyond every number", `content-length: ${"9".repeat(40)}`],
    ["a length and chunks", "content-length: 2\r\ntransfer-encoding: chunked"],
    ["another coding", "transfer-encoding: gzip, chunked"],
    ["chunks twice", "transfer-encoding: chunked\r\ntransfer-encoding: chunked"],
  ])("with %s", (_name, lines) => {
    expect(readText(`HTTP/1.1 200 OK\r\n${lines}\r\n\r\nok`).kind).toBe("unreadable");
  });

  test.each([
    "G\r\nok",
    "-1\r\nok",
    "2 2\r\nok\r\n0\r\n\r\n",
    "2\r\nokok\r\n0\r\n\r\n",
    "FFFFFFFFFFFFFFFF\r\nok",
    "\r\n",
  ])("with the chunk %j", (chunks) => {
    expect(readText(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`).kind).toBe("unreadable");
  });

  test.each(["", "HTTP/2 200 OK", "HTTP/1.1 2000 OK", "HTTP/1.1  200 OK", "HTTP/1.1 600 x", "http/1.1 200 OK", "\0"])(
    "with the first line %j",
    (line) => {
      expect(readText(`${line}\r\ncontent-length: 2\r\n\r\nok`).kind).toBe("unreadable");
    },
  );

  test("the same length twice is one length", () => {
    expect(readText("HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\n\r\nok")).toMatchObject({
      kind: "complete",
      status: 200,
    });
  });
});

describe("a connection is used again", () => {
  const answer = (first: string, line: string, end = ""): string =>
    `HTTP/${first} 200 OK\r\n${line}\r\ncontent-length: 2\r\n\r\nok${end}`;
  test.each([
    ["in 1.1", answer("1.1", "x-a: 1"), true],
    ["not if the host closes it", answer("1.1", "Connection: Close"), false],
    ["not if the host closes it, in a list", answer("1.1", "connection: x, close"), false],
    ["not in 1.0", answer("1.0", "x-a: 1"), false],
    ["in 1.0 if the host keeps it", answer("1.0", "connection: keep-alive"), true],
    ["not if bytes follow that no request asked for", answer("1.1", "x-a: 1", "HTTP/1.1 200"), false],
  ])("%s", (_name, text, isReusable) => {
    expect(readText(text)).toMatchObject({ kind: "complete", isReusable });
  });
});

describe("limits", () => {
  test("of the head, whether its bytes come at once or one by one", () => {
    const fitting = `HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx-pad: ${"y".repeat(LIMITS.headMax - 45)}\r\n\r\n`;
    for (const [text, kind] of [
      [fitting, "complete"],
      [fitting.replace("y\r\n", `${"y".repeat(20)}\r\n`), "unreadable"],
    ] as const) {
      const bytes = Buffer.from(text);
      expect(read([bytes]).kind).toBe(kind);
      expect(read(cut(bytes, Array(bytes.length).fill(1))).kind).toBe(kind);
    }
  });

  test.each([
    ["a length", `content-length: ${LIMITS.bodyMax + 1}\r\n\r\n`],
    ["chunks", `transfer-encoding: chunked\r\n\r\n${chunksOf("x".repeat(LIMITS.bodyMax + 1), [100])}`],
    ["no end", `x-a: 1\r\n\r\n${"x".repeat(LIMITS.bodyMax + 1)}`],
    ["trailers without an end", `transfer-encoding: chunked\r\n\r\n0\r\n${"x-t: 1\r\n".repeat(1_000)}`],
    ["a chunk's extension without an end", `transfer-encoding: chunked\r\n\r\n1;${"e".repeat(10_000)}`],
  ])("of a body with %s", (_name, text) => {
    expect(readText(`HTTP/1.1 200 OK\r\n${text}`).kind).toBe("unreadable");
  });

  test("the time grows with the bytes, also when they come one by one", () => {
    const millisecondsFor = (count: number): number => {
      const pieces = Array.from({ length: count }, () => Buffer.from("x"));
      // Processor time, because the machine may be busy with other work.
      const before = process.cpuUsage();
      const reader = new AnswerReader({ isHead: false, headMax: 4 * count, bodyMax: 4 * count });
      for (const piece of pieces) reader.read(piece);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    millisecondsFor(10_000);
    const best = (count: number): number => Math.min(...Array.from({ length: 7 }, () => millisecondsFor(count)));
    // 16 where the time grows with the bytes, 256 where it grows with their square; the machine may slow either run.
    expect(best(160_000) / best(10_000)).toBeLessThan(64);
  });
});

test("an answer to HEAD has no body, whatever its headers say", () => {
  expect(readText("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n", { ...LIMITS, isHead: true })).toMatchObject({
    kind: "complete",
    isReusable: true,
  });
});

test("a header that cannot be read is skipped; repeated ones are a list, and names have no case", () => {
  const reading = readText(
    "HTTP/1.1 200 OK\r\nRetry-After: 5\r\nbad name: 1\r\nx-a: one\r\nX-A: two\r\nx-nul: a\0b\r\ncontent-length: 0\r\n\r\n",
  );
  if (reading.kind !== "complete") throw new Error(reading.kind);
  const { headers } = reading;
  expect(["retry-after", "x-a", "bad name", "x-nul"].map((name) => headers.get(name))).toEqual([
    "5",
    "one, two",
    null,
    null,
  ]);
});
