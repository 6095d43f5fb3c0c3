// What a test with the fixture of the npm package looks like. Save it as `shop.test.mjs`: `npx vitest run`.
import { expect } from "vitest";
import { test } from "waxwing/vitest";

test("an order's message leaves once", async ({ waxwing }) => {
  const message = { to: "+442079460210", template: "order_shipped", variables: ["Asha", "A-1042"] };
  expect((await waxwing.api("POST", "/messages", message)).status).toBe(201);
  const sent = await waxwing.control("GET", "/sent?count=1&wait=5s");
  expect(sent.map(({ to }) => to)).toEqual([message.to]);
});

test("nothing is left of another test", async ({ waxwing }) => {
  expect(await waxwing.control("GET", "/sent")).toEqual([]);
});
