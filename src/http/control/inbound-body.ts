/**
 * What a person writes to a number of the simulator, and what else reaches it, as `POST /inbound` of the test control and
 * `waxwing simulate inbound` take it: the schema, the members that each type needs, and the callback that the network would send.
 */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { randomText } from "#src/core/id.ts";
import { invalidRequest, noProblems } from "#src/core/problem.ts";
import { Form, Nullable, OneOf } from "#src/core/schema.ts";
import { NETWORK_LABEL_LENGTH_MAX } from "#src/core/text-limits.ts";
import { isUserId } from "#src/core/user-id.ts";
import type { Tx } from "#src/db/transaction.ts";
import { findInbound } from "#src/domain/inbound/read.ts";
import { findVisible } from "#src/domain/messages/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { contentCallback } from "#src/networks/simulator/callback.ts";
import {
  type InboundType,
  inboundContent,
  inboundTypes,
  type PlayedInbound,
  referralMembers,
} from "#src/networks/simulator/inbound-content.ts";
import { type SimulatedFiles, sampleId } from "#src/networks/simulator/media.ts";
import { newNetworkId } from "#src/networks/simulator/phone.ts";
import { type PlayedReport, type ReportType, reportCallback, reportTypes } from "#src/networks/simulator/reports.ts";
import { findChoice, findForm } from "../sent-choices.ts";
import { invalidField, readE164, readTime } from "./route.ts";

const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
const text = Type.String({ minLength: 1, maxLength: 4_096 });
const label = Type.String({ minLength: 1, maxLength: 1_024 });
/** Of a contact card: as long, and as many, as `details` shows. */
const cardText = Type.String({ minLength: 1, maxLength: NETWORK_LABEL_LENGTH_MAX });
const cardEntries = Type.Array(cardText, { maxItems: 20 });
/**
 * A message by its id here, as `details` names it: `inbound` or `message`; or `message_id`, of an inbound, or with
 * `"direction": "out"` of one that was sent.
 */
const reference = {
  inbound: optional(Type.Integer()),
  message: optional(Type.Integer()),
  message_id: optional(Type.Integer()),
  direction: optional(OneOf(["in", "out"])),
};

const ReferenceForm = Form(reference);
type Reference = Static<typeof ReferenceForm>;

const members = {
  text,
  media: Form({
    mime_type: optional(label),
    filename: optional(label),
    content: optional(Type.String()),
    voice: optional(Type.Boolean()),
    animated: optional(Type.Boolean()),
    /** The network does not have the file. */
    missing: optional(Type.Boolean()),
  }),
  button: Form({ title: label, payload: optional(label) }),
  list: Form({ id: label, title: label, description: optional(label) }),
  form: Form({ name: label, values: Type.Record(Type.String(), Type.Unknown()) }),
  order: Form({
    catalog_id: optional(label),
    items: Type.Array(
      Form({
        id: optional(label),
        product: optional(label),
        quantity: Type.Integer({ minimum: 1 }),
        price: Type.Number({ minimum: 0 }),
      }),
      {
        minItems: 1,
        maxItems: 100,
      },
    ),
    currency: label,
  }),
  location: Form({
    latitude: Type.Number(),
    longitude: Type.Number(),
    name: optional(label),
    address: optional(label),
  }),
  /** As `details` shows them; `phone` is short for `phones` with one number. */
  contacts: Type.Array(
    Form({
      name: Nullable(cardText),
      company: optional(Nullable(cardText)),
      phone: optional(cardText),
      phones: optional(cardEntries),
      emails: optional(cardEntries),
      origin: optional(OneOf(["contact_request", "other"])),
      card: optional(Type.Record(Type.String(), Type.Unknown())),
    }),
    { minItems: 1, maxItems: 50 },
  ),
  reaction: Form({ ...reference, to: optional(ReferenceForm), emoji: Type.String({ maxLength: 64 }) }),
  edited: ReferenceForm,
  deleted: ReferenceForm,
  unsupported: Form({ reason: optional(label) }),
  system: Form({ phone: optional(label), user_id: optional(label), previous_user_id: optional(label) }),
  handover: OneOf(["control_passed", "control_taken"]),
  role: label,
  said_at: label,
  direction: OneOf(["in", "out"]),
  answered: Type.Boolean(),
  preference: OneOf(["stop", "resume"]),
  new_phone: label,
  new_user_id: label,
};
type Member = keyof typeof members;

export type PlayedType = InboundType | ReportType;
export const playedTypes: readonly PlayedType[] = [...inboundTypes, ...reportTypes];

