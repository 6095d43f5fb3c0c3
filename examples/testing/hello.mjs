// A first test, without a package: the window of 24 hours closes, and the network is down while a message is sent.
// `node hello.mjs` beside the executable, with Node 20 or later; WAXWING=PATH names another executable.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const words = ["dev", "--json", "--listen", "127.0.0.1:0", "--with-parent"];
const server = spawn(process.env.WAXWING ?? "./waxwing", words, { stdio: ["pipe", "pipe", "inherit"] });
const [line] = await once(createInterface({ input: server.stdout }), "line");
const ready = JSON.parse(line);
if (ready.error) throw new Error(ready.error.message);

async function call(url, token, body) {
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, ...(await response.json()) };
}
const api = (path, body) => call(ready.base_url + path, ready.api_key, body);
const control = (path, body) => call(ready.control_url + path, ready.control_token, body);
const to = "+442079460210";

await control("/clock", { freeze: true });
await control("/inbound", { from: to, text: "Are you open?" });
assert.equal((await api("/messages", { to, text: "Yes, until eight." })).status, 201);
await control("/clock", { advance: "25h" });
assert.equal((await api("/messages", { to, text: "We are closed now." })).error.code, "window_closed");

const shipped = { to, template: "order_shipped", variables: ["Asha", "A-1042"], reference: "A-1042" };
await control("/rules", { match: { to }, then: { outage: "10 minutes" } });
const { error } = await api("/messages", shipped);
assert.deepEqual([error.outcome, error.retryable], ["not_sent", true]);
await control("/clock", { advance: "11 minutes" });
assert.equal((await api("/messages", shipped)).data.status, "sent");

server.stdin.end();
console.log("the first test passes");
