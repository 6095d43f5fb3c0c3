/** The simulator: a phone for each test person, and beside it what a developer's software sees of the same messages. */
import { Type } from "@sinclair/typebox";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { Form, Nullable, OneOf } from "#src/core/schema.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { consents } from "#src/domain/contacts/consent.ts";
import { findById, isAddressable, lookUpContact, nameOfAddress } from "#src/domain/contacts/find.ts";
import { ContactView } from "#src/domain/contacts/schema.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { displayNameOf, viewContact } from "#src/domain/contacts/view.ts";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { type ConversationItem, readConversation } from "#src/domain/inbound/read-conversation.ts";
import { requireUnblocked } from "#src/domain/inbound/simulated-blocks.ts";
import { findWholeMessage } from "#src/domain/messages/read.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { findTemplate } from "#src/domain/templates/read.ts";
import type { Template } from "#src/domain/templates/table.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { composeAnswer, composeInbound, composeStatus, FAILURE_CODE } from "#src/networks/simulator/phone.ts";
import { attemptSteps, eventSteps, ownSteps, type TimelineStep } from "../console/queries/message-timeline.ts";
import { listEventsOfPhone, listRecentlyActiveContacts } from "../console/queries/recent-activity.ts";
import { findChoice } from "../sent-choices.ts";
import {
  ConversationItemView,
  TimelineStepView,
  viewConversationItem,
  viewTimelineStep,
} from "./conversation-items.ts";
import { Data, Empty, endpoint, Id } from "./endpoint.ts";
import { OptionalText } from "./fragments.ts";
import { TemplateDetail, viewTemplateDetail } from "./template-detail.ts";

const phone = { phone: Type.String() };
const PHONES_MAX = 40;
const ITEMS_MAX = 60;

/** How many of the newest messages the developer's side follows; older ones have their timeline. */
const MESSAGES_TRACED = 12;
const STEPS_MAX = 120;

export const simulatorEndpoints = {
  "GET /w/{workspace}/simulator": endpoint({
    session: "broadcasts",
    output: Data(
      Type.Object({
        numbers: Type.Array(
          Type.Object({
            id: Type.Integer(),
            phone: Type.String(),
            name: Type.String(),
            ready: Type.Boolean(),
            unready_reason: OptionalText,
          }),
        ),
        phones: Type.Array(
          Type.Object({
            phone: Type.String(),
            name: OptionalText,
            consent: OneOf(consents),
            last: ConversationItemView,
          }),
        ),
      }),
    ),
  }).load(({ store, turns, workspace }) => {
    const read = (tx: ReadTx) => showPhones(tx, workspace);
    return turns.take(workspace.id, () => store.read(read));
  }),
  "GET /w/{workspace}/simulator/phones/{phone}": endpoint({
    session: "broadcasts",
    params: phone,
    output: Data(
      Type.Object({
        phone: Type.String(),
        contact: Nullable(ContactView),
        items: Type.Array(ConversationItemView),
        /** Those of the items: what stands on the phone beside the text. */
        templates: Type.Array(TemplateDetail),
        steps: Type.Array(TimelineStepView),
      }),
    ),
  }).load(({ store, turns, workspace, path }) => {
    const read = (tx: ReadTx) => showPhone(tx, workspace, path.phone);
    return turns.take(workspace.id, () => store.read(read));
  }),
  "POST /w/{workspace}/simulator/phones/{phone}/write": endpoint({
    session: "broadcasts",
    params: phone,
    body: Form({
      text: Type.String({ maxLength: 4_096 }),
      number: Type.Integer(),
      is_button: Type.Optional(Type.Boolean()),
    }),
    output: Data(Empty),
  }).change((tx, call) => {
    const { workspace, path } = call;
    const input = call.body;
    const { text, number: id, is_button: isButton = false } = input;
    if (SHOWS_NOTHING.test(text)) throw invalidRequest({ text: ["The text is blank."] });
    const number = listSimulatorNumbers(tx, workspace.id).find((one) => one.id === id);
    if (number === undefined) throw notFound("number");
    const person = lookUpContact(tx, workspace.id, path.phone, workspace.country);
    if (person === null) throw invalidRequest({ phone: [`"${path.phone}" is not a phone number.`] });
    const from = nameOfAddress(person);
    requireUnblocked(tx, number, from, "text");
    const choice = isButton ? findChoice(tx, number, from, text) : null;
    const written = { from, text, isButton, at: tx.now };
    const { body } =
      choice === null
        ? composeInbound(tx.random, number, written)
        : composeAnswer(tx.random, number, { from, at: tx.now, ...choice });
    storeCallback(tx, "simulator", body);
    return { status: 202, data: {}, audit: { action: "simulator.write", subject: from } };
  }),
  "POST /w/{workspace}/simulator/messages/{id}/status": endpoint({
    session: "broadcasts",
    params: { id: Id("message") },
    body: Form({
      status: OneOf(["sent", "delivered", "read", "failed"]),
      code: Type.Optional(Type.String({ pattern: "^\\d{1,9}$" })),
    }),
    output: Data(Empty),
  }).change((tx, call) => {
    const { workspace, path } = call;
    const message = findWholeMessage(tx, workspace.id, path.id);
    const number = listSimulatorNumbers(tx, workspace.id).find(({ id }) => id === message?.numberId);
    if (message === undefined || number === undefined) throw notFound("message");
    const { status, code = FAILURE_CODE } = call.body;
    const { body } = composeStatus(tx.random, number, message, { status, code, at: tx.now });
    storeCallback(tx, "simulator", body);
    const details = status === "failed" ? { status, code } : { status };
    return { status: 202, data: {}, audit: { action: "simulator.status", subject: String(message.id), details } };
  }),
};

