/** The soak's verdict: growth is seen, noise and a warm-up are none. */
import { expect, test } from "bun:test";
import { flatness } from "./flatness.ts";

const samples = (make: (place: number) => number): number[] => Array.from({ length: 60 }, (_, place) => make(place));
const allowed = { share: 0.1, amount: 5 };

test("what stays the same is flat, also with noise and after a warm-up", () => {
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

test("what grows all the time is not, and what falls is", () => {
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

test("little of a small number is no growth", () => {
  expect(
    flatness(
      samples((place) => place / 20),
      allowed,
    ).isFlat,
  ).toBe(true);
});