/** What each type needs and may have; one of several needed members is enough. */
const TYPES: Readonly<Record<PlayedType, { needs: readonly Member[]; may: readonly Member[] }>> = {
  text: { needs: ["text"], may: [] },
  image: { needs: [], may: ["media", "text"] },
  video: { needs: [], may: ["media", "text"] },
  audio: { needs: [], may: ["media"] },
  document: { needs: [], may: ["media", "text"] },
  sticker: { needs: [], may: ["media"] },
  location: { needs: ["location"], may: [] },
  contacts: { needs: ["contacts"], may: [] },
  button: { needs: ["button"], may: [] },
  interactive: { needs: ["button", "list", "form"], may: [] },
  reaction: { needs: ["reaction"], may: [] },
  order: { needs: ["order"], may: ["text"] },
  edit: { needs: ["edited"], may: ["text"] },
  revoke: { needs: ["deleted"], may: [] },
  unsupported: { needs: [], may: ["unsupported"] },
  system: { needs: ["system"], may: [] },
  standby: { needs: ["text"], may: [] },
  handover: { needs: ["handover"], may: ["text", "role", "said_at"] },
  echo: { needs: ["text"], may: [] },
  history: { needs: ["text"], may: ["direction"] },
  call: { needs: [], may: ["answered"] },
  preference: { needs: ["preference"], may: [] },
  number_change: { needs: ["new_phone"], may: [] },
  user_id_change: { needs: ["new_user_id"], may: [] },
};

/** Of messages alone. */
const MESSAGE_MEMBERS = ["reply_to", "referral", "username", "parent_user_id"] as const;

const referral = Object.fromEntries(referralMembers.map((name) => [name, label]));

export const inboundSchema = Form({
  from: Type.String(),
  to: optional(Type.String()),
  user_id: optional(label),
  parent_user_id: optional(label),
  username: optional(Type.String({ minLength: 1, maxLength: 191 })),
  name: optional(Type.String({ minLength: 1, maxLength: 191 })),
  type: optional(OneOf(playedTypes)),
  /** The network's time; now if absent. */
  at: optional(Type.String()),
  ...Type.Partial(Type.Object(members)).properties,
  reply_to: optional(ReferenceForm),
  referral: optional(Type.Partial(Form(referral as Record<(typeof referralMembers)[number], typeof label>))),
});
export type InboundBody = Static<typeof inboundSchema>;

/** What the schema cannot say. Throws `invalid_request`. */
export function requireFitting(input: InboundBody): void {
  requireMembers(input.type ?? "text", input);
  requireUserIds(input);
}

/** `from`: E.164, or a user id. Keeps the bytes of a file in `files`. Throws `invalid_request` if a message that `input` refers to does not exist. */
export function composePlayed(
  tx: Tx,
  number: SendingNumber,
  files: SimulatedFiles,
  from: string,
  input: InboundBody,
): { networkMessageId: string; body: string } {
  const networkMessageId = newNetworkId(tx.random);
  const type = input.type ?? "text";
  const at = readNetworkTime(tx, input);
  if (isReport(type)) {
    const person = { networkMessageId, from, userId: input.user_id, at, name: input.name ?? null };
    return { networkMessageId, body: reportCallback(number, person, reportOf(type, from, input)) };
  }
  const unique = randomText(tx.random, 16);
  const bytes = input.media?.content;
  const mediaId = bytes === undefined && input.media?.missing !== true ? sampleId(type, unique) : unique;
  const content = inboundContent(played(tx, number, from, type, input), mediaId);
  if (bytes !== undefined) files.keep(mediaId, Buffer.from(bytes, "base64"));
  const envelope = { networkMessageId, from, at, name: input.name ?? null, ...idsOf(input), content };
  return { networkMessageId, body: contentCallback(number, envelope) };
}

function isReport(type: PlayedType): type is ReportType {
  return (reportTypes as readonly string[]).includes(type);
}

/** Throws `invalid_request`. */
function reportOf(type: ReportType, from: string, input: InboundBody): PlayedReport {
  const { text, handover, role, direction, answered, preference, new_phone: newPhone, new_user_id: newUserId } = input;
  return {
    ...{ type, text, handover, role, direction, answered, preference, newUserId },
    newPhone: newPhone === undefined ? undefined : readE164("new_phone", newPhone).slice(1),
    formerUserId: isUserId(from) ? from : input.user_id,
    saidAt: input.said_at === undefined ? undefined : readTime("said_at", input.said_at),
  };
}

/** The network names no time that is still to come. Throws `invalid_request`. */
function readNetworkTime({ now }: Tx, { at }: InboundBody): number {
  if (at === undefined) return now;
  const time = readTime("at", at);
  if (time > now) throw invalidField("at", "The network's time is never later than the clock's.");
  return time;
}

function idsOf({ username, user_id: userId, parent_user_id: parentUserId }: InboundBody) {
  return { username, userId, parentUserId };
}

