/** `waxwing simulate inbound`: every kind of message that a person can write, from options and files. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { inboundTypes } from "#src/networks/simulator/inbound-content.ts";
import { TestClock } from "#test/support/clock.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { CallingWorkshop } from "./spawn.ts";

let workshop: CallingWorkshop;
let app: TestServer;
let shop: TestWorkspace;
beforeAll(async () => {
  workshop = new CallingWorkshop();
  // Commands write with the time of the machine, which must have come for the server, too.
  app = await startTestServer({ directory: workshop.path("data"), clock: TestClock.atPresent(3_600_000) });
  shop = await app.workspace();
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  workshop[Symbol.dispose]();
});

interface Received {
  id: number;
  type: string;
  text: string | null;
  details: Record<string, unknown> | null;
}

const PERSON = "+919820012345";
let seen = 0;

const inbound = (...more: string[]): string[] => [
  ...["simulate", "inbound", "--workspace", String(shop.id), "--from", PERSON],
  ...more,
];

/** Events of received messages, oldest first. */
async function listReceived(): Promise<Received[]> {
  const { body } = await app.call("GET", "/api/v1/events?types=message.received&per_page=100", { key: shop.key });
  return body.data.map(({ data }: { data: { message: Received } }) => data.message);
}

/** Writes as a person, and returns what the event says. */
async function write(...more: string[]): Promise<Received> {
  await workshop.json(inbound(...more));
  seen += 1;
  for (let round = 0; round < 200; round += 1) {
    const received = await listReceived();
    const last = received[seen - 1];
    if (last !== undefined) return last;
    // The server sees commits of other processes in real time.
    await Bun.sleep(10);
  }
  throw new Error("the message was not received");
}

const json = (name: string, content: unknown): string => workshop.write(name, JSON.stringify(content));

test("files, buttons, answers, and every other type as JSON are received like a person's own", async () => {
  const first = await write("--text", "Are you open?");
  expect(first).toMatchObject({ type: "text", text: "Are you open?" });
  const photo = workshop.write("cake.png", "not really a picture");
  expect(await write("--type", "image", "--file", photo, "--text", "like this")).toMatchObject({
    type: "image",
    text: "like this",
    details: { media: { mime_type: "image/png" } },
  });
  expect(await write("--type", "document", "--file", json("menu.json", {}))).toMatchObject({
    type: "document",
    details: { media: { mime_type: "application/json", filename: "menu.json" } },
  });
  expect(await write("--type", "audio")).toMatchObject({ type: "audio" });
  expect(await write("--payload", "YES")).toMatchObject({
    type: "button",
    text: "YES",
    details: { button: { payload: "YES" } },
  });
  const pressed = await write("--type", "interactive", "--text", "Yes, please", "--payload", "yes-1");
  expect(pressed).toMatchObject({
    type: "interactive",
    details: { button: { title: "Yes, please", payload: "yes-1" } },
  });
  const place = { location: { latitude: 18.52, longitude: 73.86, name: "Pune" } };
  expect(await write("--type", "location", "--file", json("place.json", place))).toMatchObject({
    type: "location",
    details: place,
  });
  expect(await write("--text", "and on Sunday?", "--reply-to", "1")).toMatchObject({
    type: "text",
    details: { reply_to: { message_id: 1 } },
  });
  const heart = json("heart.json", { reaction: { emoji: "❤", message_id: 1 } });
  expect(await write("--type", "reaction", "--file", heart)).toMatchObject({
    type: "reaction",
    details: { reaction: { emoji: "❤", message_id: 1 } },
  });
});

test("what does not fit is refused with the option or the path, and nothing is written", async () => {
  const before = (await listReceived()).length;
  const refusal = async (...more: string[]) => await workshop.refusal(inbound(...more));
  expect((await refusal("--text", " ")).fields).toEqual({ text: ["The text is blank."] });
  expect((await refusal("--type", "location")).fields).toEqual({ location: ["This field is required."] });
  const list = json("list.json", []);
  expect((await refusal("--type", "location", "--file", list)).fields).toHaveProperty("file");
  const typo = json("typo.json", { loction: {} });
  expect((await refusal("--type", "location", "--file", typo)).fields).toEqual({
    loction: ["Unknown field. Did you mean location?"],
  });
  expect((await refusal("--type", "location", "--file", workshop.write("x", "{"))).code).toBe("unreadable_file");
  expect((await refusal("--type", "image", "--file", "missing.png")).code).toBe("unreadable_file");
  expect((await refusal("--text", "x", "--reply-to", "999")).fields).toHaveProperty(["reply_to.message_id"]);
  for (const wrong of [[], ["--type", "text", "--text", "x", "--payload", "p"], ["--type", "letter"]]) {
    expect((await workshop.run(inbound(...wrong))).code).toBe(2);
  }
  expect((await listReceived()).length).toBe(before);
});

test("the help lists every type", async () => {
  const { stdout } = await workshop.run(["simulate", "inbound", "--help"]);
  for (const type of inboundTypes) expect(stdout).toContain(type);
});
