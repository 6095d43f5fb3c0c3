/** A refusal of a recipient that arrives while a message to them is being sent. */
import { expect, test } from "bun:test";
import { optOutOf, putContactOf, reportControl } from "#test/support/contacts.ts";
import { fakeNetwork, gate, refused, unknown } from "#test/support/fake-network.ts";
import { contactOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { sale, summerSale } from "#test/support/templates.ts";

const asha = "+919876543210";

const refusals: Record<string, (app: TestServer, shop: TestWorkspace) => Promise<unknown>> = {
  STOP: (app, shop) => app.inbound(shop, asha, "STOP"),
  "the network's control": (app, shop) => reportControl(app, shop, { value: "stop", waId: asha.slice(1) }),
  "an opt-out by the API": (app, shop) => optOutOf(app, shop, asha),
  "a PUT": (app, shop) => putContactOf(app, shop, asha, { consent: "opted_out" }),
};
const outcomes = { "is taken": "accepted", "is refused": refused("131000"), "is lost": unknown } as const;

for (const [what, refuse] of Object.entries(refusals)) {
  for (const [ends, outcome] of Object.entries(outcomes)) {
    test(`${what} while a message that ${ends} is being sent: the recipient is opted out afterwards and gets nothing more`, async () => {
      const network = fakeNetwork();
      await using app = await startTestServer({ networks: { simulator: network } });
      const shop = await app.workspace();
      await app.template(shop, summerSale);
      const slow = gate();
      network.next(slow.answer);
      const send = () => app.call("POST", "/api/v1/messages", { key: shop.key, body: sale() });
      const first = send();
      await app.clock.until(slow.reached);
      await refuse(app, shop);
      slow.open(outcome);
      expect((await app.clock.until(first)).status).toBe(outcome === "accepted" ? 201 : 502);
      expect(contactOf(app, asha).consent).toBe("opted_out");
      const next = await app.clock.until(send());
      expect([next.status, next.body.error.code]).toEqual([422, "opted_out"]);
      expect(network.sent).toHaveLength(1);
    });
  }
}