/** Throws `invalid_request`. */
function requireUserIds({ user_id, parent_user_id, new_user_id, system }: InboundBody): void {
  const fields = noProblems();
  const given = { user_id, parent_user_id, new_user_id, "system.user_id": system?.user_id };
  for (const [path, id] of Object.entries({ ...given, "system.previous_user_id": system?.previous_user_id })) {
    if (id !== undefined && !isUserId(id)) fields[path] = ["A user id has the form US.13491208655302741918."];
  }
  if (system !== undefined && system.phone === undefined && system.user_id === undefined)
    fields.system = ["This needs phone or user_id."];
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
}

/** Throws `invalid_request`. */
function requireMembers(type: PlayedType, input: InboundBody): void {
  const { needs, may } = TYPES[type];
  const present = (Object.keys(members) as Member[]).filter((name) => input[name] !== undefined);
  const fields = noProblems();
  for (const name of present) {
    if (!needs.includes(name) && !may.includes(name)) fields[name] = [`This does not go with the type ${type}.`];
  }
  Object.assign(fields, reportProblems(type, input));
  const count = needs.filter((name) => present.includes(name)).length;
  const [first] = needs;
  if (first !== undefined && count !== 1) {
    fields[first] = [
      needs.length === 1 ? "This field is required." : `The type ${type} needs exactly one of ${needs.join(", ")}.`,
    ];
  }
  if (input.media?.content !== undefined && !isBase64(input.media.content))
    fields["media.content"] = ["This is not base64."];
  Object.assign(fields, nameProblems(input));
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
}

function reportProblems(type: PlayedType, input: InboundBody): Record<string, string[]> {
  if (!isReport(type)) return {};
  const strays = MESSAGE_MEMBERS.filter((name) => input[name] !== undefined);
  const isNamed = type !== "user_id_change" || input.user_id !== undefined || isUserId(input.from);
  return {
    ...Object.fromEntries(strays.map((name) => [name, [`This does not go with the type ${type}.`]])),
    ...(isNamed ? {} : { user_id: ["This has to be the former user id, because `from` is a phone number."] }),
  };
}

/** What has two names is named once. */
function nameProblems({ contacts = [], order }: InboundBody): Record<string, string[]> {
  const cards = contacts.flatMap(({ phone, phones }, index): [string, string[]][] =>
    phone === undefined || phones === undefined
      ? []
      : [[`contacts.${index}.phone`, ["Give either phone or phones, not both."]]],
  );
  const items = (order?.items ?? []).flatMap(({ id, product }, index): [string, string[]][] =>
    (id === undefined) === (product === undefined) ? [[`order.items.${index}.id`, ["Give either id or product."]]] : [],
  );
  return Object.fromEntries([...cards, ...items]);
}

function isBase64(content: string): boolean {
  return content.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(content);
}

function played(tx: Tx, number: SendingNumber, from: string, type: InboundType, input: InboundBody): PlayedInbound {
  const { reaction, edited, deleted, reply_to: replyTo, system, ...rest } = input;
  const idOf = (field: string, named: Reference): string => networkIdOf(tx, number.workspaceId, field, named);
  const original = edited ?? deleted;
  return {
    ...rest,
    type,
    reaction: reaction && { emoji: reaction.emoji, networkMessageId: idOf("reaction", reaction.to ?? reaction) },
    original: original && idOf(edited === undefined ? "deleted" : "edited", original),
    replyTo: replyTo && idOf("reply_to", replyTo),
    ...(type === "interactive" && replyTo === undefined ? answerTo(tx, number, from, rest) : {}),
    newPhone: system?.phone === undefined ? undefined : readE164("system.phone", system.phone).slice(1),
    newUserId: system?.user_id,
    formerUserId: system?.previous_user_id,
  };
}

/** An answer refers to the latest message with this button, row or form; its members are then those that were sent. */
function answerTo(
  tx: Tx,
  number: SendingNumber,
  from: string,
  { button, list, form }: Pick<InboundBody, "button" | "list" | "form">,
): Partial<PlayedInbound> {
  if (form !== undefined) return { replyTo: findForm(tx, number, from) ?? undefined };
  const choice = findChoice(tx, number, from, button?.payload ?? button?.title ?? list?.id ?? "");
  return choice === null ? {} : { replyTo: choice.networkMessageId, ...choice.chosen };
}

/** Throws `invalid_request`. */
function networkIdOf(tx: Tx, workspaceId: number, field: string, named: Reference): string {
  const { inbound, message } = named;
  const id = inbound ?? message ?? named.message_id;
  if (id === undefined) throw invalidField(`${field}.message_id`, "This field is required.");
  const direction = message === undefined ? (named.direction ?? "in") : "out";
  const found = direction === "in" ? findInbound(tx, workspaceId, id) : findVisible(tx, workspaceId, id);
  if (found?.networkMessageId != null) return found.networkMessageId;
  const hint = direction === "in" ? ' For a message that was sent, add "direction": "out".' : "";
  throw invalidField(`${field}.message_id`, `There is no such message.${hint}`);
}
