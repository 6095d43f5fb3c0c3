/** The body of `POST /messages`: its schema, and the conversion from JSON to the input of the domain. */
import { type Static, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import type { Fault, FieldProblems } from "#src/core/fault.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { absent, FORM, Form, FormComponent, inDocument, OneOf } from "#src/core/schema.ts";
import { findReferenced } from "#src/domain/inbound/referenced.ts";
import { checkDirect, directCategories } from "#src/domain/messages/direct-send.ts";
import type { TemplateInput } from "#src/domain/messages/fill-template.ts";
import { type RequestedName, readKind, requestedKinds, type ServiceContent } from "#src/domain/messages/kinds/kinds.ts";
import type { Later } from "#src/domain/messages/later.ts";
import type { SendInput } from "#src/domain/messages/plan.ts";
import { type About, MessageReference, readReference } from "#src/domain/messages/reference.ts";
import { findFieldProblems, readTogether } from "../validate.ts";
import { OrderPart, partsOf, readCardValues, readParts } from "./template-parts.ts";
import { readSendAt, TIME_PATTERN } from "./time.ts";
import {
  checkWellFormed,
  HeaderMediaBody,
  LiteralOrNull,
  LiteralValue,
  readHeaderMedia,
  readLiteral,
  readVariables,
  VariablesBody,
} from "./variables.ts";

const REFERENCE_LENGTH_MAX = 191;

const SEND_FORM = { ...FORM, dependentRequired: { cancel_on_reply: ["send_at"] } };

/** Members of every form. */
const later = {
  send_at: Type.Optional(
    inDocument(
      Type.String({
        format: "date-time",
        description:
          "When to send the message, at most 90 days ahead: it is accepted with 202 and `status: scheduled`, and evaluated again when it is due. A time without an offset is interpreted in the workspace's timezone, and a date is its first instant. A time up to 5 minutes in the past counts as now.",
        examples: ["2026-11-27T10:00:00+05:30"],
      }),
      { pattern: TIME_PATTERN },
    ),
  ),
  cancel_on_reply: Type.Optional(
    Type.Boolean({
      description:
        "With `send_at`: cancel the message if the person writes before it is sent. A reaction does not count as writing.",
    }),
  ),
};

const Phone = Type.String({
  description: "A phone number in any common format. Without a country code, the workspace's country is assumed.",
  examples: ["+442079460210"],
});

const From = Type.Optional(
  Type.String({
    description: "One of the workspace's sending numbers. Required only if the workspace has more than one.",
    examples: ["+442079460100"],
  }),
);

const Reference = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: REFERENCE_LENGTH_MAX,
    description:
      "Your own id of the message, such as an order number. The message and its events show it, and `GET /messages?reference=` finds it. It is not sent to the network and need not be unique.",
    examples: ["order-10042"],
  }),
);

const take = {
  take: Type.Optional(
    Type.Boolean({
      description:
        "What happens where another sender on the number has the conversation. `true`: the message is sent, and takes it. `false`: the message is refused with `thread_owned_elsewhere`. Without it: the message is sent where Meta's Business Agent has the conversation, which then is yours, and refused where any other sender has it.",
    }),
  ),
};

const TemplateForm = FormComponent("SendTemplate", "Sends an approved template. Templates can be sent at any time.", {
  to: Phone,
  template: Type.String({ description: "Name of the template.", examples: ["order_shipped"] }),
  language: Type.Optional(
    Type.String({
      description: "Language of the template. Required only if the template exists in several languages.",
      examples: ["en_US"],
    }),
  ),
  variables: Type.Optional(VariablesBody),
  media: Type.Optional(HeaderMediaBody),
  ...partsOf("TemplateCard", LiteralValue, LiteralOrNull, ["orders/10042"]),
  ...OrderPart,
  from: From,
  reference: Reference,
  ...later,
});

/** Kinds that are no kind beside a template, but fill its header. */
const headerNames: readonly RequestedName[] = ["media", "location"];
/** Members of a template alone. */
const templateNames = [...["language", "variables", "cards", "products", "offer_expires_at", "order_details"]] as const;
const requestedNames = Object.keys(requestedKinds) as RequestedName[];
const kindNames = ["template", ...requestedNames] as const;

const SendTemplateBody = inDocument(TemplateForm, {
  ...SEND_FORM,
  properties: {
    ...absentBeside(
      "template",
      requestedNames.filter((name) => !headerNames.includes(name)),
    ),
    reply_to: absent("Only without `template`."),
    take: absent("Only without `template`: a template can always be sent."),
    category: absent("Only without `template`, which has its own."),
    preview_url: absent("Only with `text`."),
  },
});

