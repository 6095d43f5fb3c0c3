// A first test in a container: `npm install testcontainers`, then `node with_testcontainers.mjs`.
import assert from "node:assert/strict";
import { startWaxwing } from "./testcontainers.mjs";

const waxwing = await startWaxwing();
const to = "+442079460210";
const message = { to, template: "order_shipped", variables: ["Asha", "A-1042"] };
assert.equal((await waxwing.api("POST", "/messages", message)).status, 201);
const { body: sent } = await waxwing.control("GET", "/sent?count=1&wait=5s");
assert.deepEqual(
  sent.map((one) => one.to),
  [to],
);
// A day passes, and the window is closed.
assert.equal((await waxwing.control("POST", "/clock", { advance: "25h" })).status, 200);
const late = await waxwing.api("POST", "/messages", { to, text: "Are you there?" });
assert.equal(late.body.error.code, "window_closed");
await waxwing.stop();
console.log("the first test passes");
