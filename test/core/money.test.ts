import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { formatMoney, readMoney } from "#src/core/money.ts";

const LARGEST = Number.MAX_SAFE_INTEGER;

describe("reading an amount", () => {
  test("decimal strings become whole millionths", () => {
    const rows: [string, number][] = [
      ["0", 0],
      ["0.00", 0],
      ["1", 1_000_000],
      ["120.50", 120_500_000],
      ["0.0085", 8_500],
      ["0.000001", 1],
      ["0.1", 100_000],
      ["1234567.891234", 1_234_567_891_234],
      ["9007199254.740991", LARGEST],
    ];
    for (const [text, micros] of rows) expect([text, readMoney(text)]).toEqual([text, micros]);
  });

  test("amounts that floating point cannot represent are read exactly", () => {
    expect(readMoney("8.41")).toBe(8_410_000);
    expect(readMoney("1.005")).toBe(1_005_000);
    expect(readMoney("4503599627.370497")).toBe(4_503_599_627_370_497);
  });

  test("a sign is read only where debts are allowed, and minus zero is zero", () => {
    expect(readMoney("-0.01")).toBeNull();
    expect(readMoney("-0.01", { allowNegative: true })).toBe(-10_000);
    expect(readMoney("5", { allowNegative: true })).toBe(5_000_000);
    expect(Object.is(readMoney("-0.00", { allowNegative: true }), 0)).toBe(true);
    expect(readMoney("-9007199254.740991", { allowNegative: true })).toBe(-LARGEST);
  });

  test("exponents, seven decimals, bare points, separators, other digits and amounts that are too large are refused", () => {
    const refused = [
      "",
      " ",
      ".",
      ".5",
      "5.",
      "1e3",
      "1E-3",
      "+1",
      "--1",
      "-",
      "01",
      "00.5",
      "0.0000001",
      "1.0000000",
      "1,000.00",
      "1,5",
      "1 000",
      " 1",
      "1 ",
      "1\n",
      "0x10",
      "1_000",
      "NaN",
      "Infinity",
      "$1",
      "1 USD",
      "١٢",
      "9007199254.740992",
      "9007199254.740993",
      "9007199255",
      "99999999999999999999",
      "1".repeat(100_000),
    ];
    expect(refused.filter((text) => readMoney(text, { allowNegative: true }) !== null)).toEqual([]);
  });

  test("no text makes reading throw, and every result is a safe integer", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^-?[0-9]{0,20}\.?[0-9]{0,8}$/)), (text) => {
        const micros = readMoney(text, { allowNegative: true });
        if (micros !== null) expect(Number.isSafeInteger(micros)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("printing an amount", () => {
  test("amounts are printed with two to six decimals, never with an exponent", () => {
    const rows: [number, string][] = [
      [0, "0.00"],
      [-0, "0.00"],
      [1, "0.000001"],
      [10, "0.00001"],
      [8_500, "0.0085"],
      [10_000, "0.01"],
      [100_000, "0.10"],
      [120_500_000, "120.50"],
      [1_000_000, "1.00"],
      [-10_000, "-0.01"],
      [-1, "-0.000001"],
      [1_000_100_000, "1000.10"],
      [LARGEST, "9007199254.740991"],
      [-LARGEST, "-9007199254.740991"],
    ];
    for (const [micros, text] of rows) expect([micros, formatMoney(micros)]).toEqual([micros, text]);
  });

  test("an amount that is not a safe integer is a bug, and throws", () => {
    for (const micros of [0.5, Number.NaN, Number.POSITIVE_INFINITY, LARGEST + 1]) {
      expect(() => formatMoney(micros)).toThrow(RangeError);
    }
  });

  test("every amount is read again as itself, and printed with two to six decimals", () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (micros) => {
        const text = formatMoney(micros);
        expect(text).toMatch(/^-?(0|[1-9][0-9]*)\.[0-9]{2,6}$/);
        expect(readMoney(text, { allowNegative: true })).toBe(micros);
      }),
      { numRuns: 5_000 },
    );
  });

  test("every decimal string is printed as itself, except for trailing zeros", () => {
    const decimal = fc.stringMatching(/^(0|[1-9][0-9]{0,8})\.[0-9]{0,5}[1-9]$/).filter((text) => /\...+/.test(text));
    fc.assert(
      fc.property(decimal, (text) => {
        expect(formatMoney(readMoney(text) ?? Number.NaN)).toBe(text);
      }),
    );
  });
});
