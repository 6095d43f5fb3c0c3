/**
 * What a person on the simulated network can answer with: the buttons, rows and forms of interactive messages that were sent
 * to them. An answer refers to its message, as on the real network.
 */
import type { ReadTx } from "#src/db/transaction.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import { listDispatched, NEWEST } from "#src/domain/inbound/read-conversation.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";

/** What was pressed or chosen; the members are those of a played inbound message. */
type Chosen =
  | { button: { title: string; payload: string } }
  | { list: { id: string; title: string; description?: string } };

interface Choice {
  /** Of the message that was sent. */
  networkMessageId: string;
  chosen: Chosen;
}

/** How many of the last messages are examined. */
const EXAMINED_MAX = 20;

/** The button or row with this id or title, in the latest message that has one. `from`: as the person is named. */
export function findChoice(tx: ReadTx, number: SendingNumber, from: string, wanted: string): Choice | null {
  for (const { networkMessageId, interactive } of sentTo(tx, number, from)) {
    const button = interactive.buttons?.find(({ id, title }) => wanted === id || wanted === title);
    if (button !== undefined) {
      return { networkMessageId, chosen: { button: { title: button.title, payload: button.id } } };
    }
    const rows = interactive.list?.sections.flatMap((section) => section.rows) ?? [];
    const row = rows.find(({ id, title }) => wanted === id || wanted === title);
    if (row !== undefined) return { networkMessageId, chosen: { list: row } };
  }
  return null;
}

/** The network's id of the latest message that asked for a form or an address. */
export function findForm(tx: ReadTx, number: SendingNumber, from: string): string | null {
  const asked = sentTo(tx, number, from).find(({ interactive: { flow, address } }) => (flow ?? address) !== undefined);
  return asked?.networkMessageId ?? null;
}

/** Newest first. */
function sentTo(tx: ReadTx, { id: numberId, workspaceId }: SendingNumber, from: string) {
  const contact = lookUpContact(tx, workspaceId, from, getWorkspace(tx, workspaceId).country)?.contact ?? null;
  if (contact === null) return [];
  return listDispatched(tx, contact, NEWEST, EXAMINED_MAX).flatMap((message) => {
    const { content, networkMessageId } = message;
    const isHere = message.numberId === numberId && networkMessageId !== null;
    return isHere && content !== null && "interactive" in content
      ? [{ networkMessageId, interactive: content.interactive }]
      : [];
  });
}
