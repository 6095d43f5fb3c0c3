/** The soak's verdict: growth is detected, noise and a warm-up are not taken for growth. */
import { expect, test } from "bun:test";
import { flatness } from "./flatness.ts";

const samples = (make: (place: number) => number): number[] => Array.from({ length: 60 }, (_, place) => make(place));
const allowed = { share: 0.1, amount: 5 };

test("a constant series is flat, even with noise and after a warm-up", () => {
  expect(
    flatness(
      samples(() => 100),
      allowed,
    ),
  ).toEqual({ mean: 100, rise: 0, isFlat: true });
  expect(
    flatness(
      samples((place) => 100 + (place % 2) * 30),
      allowed,
    ).isFlat,
  ).toBe(true);
  expect(
    flatness(
      samples((place) => (place < 10 ? place * 10 : 100)),
      allowed,
    ).isFlat,
  ).toBe(true);
});

test("a series that grows all the time is not flat, and one that falls is", () => {
  const grown = flatness(
    samples((place) => 100 + place),
    allowed,
  );
  expect(grown.isFlat).toBe(false);
  expect(grown.rise).toBeCloseTo(47);
  expect(
    flatness(
      samples((place) => 200 - place),
      allowed,
    ).isFlat,
  ).toBe(true);
});

test("a small growth of a small number is flat", () => {
  expect(
    flatness(
      samples((place) => place / 20),
      allowed,
    ).isFlat,
  ).toBe(true);
});