function absentBeside(own: string, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, absent(`Not together with \`${own}\`.`)]));
}

const replyMember = { reply_to: Type.Optional(MessageReference) };

interface KindForm<Members> {
  $id: string;
  description: string;
  members: Members;
}

const categoryMember = {
  category: Type.Optional(
    OneOf(
      directCategories,
      "Sends the message as a template of this category is sent: at any time, charged, and counted under every limit. WhatsApp makes a template of it. Only accounts that Meta has enabled for Direct Send may; for others the answer is 422 `window_closed`. At most 1,024 characters, with `buttons` or a `link` and a text as header, and without `reply_to`, `preview_url` and `take`.",
    ),
  ),
};

/** The form of a free message, which has none of the members of the others. */
function formOf<Members extends TProperties, Shared extends TProperties>(
  { $id, description, members }: KindForm<Members>,
  shared: Shared,
) {
  const form = FormComponent($id, description, {
    to: Phone,
    ...members,
    ...shared,
    ...take,
    from: From,
    reference: Reference,
    ...later,
  });
  const [own = ""] = Object.keys(members);
  const others = {
    ...absentBeside(own, kindNames),
    ...Object.fromEntries(templateNames.map((name) => [name, absent("Only with `template`.")])),
    preview_url: absent("Only with `text`."),
    category: absent("Only with `text` or `interactive`."),
    reply_to: absent("A reaction names its message in `to`."),
  };
  const properties = Object.fromEntries(Object.entries(others).filter(([name]) => !(name in form.properties)));
  return inDocument(form, { ...SEND_FORM, properties });
}

const freeForms = {
  text: formOf(requestedKinds.text.form, { ...replyMember, ...categoryMember }),
  media: formOf(requestedKinds.media.form, replyMember),
  location: formOf(requestedKinds.location.form, replyMember),
  contacts: formOf(requestedKinds.contacts.form, replyMember),
  interactive: formOf(requestedKinds.interactive.form, { ...replyMember, ...categoryMember }),
  reaction: formOf(requestedKinds.reaction.form, {}),
} as const satisfies Record<RequestedName, TSchema>;
export const SendMessageBody = Type.Union(
  [
    SendTemplateBody,
    freeForms.text,
    freeForms.media,
    freeForms.location,
    freeForms.contacts,
    freeForms.interactive,
    freeForms.reaction,
  ],
  {
    $id: "SendMessage",
    description: "Either a template or one kind of free message: exactly one of their members is there.",
  },
);

/** Fields that several forms have, for a body that is not clearly one of them. */
function anyForm(names: readonly string[]) {
  return Form({
    to: Phone,
    from: From,
    reference: Reference,
    cancel_on_reply: later.cancel_on_reply,
    send_at: Type.Optional(Type.Unknown()),
    ...take,
    ...categoryMember,
    // Taken out before the check; a misspelt member is compared with these names, too.
    ...Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Unknown())])),
  });
}
const AnyReaction = anyForm(kindNames);
const AnyFreeForm = anyForm([...kindNames, "reply_to", "preview_url"]);
const AnyForm = anyForm([...kindNames, "reply_to", "preview_url", ...templateNames]);

/**
 * Checks everything that can be checked from the request alone. Throws `invalid_request` with every wrong field. `timezone`:
 * in which a time without an offset is read.
 */
export function readSendMessage(body: Readonly<Record<string, unknown>>, timezone: string): SendInput {
  if (body.send_at === undefined && body.cancel_on_reply === undefined) return readContent(body, timezone);
  // A time is read by hand, because it may have no offset.
  const { send_at, ...rest } = body;
  const [input, later] = readTogether(
    () => readContent(rest, timezone),
    () => readLater(send_at, rest.cancel_on_reply === true, timezone),
  );
  return { ...input, later };
}

function readLater(rawSendAt: unknown, cancelOnReply: boolean, timezone: string): Later {
  const fields: FieldProblems = {};
  const sendAt = readSendAt(rawSendAt, timezone, fields);
  if (rawSendAt === undefined)
    fields.cancel_on_reply = [{ rule: "conflict", sentence: "Only a message with send_at can be cancelled." }];
  if (sendAt === null) throw invalidRequest(fields);
  return { sendAt, cancelOnReply };
}

