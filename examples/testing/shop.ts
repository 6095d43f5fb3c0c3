/**
 * The tests that a shop would write for its own messages, with the time in its hands: a day of retries takes
 * milliseconds. Run it with the path of the executable: `WAXWING=./waxwing bun examples/testing/shop.ts`, or
 * `node --test examples/testing/shop.ts` with a Node that reads TypeScript. It needs no package.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { startWaxwing } from "./server.ts";

const startedAt = performance.now();
const seed = fileURLToPath(new URL("shop.seed.json", import.meta.url));
const waxwing = await startWaxwing(process.env.WAXWING ?? "./waxwing", ["--seed", seed]);
const { api, control } = waxwing;
const ASHA = "+442079460210";
const VIKRAM = "+442079460345";
const FATIMA = "+442079460233";
const DAY_MS = 86_400_000;
const shipped = { template: "order_shipped", variables: ["Asha", "A-1042"] };
const offer = { template: "weekend_offer", variables: [{ field: "first_name", fallback: "there" }, "20"] };

/** Every test begins on this day at ten in India, after quiet hours, with the shop as its seed describes it. */
const START = "2026-12-24T10:00:00+05:30";

async function startOfTest(): Promise<Date> {
  await control("POST", "/reset", { now: START, freeze: true });
  return new Date(START);
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

async function groupId(name: string): Promise<number> {
  const { data } = (await api("GET", "/groups")).body;
  return data.find((group: { name: string }) => group.name === name).id;
}

async function sentTo(): Promise<string[]> {
  return (await control("GET", "/sent")).body.map((one: { to: string }) => one.to);
}

/** A receiver of webhooks that the test breaks and mends. */
async function startReceiver() {
  const bodies: string[] = [];
  const receiver = { url: "", isBroken: true, bodies, close: () => server.close() };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(receiver.isBroken ? 500 : 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

const tests: Record<string, (today: Date) => Promise<void>> = {
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

  async "Friday's broadcast leaves on Friday, once to each person"(today) {
    const days = (12 - today.getUTCDay()) % 7 || 7;
    const friday = dayOf(today.getTime() + days * DAY_MS);
    const sendAt = `${friday}T11:00:00+05:30`;
    const group = await groupId("Regulars");
    const broadcast = await api("POST", "/broadcasts", { name: "Friday", group, send_at: sendAt, ...offer });
    assert.equal(broadcast.status, 202);
    await control("POST", "/clock", { now: `${friday}T10:59:00+05:30` });
    assert.deepEqual(await sentTo(), []);
    await control("POST", "/clock", { advance: "2m" });
    assert.deepEqual((await sentTo()).toSorted(), [ASHA, VIKRAM, FATIMA].toSorted());
    assert.equal((await api("GET", `/broadcasts/${broadcast.body.data.id}`)).body.data.status, "completed");
  },

  async "a birthday greeting goes to the one whose birthday it is"(today) {
    const day = dayOf(today.getTime() + 3 * DAY_MS);
    await api("PUT", `/contacts/${ASHA}`, { birthday: `1990-${day.slice(5)}` });
    await api("PUT", `/contacts/${VIKRAM}`, { birthday: `1985-${dayOf(today.getTime() + 4 * DAY_MS).slice(5)}` });
    const group = await groupId("Birthdays");
    const greeting = { name: "Birthdays", group, send_at: `${day}T10:30:00+05:30`, ...offer };
    assert.equal((await api("POST", "/broadcasts", greeting)).status, 202);
    await control("POST", "/clock", { advance: "96h" });
    assert.deepEqual(await sentTo(), [ASHA]);
  },

  async "a webhook is tried again for a day, with the same bytes and a signature that fits"() {
    const receiver = await startReceiver();
    const { secret } = (await control("PUT", "/webhook", { url: receiver.url })).body;
    await control("POST", "/inbound", { from: VIKRAM, text: "Hello?" });
    await control("POST", "/clock", { advance: "9h" });
    assert.ok(receiver.bodies.length >= 4, `${receiver.bodies.length} attempts`);
    receiver.isBroken = false;
    await control("POST", "/clock", { advance: "48h" });
    assert.equal(new Set(receiver.bodies).size, 1);
    const attempts = (await control("GET", `/webhooks?url=${encodeURIComponent(receiver.url)}`)).body;
    assert.deepEqual([...new Set(attempts.map((one: { status: number }) => one.status))], [500, 200]);
    const last = attempts.at(-1);
    const [t, v1] = last.signature.split(",").map((part: string) => part.split("=")[1]);
    assert.equal(createHmac("sha256", secret).update(`${t}.${last.body}`).digest("hex"), v1);
    assert.ok(Math.abs(Date.now() / 1_000 - Number(t)) < 60, "the signature's time is the real one");
    receiver.close();
  },

  async "an outage in the middle of a broadcast: everybody gets it afterwards, nobody twice"() {
    const to = Array.from({ length: 40 }, (_, index) => `+442079460${400 + index}`);
    await Promise.all(to.map((phone) => api("PUT", `/contacts/${phone}`, { consent: "opted_in" })));
    await control("POST", "/rules", { then: { latency: "200ms" } });
    const broadcast = await api("POST", "/broadcasts", { name: "Sale", to, ...offer });
    assert.equal(broadcast.status, 202, JSON.stringify(broadcast.body));
    await control("POST", "/clock", { advance: "300ms" });
    const before = (await sentTo()).length;
    await control("DELETE", "/rules");
    await control("POST", "/rules", { then: { outage: "30s" } });
    await control("POST", "/clock", { advance: "20s" });
    const during = (await sentTo()).length;
    assert.ok(before > 0 && before < 40 && during < 40, `${before} before, ${during} during the outage`);
    await control("POST", "/clock", { advance: "2h" });
    assert.deepEqual((await sentTo()).toSorted(), to.toSorted());
  },

  async "a lost answer: the message is never sent again, and its status settles the matter"() {
    await control("POST", "/rules", { match: { to: ASHA }, times: 1, then: { unknown: true, arrives: true } });
    const answer = await api("POST", "/messages", { to: ASHA, ...shipped });
    assert.equal(answer.body.error.outcome, "unknown");
    await control("POST", "/clock", { advance: "1h" });
    const attempts = (await control("GET", `/sent?to=${ASHA}&attempts=true`)).body;
    assert.equal(attempts.length, 1);
    assert.equal((await api("GET", `/messages/${attempts[0].message_id}`)).body.data.status, "read");
  },

  async "a photo from a customer arrives with its caption, and the shop gets the file"() {
    const photo = Buffer.from("/9j/2Q==", "base64");
    const media = { content: photo.toString("base64") };
    await control("POST", "/inbound", { from: ASHA, type: "image", text: "It came broken", media });
    const [webhook] = (await control("GET", "/webhooks?type=message.received&count=1&wait=30s")).body;
    const { message } = JSON.parse(webhook.body).data;
    assert.deepEqual([message.type, message.text], ["image", "It came broken"]);
    const [stored] = (await control("GET", "/webhooks?type=media.stored&count=1&wait=30s")).body;
    const file = await fetch(JSON.parse(stored.body).data.media.url);
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), photo);
  },
};

let failures = 0;
for (const [name, test] of Object.entries(tests)) {
  const testStartedAt = performance.now();
  try {
    await test(await startOfTest());
    console.log(`ok    ${name} (${Math.round(performance.now() - testStartedAt)} ms)`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL  ${name}`, error);
  }
}
await waxwing.stop();
console.log(
  `${Object.keys(tests).length} tests, ${failures} failed, ${Math.round(performance.now() - startedAt)} ms with the server's start and end`,
);
process.exit(failures === 0 ? 0 : 1);
