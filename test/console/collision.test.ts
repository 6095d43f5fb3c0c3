/** What two colleagues do to one conversation at once: the second is asked, by the server, and then it goes once. */
import { describe, expect, test } from "bun:test";
import { firstOperator, person, type Visitor } from "#test/support/console.ts";
import { ANNA, startThreads } from "#test/support/thread-world.ts";

async function start() {
  const world = await startThreads();
  const { app, shop } = world;
  await world.writes();
  await firstOperator(app);
  const base = `/w/${shop.id}`;
  const [asha, bob] = [
    await person(app, "asha@example.com", "member", shop.id),
    await person(app, "bob@example.com", "member", shop.id),
  ];
  const { contact_id: contact, id } = (await asha.get(`${base}/inbox`)).body.data[0];
  const read = async (visitor: Visitor) => (await visitor.get(`${base}/inbox/${contact}`)).body.data;
  const given = (version: string | undefined, key?: string) => ({
    ...(key === undefined ? {} : { key }),
    headers: version === undefined ? {} : { "if-match": version },
  });
  let keys = 0;
  return {
    ...{ app, shop, base, asha, bob, id, read, world },
    version: async (visitor: Visitor): Promise<string> => (await read(visitor)).version,
    send: (visitor: Visitor, text: string, version?: string, { key = `key ${++keys}`, more = {} } = {}) =>
      app.clock.until(visitor.post(`${base}/messages`, { to: ANNA, text, ...more }, given(version, key))),
    change: (visitor: Visitor, body: object, version?: string) =>
      visitor.ask("PATCH", `${base}/conversations/${id}`, body, given(version)),
    note: (visitor: Visitor, text: string) => visitor.post(`${base}/conversations/${id}/notes`, { text }),
    texts: async () =>
      (await read(asha)).items
        .filter(({ kind }: { kind: string }) => kind === "message")
        .map(({ text }: { text: string }) => text),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

describe("a reply into a conversation that changed", () => {
  test("is refused with what changed and who did it; nothing is sent, the key is unused, and then it goes once", async () => {
    await using all = await start();
    const { asha, bob, send, version, texts, app } = all;
    const [ashas, bobs] = [await version(asha), await version(bob)];
    expect((await send(bob, "From Bob", bobs)).status).toBe(201);
    const refused = await send(asha, "From Asha", ashas, { key: "ashas" });
    expect([refused.status, refused.body.error.code, refused.body.error.message]).toEqual([
      409,
      "conversation_changed",
      "The conversation changed since you read it (bob@example.com). Nothing was done.",
    ]);
    const { changes } = refused.body.error;
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatchObject({ kind: "item", by: "bob@example.com", item: { text: "From Bob" } });
    expect(await texts()).toEqual(["From Bob"]);
    const kept = () =>
      app.store.client.prepare("SELECT count(*) FROM idempotency_keys WHERE key = 'ashas'").pluck().get();
    expect(kept()).toBe(0);
    // The same request with the version of the refusal goes; its repetition is the same message, whatever changed.
    const sent = await send(asha, "From Asha", refused.body.error.version, { key: "ashas" });
    expect(sent.status).toBe(201);
    await all.world.writes({ text: "Both, please" });
    const again = await send(asha, "From Asha", ashas, { key: "ashas" });
    expect([again.status, again.body.data.id, again.headers.get("idempotent-replayed")]).toEqual([
      201,
      sent.body.data.id,
      "true",
    ]);
    expect(await texts()).toEqual(["From Asha", "From Bob"]);
  });

  test("is asked for each thing that others did, and for none that its user did or that answers nothing", async () => {
    await using all = await start();
    const { asha, bob, send, version, change, note, world, app, shop } = all;
    const askedFor = async (act: () => Promise<unknown>) => {
      const before = await version(asha);
      await act();
      const { status, body } = await send(asha, "Hello", before);
      return status === 201 ? "sent" : body.error.changes.map(({ kind, by }: Record<string, unknown>) => [kind, by]);
    };
    const colleague = "bob@example.com";
    expect(await askedFor(() => world.writes({ text: "And blue?" }))).toEqual([["item", null]]);
    expect(await askedFor(() => send(bob, "Yes"))).toEqual([["item", colleague]]);
    expect(await askedFor(() => world.call("POST", "/messages", { to: ANNA, text: "By software" }))).toEqual([
      ["item", expect.any(String)],
    ]);
    expect(await askedFor(() => world.echo())).toEqual([["item", null]]);
    expect(await askedFor(() => note(bob, "A regular"))).toEqual([["note", colleague]]);
    expect(await askedFor(() => change(bob, { state: "done" }))).toEqual([["state", colleague]]);
    expect(await askedFor(() => change(bob, { assignee: colleague, state: "open" }))).toEqual([
      ["assignee", colleague],
    ]);
    expect(await askedFor(() => change(bob, { state: "snoozed", assignee: null }))).toEqual([
      ["state", colleague],
      ["assignee", colleague],
    ]);
    // What this page sent is no news to it; what the same user sent from another is.
    expect(await askedFor(() => send(asha, "From elsewhere"))).toEqual([["item", "asha@example.com"]]);
    const before = await version(asha);
    const own = (await send(asha, "Mine", before)).body.data.id;
    expect((await send(asha, "And more", `${before} m${own}`)).status).toBe(201);
    expect((await send(asha, "And more", `${before} i${own}`)).status).toBe(400);
    expect(await askedFor(() => note(asha, "Mine"))).toBe("sent");
    expect(await askedFor(() => change(asha, { assignee: "asha@example.com", state: "done" }))).toBe("sent");
    expect(await askedFor(() => app.clock.advance(60_000))).toBe("sent");
    // A colleague's conversation with another person is another one.
    const other = () =>
      app.clock.until(
        bob.post(`/w/${shop.id}/messages`, { to: "+919999000009", template: "order_shipped", variables: ["A", 1] }),
      );
    expect(await askedFor(other)).toBe("sent");
  });

  test("is not asked of a caller that does not say what it read, of programs, or for an erased person; what is no version is refused", async () => {
    await using all = await start();
    const { asha, bob, send, version, world, shop, app } = all;
    const old = await version(asha);
    await send(bob, "From Bob");
    expect((await send(asha, "Without a version")).status).toBe(201);
    const ofProgram = { key: shop.key, body: { to: ANNA, text: "By software" }, headers: { "if-match": old } };
    expect((await app.call("POST", "/api/v1/messages", ofProgram)).status).toBe(201);
    const wrong = await send(asha, "Hello", "yesterday");
    expect([wrong.status, wrong.body.error.fields]).toEqual([
      400,
      { "If-Match": ["This is not the version of a conversation."] },
    ]);
    expect((await send(asha, "Hello", old.replace(/^c\d+/, "c999"))).status).toBe(201);
    const later = { send_at: new Date(app.clock.now() + 3_600_000).toISOString() };
    const scheduled = await send(asha, "Later", old, { more: later, key: "later" });
    expect([scheduled.status, scheduled.body.error.code]).toEqual([409, "conversation_changed"]);
    const next = await send(asha, "Later", scheduled.body.error.version, { more: later, key: "later" });
    expect(next.status).toBe(202);
    await world.call("GET", "/me");
  });

  test("of two that are sent at the same moment, one goes", async () => {
    await using all = await start();
    const { asha, bob, send, version, texts } = all;
    const [ashas, bobs] = [await version(asha), await version(bob)];
    const answers = await Promise.all([send(asha, "One", ashas), send(bob, "Two", bobs)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    expect(await texts()).toHaveLength(1);
  });
});

describe("a change of a conversation that changed", () => {
  test("asks before it is done or snoozed, and before it is taken from another colleague than the one in sight", async () => {
    await using all = await start();
    const { app, shop, asha, bob, send, version, change, world } = all;
    const chitra = await person(app, "chitra@example.com", "member", shop.id);
    const before = await version(asha);
    await world.writes({ text: "One more thing" });
    for (const body of [{ state: "done" }, { state: "snoozed" }, { snoozed_until: "2026-11-30T10:00:00Z" }]) {
      const { status, body: answer } = await change(asha, body, before);
      expect([body, status, answer.error.changes.length]).toEqual([body, 409, 1]);
    }
    const refused = await change(asha, { state: "done" }, before);
    expect((await change(asha, { state: "done" }, refused.body.error.version)).body.data.state).toBe("done");
    // To open it, and to give it to someone, no one is asked.
    await send(bob, "Bye");
    expect((await change(asha, { state: "open" }, before)).status).toBe(200);
    expect((await change(asha, { assignee: "bob@example.com" }, before)).status).toBe(200);
    const withBob = await version(asha);
    const taking = { assignee: "asha@example.com", take: true };
    await world.writes();
    await change(chitra, { assignee: "chitra@example.com", take: true });
    const { status, body } = await change(asha, taking, withBob);
    expect([status, body.error.changes]).toEqual([
      409,
      [{ kind: "assignee", by: "chitra@example.com", assignee: "chitra@example.com" }],
    ]);
    expect((await change(asha, taking, body.error.version)).body.data.assignee).toBe("asha@example.com");
    expect((await change(bob, { assignee: "bob@example.com" })).body.error.code).toBe("conversation_assigned");
  });
});
