// The first assertion: a message leaves, and its webhook tells of it. With the npm package: `node first.mjs`.
import assert from "node:assert/strict";
import { startWaxwing } from "waxwing/testing";

const waxwing = await startWaxwing(process.env.WAXWING === undefined ? {} : { program: process.env.WAXWING });
const message = { to: "+442079460210", template: "order_shipped", variables: ["Asha", "A-1042"] };
assert.equal((await waxwing.api("POST", "/messages", message)).status, 201);
const [webhook] = await waxwing.control("GET", "/webhooks?type=message.sent&count=1&wait=10s");
assert.equal(JSON.parse(webhook.body).data.message.to, message.to);
await waxwing.stop();
console.log("the first assertion holds");
