/** The body of a delivery: that of its event or, where an address gathers what a person writes, of several. */
import type { ReadTx } from "#src/db/transaction.ts";
import { bodiesOfBurst } from "./statements.ts";

/** The body of a delivery. `body`: that of its event. */
export function bodyOfDelivery(tx: ReadTx, deliveryId: number, type: string, body: string): string {
  if (type !== "message.received") return body;
  const bodies = bodiesOfBurst(tx).all({ deliveryId });
  return bodies.length === 0 ? body : joinBodies(bodies.map((one) => one.body));
}

interface Received {
  id: string;
  data: { message: { text: string | null } };
}

/** The newest event with all messages, under the id of the first. */
function joinBodies(bodies: readonly string[]): string {
  const events = bodies.map((body) => JSON.parse(body) as Received);
  const messages = events.map(({ data }) => data.message);
  const texts = messages.flatMap(({ text }) => (text === null ? [] : [text]));
  const newest = events.at(-1);
  return JSON.stringify({ ...newest, id: events[0]?.id, data: { ...newest?.data, texts, messages } });
}
