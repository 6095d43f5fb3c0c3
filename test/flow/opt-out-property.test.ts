/** Whatever is sent and said in whatever order: a person who said an opt-out word is not opted in by anything but START. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { putContactOf } from "#test/support/contacts.ts";
import { accepted, fakeNetwork } from "#test/support/fake-network.ts";
import { inForm } from "#test/support/long-form.ts";
import { optOutInputs } from "#test/support/opt-out-inputs.ts";
import { reportInbound } from "#test/support/report.ts";
import { contactsOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";
import { orderShipped, sale, shipped, summerSale } from "#test/support/templates.ts";

const RUNS = inForm({ short: 8, long: 150 });

const typed = optOutInputs.filter(({ form, meaning }) => form === "text" && meaning !== "none");

type Act =
  | { kind: "says"; text: string; after: number }
  | { kind: "hello" | "marketing" | "utility" | "text" | "put" | "broadcast"; after: number };

// Behind the person's own number is a second one, which the network may reveal to be the same person.
const act: fc.Arbitrary<Act & { by: 0 | 1 }> = fc
  .record({
    one: fc.oneof(
      fc.record({ kind: fc.constant("says" as const), text: fc.constantFrom(...typed.map(({ said }) => said)) }),
      fc.record({
        kind: fc.constantFrom(...(["hello", "marketing", "marketing", "utility", "text", "put", "broadcast"] as const)),
      }),
    ),
    after: fc.constantFrom(0, 1_000, 1_000, 60_000, 60_000, 90_000_000),
    by: fc.constantFrom(0 as const, 0 as const, 1 as const),
  })
  .map(({ one, ...rest }) => ({ ...one, ...rest }));

test(
  "a person who said an opt-out word is never opted in, and gets no marketing, whatever follows",
  async () => {
    const network = fakeNetwork();
    await using app = await startTestServer({ networks: { simulator: network } });
    let count = 0;
    let words = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 2, maxLength: 12 }), fc.boolean(), async (acts, isLinked) => {
        const shop = await app.workspace({});
        await app.template(shop, summerSale);
        await app.template(shop, orderShipped);
        count += 1;
        const phones = [0, 1].map((by) => `9198${by}7${String(count).padStart(7, "0")}`);
        if (isLinked) network.always((outbound) => accepted(outbound, { recipientId: phones[0] ?? "" }));
        else network.always((outbound) => accepted(outbound));
        const consentOf = (phone: string) => contactsOf(app).find((one) => one.phone === phone)?.consent ?? "unknown";
        const refused = new Set<string>();
        for (const one of acts) {
          const digits = phones[one.by] ?? "";
          const to = `+${digits}`;
          const before = new Map(phones.map((phone) => [`+${phone}`, consentOf(`+${phone}`)]));
          network.sent.length = 0;
          if (one.kind === "says" || one.kind === "hello") {
            await reportInbound(app, shop, { from: digits, text: one.kind === "says" ? one.text : "Hello" });
          } else if (one.kind === "put") await putContactOf(app, shop, to, { consent: "opted_in" });
          else if (one.kind === "broadcast") {
            const body = { name: "Sale", template: "summer_sale", to: phones.map((phone) => `+${phone}`) };
            await app.send("POST", "/api/v1/broadcasts", { key: shop.key, body });
            await app.clock.advance(10_000);
          } else {
            const body = { marketing: sale(to), utility: shipped(to), text: { to, text: "Hello" } }[one.kind];
            await app.send("POST", "/api/v1/messages", { key: shop.key, body });
          }
          for (const phone of refused) {
            const was = before.get(phone);
            // A doubt leaves the consent as it is: the caller's opt-in is recorded, and marketing waits all the same.
            const isRecorded = one.kind === "put" && (phone === to || isLinked) && was === "unknown";
            const isTurned = !isRecorded && was !== "opted_in" && consentOf(phone) === "opted_in";
            expect([phone, isTurned]).toEqual([phone, false]);
            const marketing = network.sent.filter(({ content, ...rest }) => {
              return rest.to === phone && content.type === "template" && content.name === "summer_sale";
            });
            expect(marketing).toEqual([]);
          }
          if (one.kind === "says") {
            words += 1;
            refused.add(to);
          }
          await app.clock.pass(one.after);
        }
      }),
      { numRuns: RUNS },
    );
    expect(words).toBeGreaterThan(RUNS / 2);
  },
  120_000 + RUNS * 4_000,
);
