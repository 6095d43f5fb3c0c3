/** Reading a command line: what is understood, and that every slip is named with what would be right. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readArguments } from "#src/cli/arguments.ts";
import { command } from "#src/cli/command.ts";
import { asksForJson, readGlobals } from "#src/cli/global-options.ts";
import { choice, flag, number, optionalPositional, positional, required, text, type Value } from "#src/cli/option.ts";
import { UsageError } from "#src/cli/usage-error.ts";

const declared = {
  id: positional(number("ID", "The wall")),
  amount: optionalPositional(text("AMOUNT", "How much")),
  colour: required(choice(["RED", "BLUE"], "Which")),
  coatCount: number("N", "How often"),
  note: text("TEXT", "A word"),
  wet: flag("On wet plaster"),
};
const paint = command("wall paint", "Paint a wall", declared, () => Promise.resolve(null));

function read(...argv: string[]) {
  return readArguments(paint, readGlobals(argv).rest);
}

function problem(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error("nothing was refused");
}

const NOTHING = { amount: undefined, wet: false };

describe("what is understood", () => {
  test.each<[string[], Record<string, Value>]>([
    [["7", "--colour", "RED"], { id: 7, colour: "RED", ...NOTHING }],
    [["--colour=blue", "7"], { id: 7, colour: "BLUE", ...NOTHING }],
    [["7", "-5.00", "--colour", "RED"], { id: 7, amount: "-5.00", colour: "RED", wet: false }],
    [
      ["7", "--colour", "RED", "--coat-count", "2", "--wet"],
      { id: 7, colour: "RED", coatCount: 2, amount: undefined, wet: true },
    ],
    [["7", "--colour", "RED", "--note", "-"], { id: 7, colour: "RED", note: "-", ...NOTHING }],
    [["7", "--colour", "RED", "--note="], { id: 7, colour: "RED", note: "", ...NOTHING }],
    [["7", "--colour", "RED", "--note=--wet=x"], { id: 7, colour: "RED", note: "--wet=x", ...NOTHING }],
    [["--colour", "RED", "--", "7", "--wet"], { id: 7, amount: "--wet", colour: "RED", wet: false }],
    [["--colour", "RED", "7", "--", "--"], { id: 7, amount: "--", colour: "RED", wet: false }],
    [["7", "", "--colour", "RED"], { id: 7, amount: "", colour: "RED", wet: false }],
    [["7", "--colour", "RED", "--note", ".5"], { id: 7, colour: "RED", note: ".5", ...NOTHING }],
    [["7", "--colour", "RED", "--note", "-.5"], { id: 7, colour: "RED", note: "-.5", ...NOTHING }],
    // A global option may stand between an option and its value.
    [["7", "--colour", "--json", "RED"], { id: 7, colour: "RED", ...NOTHING }],
  ])("%j", (argv, values) => {
    expect(read(...argv)).toEqual(values);
  });

  test("global options stand before, between and after the rest", () => {
    const orders = [
      ["--data", "d", "--json", "wall", "paint", "7"],
      ["wall", "--data=d", "paint", "--json", "7"],
      ["wall", "paint", "7", "--json", "--data", "d"],
    ];
    for (const argv of orders) {
      const { globals, rest } = readGlobals(argv);
      expect(globals).toEqual({ config: undefined, data: "d", json: true, help: false });
      expect(rest.map(({ text }) => text)).toEqual(["wall", "paint", "7"]);
    }
  });

  test("behind -- nothing is an option", () => {
    expect(readGlobals(["a", "--", "--json"]).globals.json).toBe(false);
    expect(asksForJson(["a", "--", "--json"])).toBe(false);
    expect(asksForJson(["a", "--nonsense", "--json"])).toBe(true);
  });
});

describe("what is refused, in words", () => {
  test.each<[string[], string]>([
    [["7", "--color", "RED"], "--color is not an option of wall paint; did you mean --colour?"],
    [["7", "--zzz", "--colour", "RED"], "--zzz is not an option of wall paint; there are --colour, --coat-count"],
    [["7", "-x", "--colour", "RED"], "-x is not an option of wall paint"],
    [["7"], "--colour RED|BLUE is missing: which"],
    [["--colour", "RED"], "ID is missing: the wall"],
    [["7", "--colour"], "--colour needs a value: --colour RED|BLUE"],
    [["7", "--colour", "--wet"], "--colour needs a value: --colour RED|BLUE"],
    [["7", "--colour", "GREEN"], '--colour is "GREEN", and must be one of RED, BLUE'],
    [["7", "--colour", "RED", "--colour", "BLUE"], "--colour is given twice"],
    [["7", "--colour", "RED", "--wet=yes"], "--wet takes no value"],
    [["7", "--colour", "RED", "--coat-count", "0"], '--coat-count is "0", and must be a whole number of at least 1'],
    [["7", "--colour", "RED", "--coat-count", "1e3"], '--coat-count is "1e3", and must be a whole number'],
    [["x", "--colour", "RED"], 'ID is "x", and must be a whole number of at least 1'],
    [["-7", "--colour", "RED"], 'ID is "-7", and must be a whole number of at least 1'],
    [["7", "1", "2", "--colour", "RED"], '"2" is one value too many: wall paint takes 2 only'],
  ])("%j", (argv, words) => {
    expect(problem(() => read(...argv))).toStartWith(words);
  });

  // All of it: nothing is reported twice, or as a consequence of something else.
  test.each<[string[], string]>([
    [["7", "--colour", "RED", "--note", "--", "x"], "--note needs a value: --note TEXT"],
    [["7", "--colour", "RED", "--wet", "--wet"], "--wet is given twice"],
    [["7", "--colour", "RED", "--wet=1", "--wet"], "--wet takes no value\n--wet is given twice"],
    [
      ["7", "--colour", "GREEN", "--colour"],
      '--colour is "GREEN", and must be one of RED, BLUE\n--colour needs a value: --colour RED|BLUE\n--colour is given twice',
    ],
    [["7", "--colr", "RED", "--colour", "RED"], "--colr is not an option of wall paint; did you mean --colour?"],
    [
      ["7", "--colr=RED", "9", "8", "--colour", "RED"],
      '--colr is not an option of wall paint; did you mean --colour?\n"8" is one value too many: wall paint takes 2 only',
    ],
    [["--coat-count", "1"], "ID is missing: the wall\n--colour RED|BLUE is missing: which"],
  ])("%j is reported as %j", (argv, words) => {
    expect(problem(() => read(...argv))).toBe(words);
  });

  test("what a command without values is given", () => {
    const sweep = command("sweep", "Sweep", {}, () => Promise.resolve(null));
    expect(problem(() => readArguments(sweep, readGlobals(["floor"]).rest))).toBe(
      '"floor" is one value too many: sweep takes none',
    );
  });

  test("every mistake at once, one a line", () => {
    const lines = problem(() => read("x", "--colr", "RED", "--coat-count", "many")).split("\n");
    expect(lines).toHaveLength(4);
  });

  test.each<[string[], string]>([
    [["--data"], "--data needs a value: --data DIR"],
    [["--data", "--json"], "--data needs a value: --data DIR"],
    [["--data="], "--data needs a value: --data DIR"],
    [["--data", "a", "--data", "b"], "--data is given twice"],
    [["--data", "--", "x"], "--data needs a value: --data DIR"],
    [["--data", ""], "--data needs a value: --data DIR"],
    [["--config", "a", "--config="], "--config is given twice"],
    [["--json=true"], "--json takes no value"],
  ])("%j", (argv, words) => {
    expect(problem(() => readGlobals(argv))).toBe(words);
  });
});

test("whatever the line, it is understood or a usage error", () => {
  const word = fc.oneof(
    fc.constantFrom(
      "--colour",
      "--colour=RED",
      "RED",
      "--wet",
      "--",
      "-",
      "--coat-count",
      "7",
      "-7",
      "--json",
      "--note",
    ),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (argv) => {
      try {
        const given = read(...argv);
        expect(Number.isSafeInteger(given.id)).toBe(true);
        expect(["RED", "BLUE"]).toContain(String(given.colour));
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        expect(error.message).not.toBe("");
      }
    }),
    { numRuns: 500 },
  );
});

test("a value comes back as it was given, whatever it holds", () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      expect(read("7", "--colour", "RED", `--note=${value}`).note).toBe(value);
    }),
  );
});
