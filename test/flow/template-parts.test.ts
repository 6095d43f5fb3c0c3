/**
 * Parts of templates in broadcasts: values from fields of contacts, uploads on cards and at the top, the end of an offer, and
 * what an erasure removes. Also the uploads of a carousel that is sent alone.
 */
import { expect, test } from "bun:test";
import { resume, suspend } from "#src/domain/workspaces/update.ts";
import { approvedTemplates } from "#test/support/approved-templates.ts";
import { graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { rows, startWhatsapp, type WhatsappWorld, type WorldOptions } from "#test/support/whatsapp.ts";

const HOUR = 3_600_000;
const ASHA = "+4915112345601";
const BEN = "+4915112345602";
const CARA = "+4915112345603";
const IMAGE = "https://files.example.com/a.jpg";
const JPEG = Buffer.concat([Buffer.from("\xff\xd8\xff\xe0", "latin1"), Buffer.alloc(5_000, 5)]);
const NAMES = [
  "track_order",
  "coupon_alone",
  "carousel_texts",
  "carousel_replies",
  "offer_plain_link",
  "new_collection",
];

async function start(config: WorldOptions["config"] = {}): Promise<WhatsappWorld> {
  const templates = NAMES.map((name) => {
    const { category, components } = approvedTemplates[name] ?? { category: "UTILITY", components: [] };
    return graphTemplate(name, { category, components });
  });
  return startWhatsapp({ account: graphAccount({ templates }), workspace: { timezone: "Europe/Berlin" }, config });
}

let keys = 0;
function post({ app, workspace }: WhatsappWorld, path: string, body: object) {
  keys += 1;
  const headers = path.endsWith("preview") ? {} : { "Idempotency-Key": `part-${keys}` };
  return app.send("POST", `/api/v1${path}`, { key: workspace.key, body, headers });
}

const put = ({ app, workspace }: WhatsappWorld, phone: string, body: object) =>
  app.call("PUT", `/api/v1/contacts/${encodeURIComponent(phone)}`, { key: workspace.key, body });

async function upload({ app, workspace }: WhatsappWorld, name: string): Promise<number> {
  const form = new FormData();
  form.append("file", new File([JPEG], name));
  const headers = { authorization: `Bearer ${workspace.key}` };
  const answer = await fetch(`${app.server.url}/api/v1/media`, { method: "POST", headers, body: form });
  return ((await answer.json()) as { data: { id: number } }).data.id;
}

interface Sent {
  to: string;
  template: { components: Record<string, unknown>[] };
}
const sent = ({ graph }: WhatsappWorld): Sent[] =>
  graph.requests.filter(({ path }) => path.includes("/messages")).map(({ body }) => body as Sent);

async function recipients({ app, workspace }: WhatsappWorld, id = 1): Promise<[string, string, string | null][]> {
  const { body } = await app.call("GET", `/api/v1/broadcasts/${id}/recipients`, { key: workspace.key });
  return body.data.map((one: { to: string; status: string; reason: string | null }) => [
    one.to,
    one.status,
    one.reason,
  ]);
}

test("a broadcast takes values for buttons and cards from each contact, and skips those without one", async () => {
  await using world = await start();
  await put(world, ASHA, { name: "Asha", city: "Pune" });
  await put(world, BEN, { name: "Ben" });
  await put(world, CARA, { city: "Rome" });
  const card = {
    media: { link: IMAGE },
    body: [{ field: "name" }, "9"],
    buttons: [{ field: "city", fallback: "all" }],
  };
  const body = { name: "Plants", template: "carousel_texts", to: [ASHA, BEN, CARA], cards: [card, card] };
  const preview = await post(world, "/broadcasts/preview", body);
  expect(preview.body.data).toMatchObject({ reached: 2, skipped: { missing_variable: 1 } });
  expect((await post(world, "/broadcasts", body)).body.data.skipped).toEqual([
    { to: CARA, reason: "missing_variable" },
  ]);
  await world.clock.advance(60_000);
  const texts = sent(world).map(({ to, template }) => {
    const [first] = (template.components[0]?.cards ?? []) as { components: { parameters: { text?: string }[] }[] }[];
    return [to, first?.components.slice(1).flatMap(({ parameters }) => parameters.map(({ text }) => text))];
  });
  expect(texts).toEqual([
    [ASHA, ["Asha", "9", "Pune"]],
    [BEN, ["Ben", "9", "all"]],
  ]);
  expect(await recipients(world)).toEqual([
    [ASHA, "sent", null],
    [BEN, "sent", null],
    [CARA, "skipped", "no value for name"],
  ]);
});

test("a field that a button does not take counts as missing, and its fallback as a value", async () => {
  await using world = await start();
  await put(world, ASHA, { company: "ASHA20" });
  await put(world, BEN, { company: "BEN-20" });
  const body = { name: "Codes", template: "coupon_alone", to: [ASHA, BEN] };
  const given = (value: object) => ({ ...body, variables: { buttons: [value] } });
  expect((await post(world, "/broadcasts", given({ field: "company", fallback: "no code" }))).status).toBe(400);
  expect((await post(world, "/broadcasts", given({ field: "company" }))).body.data.skipped).toEqual([
    { to: BEN, reason: "missing_variable" },
  ]);
  expect((await post(world, "/broadcasts", given({ field: "company", fallback: "WELCOME" }))).status).toBe(202);
  await world.clock.advance(60_000);
  const codes = sent(world).map(({ to, template }) => [
    to,
    JSON.stringify(template).match(/"coupon_code":"(\w+)"/)?.[1],
  ]);
  expect(codes.toSorted()).toEqual([
    [ASHA, "ASHA20"],
    [ASHA, "ASHA20"],
    [BEN, "WELCOME"],
  ]);
});

test("uploads of a carousel go to the network once, alone and in a broadcast", async () => {
  await using world = await start();
  const [one, two] = [await upload(world, "one.jpg"), await upload(world, "two.jpg")];
  const cards = [{ media: { id: one } }, { media: { id: two } }];
  const alone = await post(world, "/messages", { to: ASHA, template: "carousel_replies", cards });
  expect([alone.status, alone.body.error]).toEqual([201, undefined]);
  const body = { name: "Plants", template: "carousel_replies", to: [BEN, CARA], cards };
  expect((await post(world, "/broadcasts", body)).status).toBe(202);
  await world.clock.advance(60_000);
  const ids = sent(world).map(({ to, template }) => [to, [...(JSON.stringify(template).match(/"id":"\d+"/g) ?? [])]]);
  const given = world.account.uploads.map(({ id }) => `"id":"${id}"`);
  expect(given).toHaveLength(2);
  expect(ids).toEqual([
    [ASHA, given],
    [BEN, given],
    [CARA, given],
  ]);
});

test("a broadcast gives the network its files before it claims, tries again later, and pauses if they are refused", async () => {
  await using world = await start();
  const media = { id: await upload(world, "top.jpg") };
  const body = { name: "New", template: "new_collection", to: [ASHA, BEN], media, variables: ["you"] };
  let refusal: { code: number; status?: number; details?: string } | null = { code: 2, status: 503 };
  world.account.refuse = ({ path }) => (path.includes("/media") ? refusal : null);
  expect((await post(world, "/broadcasts", body)).status).toBe(202);
  await world.clock.advance(30_000);
  expect([sent(world).length, (await recipients(world)).map(([, status]) => status)]).toEqual([
    0,
    ["queued", "queued"],
  ]);
  refusal = null;
  await world.clock.advance(90_000);
  expect((await recipients(world)).map(([, status]) => status)).toEqual(["sent", "sent"]);
  expect(sent(world)[0]?.template.components[0]).toEqual({
    type: "header",
    parameters: [{ type: "image", image: { id: world.account.uploads[0]?.id } }],
  });

  const other = { id: await upload(world, "other.jpg") };
  refusal = { code: 131053, details: "not a picture" };
  expect((await post(world, "/broadcasts", { ...body, media: other })).status).toBe(202);
  await world.clock.advance(30_000);
  const { body: shown } = await world.app.call("GET", "/api/v1/broadcasts/2", { key: world.workspace.key });
  expect([shown.data.status, shown.data.status_reason]).toEqual([
    "paused",
    expect.stringContaining("did not take the file"),
  ]);
  expect(sent(world)).toHaveLength(2);
});

test("an upload lives as long as a scheduled broadcast needs it, and what it gets is gone when it is finished", async () => {
  await using world = await start({ retention: { uploads: { kind: "ms", ms: HOUR } } });
  const [other, kept] = [await upload(world, "other.jpg"), await upload(world, "one.jpg")];
  const cards = [{ media: { id: kept } }, { media: { link: IMAGE } }];
  const sendAt = new Date(world.clock.now() + 4 * HOUR).toISOString();
  const body = { name: "Later", template: "carousel_replies", to: [ASHA, BEN], cards, send_at: sendAt };
  expect((await post(world, "/broadcasts", body)).status).toBe(202);
  const stored = () => rows<{ parts: string | null }>(world.app.store, "SELECT parts FROM broadcasts")[0]?.parts;
  expect(stored()).toContain(IMAGE);
  await world.clock.advance(3 * HOUR);
  expect(rows<{ id: number }>(world.app.store, "SELECT id FROM uploads").map(({ id }) => id)).toEqual([kept]);
  expect(kept).toBeGreaterThan(other);
  await world.clock.advance(HOUR + 60_000);
  expect((await recipients(world)).map(([, status]) => status)).toEqual(["sent", "sent"]);
  expect(stored()).toBeNull();
});

test("people whom a broadcast has not reached when its offer ends are skipped", async () => {
  await using world = await start();
  const ends = new Date(world.clock.now() + 2 * HOUR).toISOString();
  const body = { template: "offer_plain_link", variables: { buttons: ["NOW10"] }, offer_expires_at: ends };
  const late = { ...body, name: "Late", to: [ASHA], send_at: new Date(world.clock.now() + 3 * HOUR).toISOString() };
  const refused = await post(world, "/broadcasts", late);
  expect([refused.status, Object.keys(refused.body.error.fields)]).toEqual([400, ["offer_expires_at"]]);
  expect((await post(world, "/broadcasts", { ...body, name: "Now", to: [ASHA] })).status).toBe(202);
  const soon = { ...body, name: "Soon", to: [BEN], send_at: new Date(world.clock.now() + HOUR).toISOString() };
  const { body: accepted } = await post(world, "/broadcasts", soon);
  await world.clock.advance(60_000);
  await world.app.store.write((tx) => suspend(tx, world.workspace.id, "unpaid"));
  await world.clock.advance(2 * HOUR);
  await world.app.store.write((tx) => resume(tx, world.workspace.id));
  await world.clock.advance(HOUR);
  expect(sent(world).map(({ to }) => to)).toEqual([ASHA]);
  expect(await recipients(world, accepted.data.id)).toEqual([[BEN, "skipped", "the offer has ended"]]);
});
