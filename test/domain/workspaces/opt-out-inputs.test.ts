import { expect, test } from "bun:test";
import { optOutInputs } from "#test/support/opt-out-inputs.ts";

test("the table of inputs has enough rows and languages, each row once and with its source", () => {
  const stops = optOutInputs.filter(({ meaning }) => meaning === "stop");
  const others = optOutInputs.filter(({ meaning }) => meaning !== "stop");
  expect([stops.length >= 400, others.length >= 400]).toEqual([true, true]);
  for (const rows of [stops, others])
    expect(new Set(rows.map(({ language }) => language)).size).toBeGreaterThanOrEqual(30);
  expect(optOutInputs.filter(({ source }) => source === "")).toEqual([]);
  const keys = optOutInputs.map(({ form, after, said }) => JSON.stringify([form, after, said]));
  expect(new Set(keys).size).toBe(keys.length);
  const heldOut = optOutInputs.filter(({ isHeldOut }) => isHeldOut).length / optOutInputs.length;
  expect(heldOut).toBeGreaterThan(0.3);
  expect(heldOut).toBeLessThan(0.37);
});
