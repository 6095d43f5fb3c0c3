/** What a person on the simulated network presses or chooses refers to the message that offered it. */
import { expect, test } from "bun:test";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import { composePlayed, type InboundBody } from "#src/http/control/inbound-body.ts";
import { SimulatedFiles } from "#src/networks/simulator/media.ts";
import { firstOperator } from "#test/support/console.ts";
import { eventsOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";

const person = "+919876541234";

test("a button, a row and a form", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace();
  await app.inbound(shop, person, "Hello");
  const send = async (interactive: object): Promise<number> => {
    const body = { to: person, interactive: { body: "When?", ...interactive } };
    const { status, body: answer } = await app.send("POST", "/api/v1/messages", { key: shop.key, body });
    expect([status, answer.error]).toEqual([201, undefined]);
    return answer.data.id;
  };
  const buttons = [
    { id: "mon", title: "Monday" },
    { id: "tue", title: "Tuesday" },
  ];
  const first = await send({ buttons });
  const rows = [{ id: "am", title: "Morning", description: "8 to 12" }];
  const list = await send({ list: { button: "Choose", sections: [{ rows }] } });
  const form = await send({ flow: { id: "1", cta: "Book" } });
  const second = await send({ buttons: buttons.slice(0, 1) });
  await app.clock.advance(10_000);

  const play = async (input: Omit<InboundBody, "from">) => {
    await app.store.write((tx) => {
      const number = getNumber(tx, shop.numberId);
      const played = composePlayed(tx, number, new SimulatedFiles(app.directory), person, { from: person, ...input });
      storeCallback(tx, "simulator", played.body);
    });
    await app.clock.advance(1_000);
    return eventsOf(app, shop).findLast(({ type }) => type === "message.received")?.data.message;
  };
  const about = (id: number) => ({ message_id: id, direction: "out" });
  expect(await play({ type: "interactive", button: { title: "Tuesday" } })).toMatchObject({
    type: "interactive",
    text: "Tuesday",
    details: { button: { title: "Tuesday", payload: "tue" }, reply_to: about(first) },
  });
  expect(await play({ type: "interactive", button: { title: "any", payload: "mon" } })).toMatchObject({
    details: { button: { title: "Monday", payload: "mon" }, reply_to: about(second) },
  });
  expect(await play({ type: "interactive", list: { id: "am", title: "any" } })).toMatchObject({
    details: { list: { id: "am", title: "Morning", description: "8 to 12" }, reply_to: about(list) },
  });
  expect(await play({ type: "interactive", form: { name: "flow", values: { day: 1 } } })).toMatchObject({
    details: { form: { name: "flow" }, reply_to: about(form) },
  });
  const unsent = await play({ type: "interactive", button: { title: "Never offered", payload: "x" } });
  expect(unsent.details).toEqual({ button: { title: "Never offered", payload: "x" } });

  // On the console's phone, too.
  const operator = await firstOperator(app);
  const phone = `/w/${shop.id}/simulator/phones/${encodeURIComponent(person)}`;
  const { items } = (await operator.get(phone)).body.data as { items: { buttons?: { text: string }[] }[] };
  expect(items.flatMap(({ buttons: shown = [] }) => shown.map(({ text }) => text))).toEqual([
    ...["Monday", "Book", "Morning", "Monday", "Tuesday"],
  ]);
  const press = { text: "Tuesday", number: shop.numberId, is_button: true };
  expect((await operator.post(`${phone}/write`, press, { key: "press-1" })).status).toBe(202);
  await app.clock.advance(1_000);
  const pressed = eventsOf(app, shop).findLast(({ type }) => type === "message.received")?.data.message;
  expect(pressed.details).toMatchObject({ button: { payload: "tue" }, reply_to: about(first) });
});
