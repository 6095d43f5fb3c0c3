/** Prepared rows on their way through an import: as text, and in the buffer. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { E164 } from "#src/core/phone.ts";
import { packRows, unpackRows } from "#src/transfer/packed-rows.ts";
import type { PreparedRow, RowsPart } from "#src/transfer/prepare.ts";
import type { Omission } from "#src/transfer/reasons.ts";
import { RowBuffer } from "#src/transfer/row-buffer.ts";

const text = fc.string({ maxLength: 5 });
const texts = fc.array(text, { maxLength: 3 });
const number = fc.constantFrom("+919876543210", "+5511987654321") as fc.Arbitrary<E164>;

const omission = fc.record(
  { reason: fc.constantFrom<Omission>("bad_email", "bad_date"), says: text },
  { noNullPrototype: true },
);

const parsed = fc.record(
  {
    phone: fc.oneof(number, text),
    userId: fc.option(text),
    username: fc.option(text),
    changes: fc.record(
      {
        profile: fc.dictionary(fc.constantFrom("name", "city", "birthday"), text, { noNullPrototype: true }),
        fields: fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean()), { noNullPrototype: true }),
        addTags: texts,
        addToGroups: texts,
      },
      { requiredKeys: ["profile", "fields"], noNullPrototype: true },
    ),
    omitted: fc.array(omission, { maxLength: 2 }),
  },
  { requiredKeys: ["phone", "userId", "username", "changes"], noNullPrototype: true },
);
const person = fc.record(
  { phone: fc.option(number), identifiers: fc.array(fc.oneof(number, text), { maxLength: 2 }) },
  { noNullPrototype: true },
);
const readable = fc.record(
  { line: fc.nat(), row: parsed, person, isRepeated: fc.boolean() },
  { noNullPrototype: true },
);
const unreadable = fc
  .record({ line: fc.nat(), problems: fc.array(omission, { maxLength: 2 }) })
  .map(({ line, problems }) => ({
    line,
    row: { problems },
    person: { phone: null, identifiers: [] },
    isRepeated: false,
  }));
const preparedRows: fc.Arbitrary<PreparedRow[]> = fc.array(fc.oneof(readable, unreadable), { maxLength: 8 });

test("rows come back from their text as they were, whatever they have and lack", () => {
  fc.assert(
    fc.property(preparedRows, (rows) => {
      expect(unpackRows(packRows(rows))).toStrictEqual(rows);
    }),
    { numRuns: 1_000 },
  );
});

/** A part whose rows have the lines from `first` on, each with its line as its only cell. */
function partOf(first: number, count: number): RowsPart {
  const lines = Array.from({ length: count }, (_, place) => first + place);
  return {
    count,
    rows: () =>
      lines.map((line) => ({
        line,
        row: { problems: [] },
        person: { phone: null, identifiers: [] },
        isRepeated: false,
      })),
    cells: () => lines.map((line) => [String(line)]),
  };
}

test("the buffer gives every row once, in the order of the file and with its own cells", () => {
  const step = fc.oneof(
    fc.record({ add: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ take: fc.integer({ min: 1, max: 7 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const buffer = new RowBuffer();
      let [added, taken] = [0, 0];
      // The cells are read after the transaction, when the buffer has moved on.
      const cells: (() => readonly string[])[] = [];
      for (const one of steps) {
        if ("add" in one) {
          buffer.add(partOf(added, one.add));
          added += one.add;
          continue;
        }
        const got = buffer.take(one.take);
        expect(got === null).toBe(taken === added);
        expect(got?.rows.length ?? 1).toBeWithin(1, one.take + 1);
        for (const [place, { line }] of (got?.rows ?? []).entries()) {
          expect(line).toBe(taken);
          cells.push(() => got?.cells(place) ?? []);
          taken += 1;
        }
        expect(buffer.count).toBe(added - taken);
      }
      expect(cells.flatMap((cell) => cell())).toEqual(cells.map((_, line) => String(line)));
    }),
  );
});
