/** What people send that is neither plain text nor a file, and asking a person for the phone number. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";

const USER_ID = "IN.13491208655302741918";
const PHONE = "+919876540011";

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "a person whose number WhatsApp does not share is asked for it once by a button, and is known when it comes",
    async () => {
      await using scenario = await startScenario({ width: 390, height: 844, isPhone: true });
      const { app, page, button, clean } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      await scenario.command(`simulate inbound --workspace 1 --from ${USER_ID} --text Hello`);
      await scenario.go("inbox?person=1");
      const ask = button("Ask for their number");
      await ask.waitFor();
      await clean("a conversation without a number");
      // Two presses before the answer ask once.
      await ask.dblclick();
      const conversation = page.getByRole("region", { name: "Conversation" });
      await conversation.getByText(/share your phone number/).waitFor();
      const shown = await scenario.read<{ data: { items: { kind: string }[] } }>("/inbox/1");
      expect(shown.data.items.map(({ kind }) => kind)).toEqual(["message", "inbound"]);
      // WhatsApp's button sends the person's own card.
      const card = join(app.directory, "card.json");
      await Bun.write(
        card,
        JSON.stringify({ contacts: [{ name: "Asha Rao", phone: PHONE, origin: "contact_request" }] }),
      );
      await scenario.command(`simulate inbound --workspace 1 --from ${USER_ID} --type contacts --file`, card);
      await conversation.getByText("Asha Rao").waitFor();
      await ask.waitFor({ state: "detached" });
      await page.getByText(PHONE, { exact: true }).filter({ visible: true }).first().waitFor();
      const known = await scenario.read<{ data: { to: string; has_phone: boolean } }>("/inbox/1");
      expect([known.data.to, known.data.has_phone]).toEqual([PHONE, true]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "an order has its prices, a form only the answers, and what WhatsApp does not pass on says so",
    async () => {
      await using scenario = await startScenario({ width: 390, height: 844, isPhone: true });
      const { app, page, clean } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      const play = async (type: string, members: object) => {
        const path = join(app.directory, `${type}.json`);
        await Bun.write(path, JSON.stringify(members));
        await scenario.command(`simulate inbound --workspace 1 --from ${PHONE} --type ${type} --file`, path);
      };
      await play("order", { order: { items: [{ id: "blue-1", quantity: 2, price: 12.5 }], currency: "EUR" } });
      await play("interactive", { form: { name: "flow", values: { flow_token: "secret-token", people: "2" } } });
      await play("unsupported", { unsupported: { reason: "A poll." } });
      await scenario.command(`simulate inbound --workspace 1 --from ${PHONE} --type video`);
      await scenario.command(`simulate inbound --workspace 1 --from ${PHONE} --text Blue`);
      await scenario.go("inbox?person=1");
      const conversation = page.getByRole("region", { name: "Conversation" });
      await conversation.getByText("Blue", { exact: true }).waitFor();
      const { data } = await scenario.read<{ data: { items: { key: string; text: string | null }[] } }>("/inbox/1");
      const blue = data.items.find(({ text }) => text === "Blue");
      await play("revoke", { deleted: { message_id: Number(blue?.key.slice(1)) } });
      await conversation.getByText("WhatsApp could not pass on this message.").waitFor();
      await conversation.getByText("A poll.").waitFor();
      const order = conversation.getByRole("table", { name: "Order" });
      expect(await order.getByRole("cell").allTextContents()).toEqual(["2 ×", "blue-1", "12.50", "Total", "25.00 EUR"]);
      await conversation.getByText("people", { exact: true }).waitFor();
      expect(await conversation.getByText("flow_token").count()).toBe(0);
      // A deletion names what was deleted.
      await conversation.getByLabel("About this message").getByText("Blue").waitFor();
      // The browser's controls have room, however small the video is.
      const video = await conversation.getByLabel("Video", { exact: true }).boundingBox();
      expect(video?.width).toBeGreaterThan(200);
      await clean("what people send");
    },
    SCENARIO_LIMIT_MS,
  );
});