function readContent(body: Readonly<Record<string, unknown>>, timezone: string): SendInput {
  const isTemplate = body.template !== undefined;
  const free = requestedNames.filter((name) => body[name] !== undefined && !(isTemplate && headerNames.includes(name)));
  const [only] = free;
  if (isTemplate && only === undefined) return readTemplate(body, timezone);
  if (!isTemplate && only !== undefined && free.length === 1) return readFree(only, body);
  const given = isTemplate ? ["template", ...free] : free;
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !kindNames.some((kind) => kind === name)));
  const fields = findFieldProblems(isTemplate || only === undefined ? AnyForm : AnyFreeForm, rest);
  const fault: Fault =
    only === undefined
      ? { rule: "required", sentence: `Send exactly one of ${kindNames.join(", ")}.` }
      : { rule: "conflict", sentence: `Send exactly one of ${given.join(", ")}: each is a message of its own.` };
  for (const name of only === undefined ? ["template", "text"] : given) fields[name] = [fault];
  throw invalidRequest(fields);
}

function readFree(name: RequestedName, body: Readonly<Record<string, unknown>>): SendInput {
  const kind = readKind(name);
  // A union of references is checked by hand, for better sentences.
  const { reply_to: rawReference, ...rest } = body;
  const fields = findMisfits(name, name === "reaction" ? body : rest);
  const isOwn = (path: string): boolean => (path.split(".")[0] ?? "") in kind.form.members;
  // What no schema can say is looked at once the members fit theirs.
  const content = Object.keys(fields).some(isOwn) ? null : kind.read(body, fields);
  const isAnswer = rawReference !== undefined && name !== "reaction";
  const replyTo = isAnswer ? readReference(rawReference, "reply_to", fields) : null;
  const isDirect = body.category !== undefined;
  if (isDirect && content !== null) checkDirectRequest(body, content, fields);
  checkWellFormed(fields, body);
  if (content === null || Object.keys(fields).length > 0) throw invalidRequest(fields);
  const given = body as { to: string; from?: string; reference?: string; take?: boolean };
  const { to, from = null, reference = null, take: isTaking = null } = given;
  return { to, from, reference, content, isDirect, about: aboutOf(content, replyTo), take: isTaking };
}

const WITHOUT_CATEGORY = {
  reply_to: "A message with a `category` quotes none.",
  preview_url: "A message with a `category` has no preview.",
  take: "A message with a `category` can be sent in any conversation.",
} as const;

function checkDirectRequest(
  body: Readonly<Record<string, unknown>>,
  content: ServiceContent,
  fields: FieldProblems,
): void {
  checkDirect(content, fields);
  for (const [name, sentence] of Object.entries(WITHOUT_CATEGORY)) {
    if (body[name] !== undefined) fields[name] ??= [{ rule: "conflict", sentence }];
  }
}

function aboutOf(content: ServiceContent, replyTo: MessageReference | null): About | null {
  if (content.type === "reaction") {
    return { path: "reaction.to", reference: content.reaction.to, find: findReferenced };
  }
  return replyTo === null ? null : { path: "reply_to", reference: replyTo, find: findReferenced };
}

function findMisfits(name: RequestedName, body: Readonly<Record<string, unknown>>): FieldProblems {
  const { fitted } = readKind(name);
  if (fitted === undefined) return findFieldProblems(freeForms[name], body);
  const around = findFieldProblems(name === "reaction" ? AnyReaction : AnyFreeForm, body);
  return Object.assign(around, findFieldProblems(fitted(body[name]), body[name], name));
}

function readTemplate(body: Readonly<Record<string, unknown>>, timezone: string): SendInput {
  // A union's schema only says that no form fits, so the values are checked form by form.
  const { variables: rawVariables, ...rest } = body;
  const fields = findFieldProblems(SendTemplateBody, rest);
  const given = readVariables(rawVariables, fields, readLiteral);
  const variables = { ...given, ...readCardValues(body.cards, fields, readLiteral) };
  const { to, template, language, from, reference, ...others } = body as Static<typeof SendTemplateBody>;
  const media = readHeaderMedia(others.media, fields);
  const parts = readParts(others, timezone, fields);
  checkWellFormed(fields, rest);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  const content: TemplateInput = {
    type: "template",
    name: template,
    language: language ?? null,
    variables,
    media,
    parts,
  };
  return { to, from: from ?? null, reference: reference ?? null, content, about: null };
}
