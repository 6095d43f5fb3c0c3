/**
 * The tests that a shop would write for its own messages, with the time in its hands: a day of retries takes
 * milliseconds. Run it with the path of the executable: `WAXWING=./waxwing bun examples/testing/shop.ts`.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startWaxwing } from "./server.ts";

const waxwing = await startWaxwing(process.env.WAXWING ?? "./waxwing");
const { api, control } = waxwing;
const ASHA = "+919876543210";
const VIKRAM = "+919820012345";
const shipped = { template: "order_shipped", variables: ["Asha", "A-1042"] };
const offer = { template: "weekend_offer", variables: [{ field: "first_name", fallback: "there" }, "20"] };

/** Sunday, 22 November 2026, 10:00 in India: after quiet hours. */
async function startOfTest(): Promise<void> {
  await control("POST", "/reset", {});
  await control("POST", "/clock", { freeze: true });
  const { body } = await control("GET", "/clock");
  const tomorrow = new Date(Date.parse(body.now) + 86_400_000).toISOString().slice(0, 10);
  await control("POST", "/clock", { now: `${tomorrow}T10:00:00+05:30` });
}

const tests: Record<string, () => Promise<void>> = {
  async "the window for free text closes 24 hours after the customer wrote"() {
    await control("POST", "/inbound", { from: VIKRAM, text: "Are you open?" });
    await control("POST", "/clock", { advance: "23h" });
    assert.equal((await api("POST", "/messages", { to: VIKRAM, text: "Yes, until eight." })).status, 201);
    await control("POST", "/clock", { advance: "61m" });
    const late = await api("POST", "/messages", { to: VIKRAM, text: "Still open." });
    assert.equal(late.status, 422);
    assert.equal(late.body.error.code, "window_closed");
    assert.equal((await api("POST", "/messages", { to: VIKRAM, ...shipped })).status, 201);
  },

  async "Friday's broadcast leaves on Friday, once to each person"() {
    const { body } = await control("GET", "/clock");
    const today = new Date(body.now);
    const friday = new Date(today.getTime() + ((12 - today.getUTCDay()) % 7 || 7) * 86_400_000)
      .toISOString()
      .slice(0, 10);
    const sendAt = `${friday}T11:00:00+05:30`;
    const broadcast = await api("POST", "/broadcasts", { name: "Friday", group: 1, send_at: sendAt, ...offer });
    assert.equal(broadcast.status, 202);
    await control("POST", "/clock", { now: `${friday}T10:59:00+05:30` });
    assert.deepEqual((await control("GET", "/sent")).body, []);
    await control("POST", "/clock", { advance: "2m" });
    const sent = (await control("GET", "/sent?count=4&wait=5s")).body;
    assert.equal(new Set(sent.map((one: { to: string }) => one.to)).size, 4);
    assert.equal(sent.length, 4);
    const { data } = (await api("GET", `/broadcasts/${broadcast.body.data.id}`)).body;
    assert.equal(data.status, "completed");
  },

  async "a birthday greeting goes to the one whose birthday it is"() {
    const { body } = await control("GET", "/clock");
    const birthday = `--${new Date(Date.parse(body.now) + 3 * 86_400_000).toISOString().slice(5, 10)}`;
    await api("PUT", `/contacts/${ASHA}`, { birthday });
    await control("POST", "/clock", { advance: "72h" });
    const { data } = (await api("GET", `/contacts/${ASHA}`)).body;
    const now = (await control("GET", "/clock")).body.now;
    assert.equal(data.birthday.slice(-5), now.slice(5, 10));
    await api("POST", "/messages", { to: ASHA, template: "weekend_offer", variables: ["Asha", "15"] });
    const [sent] = (await control("GET", `/sent?to=${ASHA}`)).body;
    assert.equal(sent.template, "weekend_offer");
  },

  async "a webhook is tried again for a day, with the same bytes and a signature that fits"() {
    let isBroken = true;
    const bodies: string[] = [];
    const receiver = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", () => {
        bodies.push(body);
        response.writeHead(isBroken ? 500 : 200).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const { secret } = (await control("PUT", "/webhook", { url })).body;
    await control("POST", "/inbound", { from: VIKRAM, text: "Hello?" });
    await control("POST", "/clock", { advance: "9h" });
    assert.ok(bodies.length >= 4, `${bodies.length} attempts`);
    isBroken = false;
    await control("POST", "/clock", { advance: "48h" });
    assert.equal(new Set(bodies).size, 1);
    const attempts = (await control("GET", `/webhooks?type=message.received&url=${encodeURIComponent(url)}`)).body;
    assert.deepEqual([...new Set(attempts.map((one: { status: number }) => one.status))], [500, 200]);
    const last = attempts.at(-1);
    const [t, v1] = last.signature.split(",").map((part: string) => part.split("=")[1]);
    assert.equal(createHmac("sha256", secret).update(`${t}.${last.body}`).digest("hex"), v1);
    assert.ok(Math.abs(Date.now() / 1_000 - Number(t)) < 60, "the signature's time is the real one");
    receiver.close();
  },

  async "an outage in the middle of a broadcast: everybody gets it afterwards, nobody twice"() {
    const to = Array.from({ length: 40 }, (_, index) => ({ phone: `+9198200${20_100 + index}` }));
    for (const { phone } of to) await api("PUT", `/contacts/${phone}`, { consent: "opted_in" });
    await control("POST", "/rules", { then: { latency: "200ms" } });
    const broadcast = await api("POST", "/broadcasts", { name: "Sale", to: to.map(({ phone }) => phone), ...offer });
    assert.equal(broadcast.status, 202, JSON.stringify(broadcast.body));
    await control("POST", "/clock", { advance: "300ms" });
    const before = (await control("GET", "/sent")).body.length;
    await control("DELETE", "/rules");
    await control("POST", "/rules", { then: { outage: "30s" } });
    await control("POST", "/clock", { advance: "20s" });
    const during = (await control("GET", "/sent")).body.length;
    assert.ok(before < 40 && during < 40, `${before} before, ${during} during the outage`);
    await control("POST", "/clock", { advance: "2h" });
    const sent = (await control("GET", "/sent?count=40&wait=5s")).body.map((one: { to: string }) => one.to);
    assert.equal(sent.length, 40);
    assert.equal(new Set(sent).size, 40);
  },

  async "a lost answer: the message is never sent again, and its status settles the matter"() {
    await control("POST", "/rules", { match: { to: ASHA }, times: 1, then: { unknown: true, arrives: true } });
    const sent = await api("POST", "/messages", { to: ASHA, ...shipped });
    await control("POST", "/clock", { advance: "1h" });
    assert.equal((await control("GET", `/sent?to=${ASHA}&attempts=true`)).body.length, 1);
    const id = sent.body.data?.id ?? (await control("GET", `/sent?to=${ASHA}`)).body[0].message_id;
    assert.equal((await api("GET", `/messages/${id}`)).body.data.status, "read");
  },

  async "a photo from a customer arrives with its caption"() {
    await control("POST", "/inbound", {
      from: ASHA,
      type: "image",
      text: "It came broken",
      media: { content: "/9j/2Q==" },
    });
    const [webhook] = (await control("GET", "/webhooks?type=message.received&count=1&wait=5s")).body;
    const { message } = JSON.parse(webhook.body).data;
    assert.equal(message.type, "image");
    assert.equal(message.text, "It came broken");
  },
};

const startedAt = performance.now();
let failures = 0;
for (const [name, test] of Object.entries(tests)) {
  const testStartedAt = performance.now();
  try {
    await startOfTest();
    await test();
    console.log(`ok    ${name} (${Math.round(performance.now() - testStartedAt)} ms)`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL  ${name}`, error);
  }
}
console.log(`${Object.keys(tests).length} tests, ${failures} failed, ${Math.round(performance.now() - startedAt)} ms`);
await waxwing.stop();
process.exit(failures === 0 ? 0 : 1);
