/**
 * A stored callback that stops the process: the server starts again, puts the item aside after three tries alone, and applies
 * everything else. The process's death is the disk at that moment, with which the next server starts.
 */
import { expect, test } from "bun:test";
import { listCallbacks, replayCallback, showCallback } from "#src/domain/inbound/callback-list.ts";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { TRIES_MAX } from "#src/domain/inbound/quarantine.ts";
import type { CallbackItem } from "#src/networks/network.ts";
import { type DiskImage, imageOf } from "#test/support/crash.ts";
import { fakeNetwork } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";

const PEOPLE = ["919876500001", "919876500002", "919876500003"];

/** What stops the process: reading the body, or the text or the sender of its second item. */
type Deadly = "body" | "text" | "from";
/** The second of the people. */
const VICTIM = 1;

/** Parses a body with one inbound of each person; `dies` is called where it is deadly. */
function deadlyNetwork(deadly: Deadly, dies: () => void) {
  const network = fakeNetwork();
  network.parse = (body): CallbackItem[] => {
    const { phoneNumberId, at } = JSON.parse(body) as { phoneNumberId: string; at: number };
    if (deadly === "body" && body.includes("deadly")) dies();
    return PEOPLE.map((from, index) => ({
      kind: "inbound",
      phoneNumberId,
      networkMessageId: `wamid.${body.length}.${index}`,
      get from() {
        if (deadly === "from" && index === VICTIM && body.includes("deadly")) dies();
        return from;
      },
      fromNetworkUserId: null,
      profileName: null,
      type: "text",
      get text() {
        if (deadly === "text" && index === VICTIM && body.includes("deadly")) dies();
        return "Hi";
      },
      command: "Hi",
      isWritten: true,
      payload: null,
      details: {},
      networkMediaId: null,
      references: { reply_to: null, reaction: null, edited: null, deleted: null },
      at,
    }));
  };
  return { simulator: network, whatsapp: network };
}

interface Life {
  app: TestServer;
  image: DiskImage | null;
}

/** Starts a server on this disk; `image` is its disk when it died. */
async function live(directory: string | null, deadly: Deadly): Promise<Life> {
  const life: Life = { app: null as never, image: null };
  const dies = (): void => {
    life.image ??= imageOf(life.app?.directory ?? directory ?? "");
  };
  life.app = await startTestServer({
    ...(directory === null ? {} : { directory }),
    networks: deadlyNetwork(deadly, dies),
    expectedErrors: /put aside/,
  });
  return life;
}

const names = ({ store }: TestServer): string[] =>
  store.client.prepare("SELECT phone FROM contacts ORDER BY phone").pluck().all() as string[];

/** The servers of several lives: each next one starts with the disk that the previous one left when it died. */
async function livesUntilQuarantine(deadly: Deadly): Promise<{ last: TestServer; images: DiskImage[] }> {
  const first = await live(null, deadly);
  const shop = await first.app.workspace();
  const directory = first.app.directory;
  // Stored, and the process stops before it applies anything.
  const stored = Promise.withResolvers<DiskImage>();
  await first.app.store.write((tx) => {
    const { phoneNumberId } = tx.db.get<{ phoneNumberId: string }>(
      "SELECT phone_number_id AS phoneNumberId FROM numbers",
    ) as { phoneNumberId: string };
    const body = (name: string) => JSON.stringify({ phoneNumberId, at: tx.now, name });
    storeCallback(tx, "simulator", body("deadly"), tx.now);
    storeCallback(tx, "simulator", body("harmless"), tx.now);
    tx.afterCommit(() => stored.resolve(imageOf(directory)));
  });
  const images = [await stored.promise];
  expect(shop.id).toBe(1);
  await first.app.stop();
  // Once together with the others, then alone.
  // Where the sender is deadly, the look for the person to mark stops the server once more.
  for (let attempt = 1; attempt <= (deadly === "from" ? 2 : 1) + TRIES_MAX; attempt += 1) {
    const life = await live(images[attempt - 1]?.directory ?? "", deadly);
    await life.app.clock.advance(1_000);
    await life.app.stop();
    if (life.image === null) throw new Error(`nothing died in start ${attempt}`);
    images.push(life.image);
  }
  const last = await live(images.at(-1)?.directory ?? "", deadly);
  await last.app.clock.advance(1_000);
  expect(last.image).toBeNull();
  return { last: last.app, images };
}

const doubted = ({ store }: TestServer): string[] =>
  store.client
    .prepare("SELECT phone FROM contacts WHERE may_want_to_stop_since IS NOT NULL ORDER BY phone")
    .pluck()
    .all() as string[];

test("the person named by an item that is put aside is marked as one who may want to stop, and no other person is", async () => {
  const { last, images } = await livesUntilQuarantine("text");
  try {
    expect(doubted(last)).toEqual([`+${PEOPLE[VICTIM]}`]);
    expect(names(last)).toHaveLength(3);
    expect(last.store.read((tx) => listCallbacks(tx, "quarantined", 10))[0]?.reason).toContain("may want to stop");
    const events = "SELECT count(*) FROM events WHERE type = 'contact.may_want_to_stop'";
    expect(last.store.client.prepare(events).pluck().get()).toBe(1);
  } finally {
    await last.stop();
    for (const image of images) image[Symbol.dispose]();
  }
});

test("an item that stops the server in three tries alone, and once more when its person is looked for, is put aside; the others are applied", async () => {
  const { last, images } = await livesUntilQuarantine("from");
  try {
    expect(doubted(last)).toEqual([]);
    const rows = last.store.read((tx) => listCallbacks(tx, "quarantined", 10));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      state: "quarantined",
      reason: expect.stringContaining("stopped the server three times"),
    });
    const count = last.store.client.prepare("SELECT count(*) FROM inbounds").pluck();
    // Two of the deadly callback's, and three of the other's.
    expect(count.get()).toBe(5);
    expect(names(last)).toHaveLength(3);
    expect(last.store.client.prepare("SELECT count(*) FROM callback_marks").pluck().get()).toBe(0);
    expect(last.store.read((tx) => showCallback(tx, String(rows[0]?.id)))).toMatchObject({
      body: expect.stringContaining("phoneNumberId"),
    });
  } finally {
    await last.stop();
    for (const image of images) image[Symbol.dispose]();
  }
});

test("a body that stops the server while it is read is put aside; another one after it is applied; replay tries again", async () => {
  const { last, images } = await livesUntilQuarantine("body");
  try {
    const rows = last.store.read((tx) => listCallbacks(tx, null, 10));
    expect(rows).toHaveLength(1);
    expect(names(last)).toHaveLength(3);
    await last.store.write((tx) => replayCallback(tx, String(rows[0]?.id)));
    await last.clock.advance(1_000);
    expect(last.store.read((tx) => listCallbacks(tx, null, 10))).toEqual([]);
  } finally {
    await last.stop();
    for (const image of images) image[Symbol.dispose]();
  }
});
