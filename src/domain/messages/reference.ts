/** A message that another one is about, by its id here: in requests, in messages and in events. Pure. */
import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { type FieldProblems, unknownName } from "#src/core/fault.ts";
import { absent, inDocument } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";

/** What it does not have is absent by name, so that a program that names two messages does not compile. */
const form = <Members extends TProperties>($id: string, description: string, members: Members, other: string) =>
  inDocument(Type.Object(members, { $id, additionalProperties: false, description }), {
    properties: { [other]: absent(`Not together with \`${Object.keys(members).join()}\`.`) },
  });

export const MessageReference = Type.Union(
  [
    form(
      "ReceivedReference",
      "A message that the person sent.",
      { inbound: Type.Integer({ description: "The `id` of `message.received`.", examples: [311] }) },
      "message",
    ),
    form(
      "SentReference",
      "A message that was sent to the person.",
      { message: Type.Integer({ description: "The `id` of the message.", examples: [1042] }) },
      "inbound",
    ),
  ],
  { $id: "MessageReference", description: "A message, received or sent." },
);
export type MessageReference = Static<typeof MessageReference>;

/** The same in an answer or an event, as one object, because readers of some languages cannot choose between forms. */
export const NamedMessage = Type.Object(
  { inbound: Type.Optional(Type.Integer()), message: Type.Optional(Type.Integer()) },
  {
    $id: "NamedMessage",
    description:
      "A message: `inbound` is the `id` of `message.received`, `message` the id of one that was sent. One of them is there.",
  },
);

/** What a request's message is about. Received messages belong to a later module, so the caller brings the query. */
export interface About {
  /** The member of the request that names it. */
  path: "reply_to" | "reaction.to";
  reference: MessageReference;
  find(tx: ReadTx, workspaceId: number, reference: MessageReference): FoundMessage | null;
}

export interface FoundMessage {
  contactId: number | null;
  numberId: number;
  /** Null: the network did not take it. */
  networkMessageId: string | null;
  /** When it was sent or received. */
  at: number;
  isReaction: boolean;
}

/** Adds what is wrong to `fields`; null then. The schema of a union alone says only that no form fits. */
export function readReference(raw: unknown, path: string, fields: FieldProblems): MessageReference | null {
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    fields[path] = [{ rule: "type", sentence: 'This has to be {"inbound": id} or {"message": id}.' }];
    return null;
  }
  const { inbound, message, ...others } = raw as Readonly<Record<string, unknown>>;
  const names = ["inbound", "message"];
  for (const name of Object.keys(others)) fields[`${path}.${name}`] = [unknownName("Unknown field.", name, names)];
  if ((inbound === undefined) === (message === undefined)) {
    const rule = inbound === undefined ? "required" : "conflict";
    fields[path] = [{ rule, sentence: "Name exactly one message: of inbound and message." }];
    return null;
  }
  const [name, id] = inbound === undefined ? (["message", message] as const) : (["inbound", inbound] as const);
  if (!Number.isInteger(id)) {
    fields[`${path}.${name}`] = [{ rule: "type", sentence: "This has to be a whole number." }];
    return null;
  }
  if (Object.keys(others).length > 0) return null;
  return name === "inbound" ? { inbound: Number(id) } : { message: Number(id) };
}
