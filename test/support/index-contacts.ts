/** Moves every single message to the index by contact, as the server does when thousands have accumulated. */
import type { Store } from "#src/db/store.ts";
import { copyStep, endMove, planMove } from "#src/domain/messages/contact-messages.ts";

export async function indexContacts(store: Store): Promise<void> {
  const move = store.read((tx) => planMove(tx, 1));
  if (move === null) return;
  for (let step = 0; step <= move.borders.length; step++) await store.write((tx) => copyStep(tx, move, step));
  await store.write((tx) => endMove(tx, move));
}
