/**
 * The answer to a message is recorded by the row as it was dispatched. What may change under it meanwhile makes the
 * server read the row again.
 */
import { expect, test } from "bun:test";
import { acceptMessage } from "#src/domain/messages/accept.ts";
import { ERASED } from "#src/domain/messages/message.ts";
import { planSend } from "#src/domain/messages/plan.ts";
import { recordAnswered, requireMessage } from "#src/domain/messages/record-outcome.ts";
import { BY_A_KEY, INSTANCE, openTestStore } from "#test/support/store.ts";
import { summerSale } from "#test/support/templates.ts";

const changes: [name: string, sql: string][] = [
  ["nothing", "SELECT 1"],
  ["the person was erased", `UPDATE messages SET to_phone = '${ERASED}', text = '${ERASED}'`],
  ["the person became another contact", "UPDATE messages SET contact_id = (SELECT max(id) FROM contacts)"],
  ["another attempt was made", "UPDATE messages SET dispatched_at = dispatched_at + 1"],
  ["a status arrived first", "UPDATE messages SET status = 'delivered', sent_at = 1, delivered_at = 2"],
  [
    "it was given up",
    "UPDATE messages SET status = 'failed', failed_at = 1, outcome_unknown = 1, error_code = 'timeout'",
  ],
];

test.each(changes)("the recorded message is the stored one: %s", async (_, sql) => {
  await using at = await openTestStore(100_000_000);
  const { store, shop } = at;
  const send = (to: string) =>
    store.write((tx) => {
      const content = { type: "template", name: summerSale.name, language: null, media: null } as const;
      const variables = { isList: true, header: [], body: [] };
      const plan = planSend(tx, shop.id, { to, from: null, reference: null, content: { ...content, variables } });
      const options = {
        origin: "api",
        reference: null,
        sentBy: BY_A_KEY,
        instanceId: INSTANCE,
        idempotencyKey: null,
      } as const;
      return acceptMessage(tx, plan, options).message;
    });
  const dispatched = await send("+919876510001");
  await send("+919876510002");
  store.client.exec(sql.startsWith("UPDATE") ? `${sql} WHERE id = ${dispatched.id}` : sql);
  const named = { recipientId: null, recipientNetworkUserId: null };
  await store.write((tx) => {
    const recorded = recordAnswered(tx, dispatched, { kind: "accepted", networkMessageId: "wamid.1", ...named });
    expect(recorded).toEqual(requireMessage(tx, dispatched.id));
  });
});
