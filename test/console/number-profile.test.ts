/**
 * A number as its customers see it: profile, photo, username, link and blocked people, each first refused, then late, with
 * its answer lost, and done, at Meta and on the simulator.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { auditEntries, firstOperator, person, type Visitor } from "#test/support/console.ts";
import { jpegOf } from "#test/support/graph-faces.ts";
import { startWhatsapp, textFrom, type WhatsappWorld } from "#test/support/whatsapp.ts";

const ANNA = "+4915112345678";
const texts = {
  about: "We answer until six",
  description: "A corner shop",
  address: "Main Street 1, Berlin",
  email: "shop@example.com",
  websites: ["https://shop.example", "https://example.com/shop"],
  vertical: "RETAIL",
};

let world: WhatsappWorld;
let owner: Visitor;
let member: Visitor;
let agent: Visitor;
let simulatedId: number;

beforeAll(async () => {
  world = await startWhatsapp();
  const { app, workspace } = world;
  await firstOperator(app);
  owner = await person(app, "owner@example.com", "owner", workspace.id);
  member = await person(app, "member@example.com", "member", workspace.id);
  agent = await person(app, "agent@example.com", "agent", workspace.id);
  const added = await owner.post(at("/numbers"), { phone: "+4930555001", name: "Simulated" }, { key: "a".repeat(32) });
  simulatedId = added.body.data.id;
});
afterAll(() => world[Symbol.asyncDispose]());

const at = (path: string): string => `/w/${world.workspace.id}${path}`;
const ofNumber = (path: string, id = world.workspace.numberId) => at(`/numbers/${id}${path}`);
const put = (path: string, body: unknown, id?: number) => owner.ask("PUT", ofNumber(path, id), body);

async function putPhoto(bytes: Uint8Array, id = world.workspace.numberId) {
  const { app } = world;
  const answer = await fetch(`${app.server.url}/console/api${ofNumber("/photo", id)}`, {
    method: "PUT",
    body: new Uint8Array(bytes),
    headers: {
      "content-type": "application/octet-stream",
      "sec-fetch-site": "same-origin",
      origin: app.server.url,
      cookie: owner.cookie ?? "",
    },
  });
  return {
    status: answer.status,
    body: (await answer.json()) as { data?: { photo: string }; error?: { fields: Record<string, string[]> } },
  };
}

describe("the profile at Meta", () => {
  test("what is too long or wrong is said at its field, and Meta is not asked", async () => {
    const { graph } = world;
    const { status, body } = await put("/profile", {
      ...{ about: "a".repeat(140), description: "d".repeat(513), address: "a".repeat(257) },
      ...{ email: "nobody", websites: ["shop.example", "https://b.example", "https://c.example"], vertical: "RETAIL" },
    });
    expect([status, Object.keys(body.error.fields).toSorted()]).toEqual([
      400,
      ["about", "address", "description", "email", "websites", "websites.0"],
    ]);
    expect(body.error.fields.about[0]).toContain("139");
    expect((await put("/profile", { ...texts, vertical: "SHOP" })).body.error.fields.vertical).toBeDefined();
    expect(graph.faces.changes).toEqual([]);
  });

  test("is refused in Meta's words, then taken; a repeat asks nothing", async () => {
    const { graph, app } = world;
    graph.fault({ fault: { kind: "error", code: 100, status: 400, details: "Param email is not reachable" } });
    const refused = await put("/profile", texts);
    expect([refused.status, refused.body.error.message]).toEqual([502, expect.stringContaining("not reachable")]);
    const { status, body } = await put("/profile", texts);
    expect([status, body.data]).toEqual([200, expect.objectContaining({ ...texts, photo: null, username: null })]);
    expect(graph.faces.profile).toEqual(texts);
    expect((await put("/profile", texts)).status).toBe(200);
    expect(graph.faces.changes).toHaveLength(1);
    expect(auditEntries(app)[0]).toMatchObject({ action: "number.profile", subject: "+4930000000" });
    expect((await owner.get(ofNumber("/profile"))).body.data).toMatchObject(texts);
  });

  test("a lost answer is found out by reading; what did not happen is said", async () => {
    const { graph } = world;
    const before = graph.faces.changes.length;
    graph.fault({ fault: { kind: "lost" } });
    const lost = await put("/profile", { ...texts, about: "Open" });
    expect([lost.status, lost.body.data.about, graph.faces.changes.length]).toEqual([200, "Open", before + 1]);
    graph.fault({ fault: { kind: "reset" } });
    const reset = await put("/profile", { ...texts, about: "Closed" });
    expect([reset.status, reset.body.error.whatsapp_code, graph.faces.profile.about]).toEqual([502, "timeout", "Open"]);
    expect(graph.faces.changes).toHaveLength(before + 1);
  });

  test("a text about the business, once there is one, cannot be taken away", async () => {
    expect((await put("/profile", { ...texts, about: "" })).body.error.fields.about[0]).toContain("does not take");
    const emptied = await put("/profile", { ...texts, about: "Open", description: "", websites: [] });
    expect(emptied.body.data).toMatchObject({ description: "", websites: [] });
  });

  test("a photo is a square JPEG; Meta's own is shown without its address", async () => {
    const { graph } = world;
    const wrong = [
      [Buffer.from("GIF89a"), "JPEG"],
      [jpegOf(0, 640, 480), "square"],
      [jpegOf(0, 100), "192"],
      [Buffer.alloc(5 * 1024 * 1024 + 1), "5 MB"],
    ] as const;
    for (const [bytes, says] of wrong) {
      const { status, body } = await putPhoto(bytes);
      expect([status, body.error?.fields.photo?.[0]]).toEqual([400, expect.stringContaining(says)]);
    }
    const first = await putPhoto(jpegOf(7));
    expect([first.status, first.body.data?.photo]).toEqual([200, expect.stringMatching(/^\w{16}$/)]);
    graph.fault({ fault: { kind: "lost" } });
    const second = await putPhoto(jpegOf(8));
    expect([second.status, graph.faces.photos.length]).toEqual([200, 2]);
    expect(second.body.data?.photo).not.toBe(first.body.data?.photo ?? "");
    const shown = await owner.get(ofNumber("/photo"));
    expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
  });

  test("what Meta cannot show is an error, and not an empty profile", async () => {
    const { graph } = world;
    graph.faces.isUnreadable = true;
    const { status, body } = await owner.get(ofNumber("/profile"));
    const changed = await put("/profile", { ...texts, about: "Unseen" });
    graph.faces.isUnreadable = false;
    expect([status, body.error.code, body.error.retryable]).toEqual([502, "whatsapp_error", true]);
    expect([changed.status, graph.faces.profile.about]).toEqual([502, "Open"]);
  });
});

describe("the username", () => {
  test("wrong ones are refused before Meta is asked; one that is taken, by Meta", async () => {
    const { graph } = world;
    const before = graph.faces.changes.length;
    for (const username of ["ab", "a".repeat(36), "shöp", "123", ".shop", "shop..one", "wwwshop", "shop.com"])
      expect((await put("/username", { username })).body.error.fields.username).toHaveLength(1);
    expect(graph.faces.changes).toHaveLength(before);
    graph.faces.taken.others.add("cornershop");
    expect((await put("/username", { username: "cornershop" })).body.error.fields.username[0]).toContain(
      "not available",
    );
  });

  test("is reserved, moved from another number, and released; a lost answer is found out by reading", async () => {
    const { graph, app } = world;
    graph.faces.suggestions = ["corner_shop"];
    expect((await owner.get(ofNumber("/profile"))).body.data.suggestions).toEqual(["corner_shop"]);
    graph.fault({ fault: { kind: "lost" } });
    const reserved = await put("/username", { username: "@Corner.Shop" });
    expect(reserved.body.data.username).toEqual({ username: "corner.shop", status: "reserved" });
    graph.faces.taken.ours.add("our_shop");
    expect((await put("/username", { username: "our_shop" })).body.error.fields.username[0]).toContain("moved");
    expect((await put("/username", { username: "our_shop", move: true })).body.data.username.username).toBe("our_shop");
    graph.fault({ fault: { kind: "reset" } });
    expect((await owner.ask("DELETE", ofNumber("/username"))).body.error.whatsapp_code).toBe("timeout");
    expect((await owner.ask("DELETE", ofNumber("/username"))).body.data.username).toBe(null);
    expect(auditEntries(app)[0]).toMatchObject({ action: "number.release-username" });
  });
});

describe("blocked people of a number", () => {
  test("are listed in pages, by their names where they are contacts, and unblocked", async () => {
    const { graph, app } = world;
    await world.hear(textFrom(graph, ANNA, "Hello", { timestamp: String(Math.floor(app.clock.now() / 1_000)) }));
    graph.faces.blocked.push(ANNA, ...Array.from({ length: 60 }, (_, index) => `+49151000${10_000 + index}`));
    const first = await member.get(ofNumber("/blocked"));
    expect([first.body.data.length, first.body.meta.has_more]).toEqual([50, true]);
    expect(first.body.data[0]).toMatchObject({ person: ANNA, contact_id: expect.any(Number) });
    expect(first.body.data[1]).toEqual({ person: "+4915100010000", contact_id: null, name: null, blocked_at: null });
    const second = await member.get(ofNumber(`/blocked?after=${first.body.meta.next}`));
    expect([second.body.data.length, second.body.meta.has_more]).toEqual([11, false]);
    // What the list shows, the conversation shows too.
    const [conversation] = (await app.call("GET", "/api/v1/conversations", { key: world.workspace.key })).body.data;
    expect(conversation.block_state).toBe("blocked");
    for (const name of [ANNA, "+4915100010000"])
      expect((await member.post(ofNumber("/unblock"), { person: name })).status).toBe(200);
    expect([graph.faces.blocked.length, graph.faces.blocked.includes(ANNA)]).toEqual([59, false]);
    expect((await member.post(ofNumber("/unblock"), { person: "nobody" })).body.error.fields.person).toBeDefined();
  });
});

test("who may see and change what: the profile is the owners', blocked people the members'", async () => {
  for (const visitor of [member, agent]) {
    expect((await visitor.get(ofNumber("/profile"))).status).toBe(404);
    expect((await visitor.ask("PUT", ofNumber("/profile"), texts)).status).toBe(404);
    expect((await visitor.ask("PUT", ofNumber("/username"), { username: "corner" })).status).toBe(404);
  }
  expect([(await agent.get(ofNumber("/blocked"))).status, (await agent.get(ofNumber("/link"))).status]).toEqual([
    404, 404,
  ]);
  const other = await world.app.workspace({ name: "Other", number: "+911244002200" });
  expect((await owner.get(ofNumber("/profile", other.numberId))).status).toBe(404);
});

test("the link and its code carry the first words", async () => {
  const plain = await member.get(ofNumber("/link"));
  expect(plain.body.data.link).toBe("https://wa.me/4930000000");
  const { link, modules } = (await member.get(ofNumber(`/link?text=${encodeURIComponent("Hi, a table & two?")}`))).body
    .data;
  expect(link).toBe("https://wa.me/4930000000?text=Hi%2C%20a%20table%20%26%20two%3F");
  expect(modules.every((row: string) => row.length === modules.length && /^[01]+$/.test(row))).toBe(true);
  expect((await member.get(ofNumber(`/link?text=${"a".repeat(301)}`))).body.error.fields.text).toBeDefined();
});

test("the simulator behaves the same: profile, photo, username", async () => {
  const empty = await owner.get(ofNumber("/profile", simulatedId));
  expect(empty.body.data).toMatchObject({
    about: "",
    websites: [],
    vertical: "UNDEFINED",
    photo: null,
    username: null,
  });
  expect((await put("/profile", texts, simulatedId)).body.data).toMatchObject(texts);
  expect((await put("/profile", { ...texts, about: "" }, simulatedId)).status).toBe(400);
  expect((await putPhoto(jpegOf(3), simulatedId)).body.data?.photo).toMatch(/^\w{16}$/);
  expect((await owner.get(ofNumber("/photo", simulatedId))).headers.get("content-type")).toBe("image/jpeg");
  const second = await owner.post(at("/numbers"), { phone: "+4930555002", name: "Second" }, { key: "b".repeat(32) });
  expect((await put("/username", { username: "corner" }, simulatedId)).body.data.username).toEqual({
    username: "corner",
    status: "approved",
  });
  const taken = await put("/username", { username: "corner" }, second.body.data.id);
  expect(taken.body.error.fields.username[0]).toContain("moved");
  await put("/username", { username: "corner", move: true }, second.body.data.id);
  expect((await owner.get(ofNumber("/profile", simulatedId))).body.data.username).toBe(null);
  expect((await owner.ask("DELETE", ofNumber("/username", second.body.data.id))).body.data.username).toBe(null);
});