function listSimulatorNumbers(tx: ReadTx, workspaceId: number): SendingNumber[] {
  return listNumbers(tx, workspaceId).filter(({ network }) => network === "simulator");
}

function isOnNumbers(item: ConversationItem, numberIds: readonly number[]): boolean {
  return numberIds.includes(numberOf(item));
}

function showPhones(tx: ReadTx, workspace: Workspace) {
  const numbers = listSimulatorNumbers(tx, workspace.id);
  const ids = numbers.map(({ id }) => id);
  const phones = listRecentlyActiveContacts(tx, workspace.id, ids)
    .flatMap((id) => findById(tx, workspace.id, id) ?? [])
    .flatMap((contact) => viewPhone(tx, contact, ids))
    .toSorted((one, other) => other.at - one.at)
    .slice(0, PHONES_MAX);
  return {
    numbers: numbers.map(({ id, phone, name, ready, unreadyReason }) => ({
      id,
      phone,
      name,
      ready,
      unready_reason: unreadyReason,
    })),
    phones: phones.map(({ contact, last }) => ({
      phone: contact.phone ?? contact.networkUserId ?? "",
      name: displayNameOf(contact),
      consent: contact.consent,
      last: viewConversationItem(last, workspace),
    })),
  };
}

function showPhone(tx: ReadTx, workspace: Workspace, given: string) {
  const found = lookUpContact(tx, workspace.id, given, workspace.country);
  if (found === null) throw invalidRequest({ phone: [`"${given}" is not a phone number.`] });
  const phone = nameOfAddress(found);
  const { contact } = found;
  const ids = listSimulatorNumbers(tx, workspace.id).map(({ id }) => id);
  const items =
    contact === null
      ? []
      : readConversation(tx, contact, null, ITEMS_MAX, { hasButtons: true }).items.filter((item) =>
          isOnNumbers(item, ids),
        );
  return {
    phone,
    contact: contact === null ? null : viewContact(tx, contact, workspace),
    items: items.map((item) => viewConversationItem(item, workspace)),
    templates: templatesOf(tx, workspace.id, items).map((template) => viewTemplateDetail(template, workspace)),
    steps: listSteps(tx, workspace.id, phone, items).map(viewTimelineStep),
  };
}

function templatesOf(tx: ReadTx, workspaceId: number, items: readonly ConversationItem[]): Template[] {
  const found = new Map<string, Template | undefined>();
  for (const item of items) {
    if (item.kind !== "message" || item.message.templateName === null) continue;
    const { templateName: name, templateLanguage: language } = item.message;
    const key = `${name} ${language}`;
    if (!found.has(key)) found.set(key, findTemplate(tx, workspaceId, name, language ?? ""));
  }
  return [...found.values()].filter((template) => template !== undefined);
}

function numberOf(item: ConversationItem): number {
  switch (item.kind) {
    case "inbound":
      return item.inbound.numberId;
    case "echo":
      return item.echo.numberId;
    case "message":
      return item.message.numberId;
  }
}

/** Empty for an erased contact, or without messages on the simulator. */
function viewPhone(tx: ReadTx, contact: Contact, numberIds: readonly number[]) {
  if (!isAddressable(contact)) return [];
  const last = readConversation(tx, contact, null, 3).items.find((item) => isOnNumbers(item, numberIds));
  return last === undefined ? [] : [{ contact, last, at: last.at }];
}

/** Newest first. */
function listSteps(tx: ReadTx, workspaceId: number, phone: string, items: readonly ConversationItem[]): TimelineStep[] {
  const messages = items.flatMap((item) => (item.kind === "message" ? [item.message] : [])).slice(0, MESSAGES_TRACED);
  const own = messages.flatMap((message) =>
    [...ownSteps(message), ...attemptSteps(tx, message)].map((step) => ({
      ...step,
      details: { ...step.details, message: message.id },
    })),
  );
  const events = listEventsOfPhone(tx, workspaceId, phone)
    .toReversed()
    .flatMap((event) => eventSteps(tx, event));
  // Within one millisecond, cause stays before effect: the sort is stable, and the lists are in causal order.
  const inOrder = [...own, ...events].toSorted((one, other) => one.at - other.at);
  return inOrder.toReversed().slice(0, STEPS_MAX);
}
