/** The simulator's other side: a phone per test person, and beside it what a developer's software sees of the same. */
import { Type } from "@sinclair/typebox";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import type { Reading } from "#src/db/transaction.ts";
import { findById, findPerson } from "#src/domain/contacts/find.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import {
  composeInbound,
  composeStatus,
  FAILURE_CODE,
  type PlayedStatus,
  playedStatuses,
} from "#src/networks/simulator/phone.ts";
import { answerData, requireId } from "../../endpoint.ts";
import { readThread, type ThreadItem } from "../queries/conversation.ts";
import { attemptSteps, eventSteps, ownSteps, type Step } from "../queries/message-timeline.ts";
import { listEventsOfPhone, listPeopleLately } from "../queries/recent-activity.ts";
import { type ConsoleRoute, change } from "../route.ts";
import { viewStep, viewThreadItem } from "../view-messages.ts";
import { findOwn } from "./messages.ts";

const strict = { additionalProperties: false };
const PHONES = 40;
const THREAD = 60;
/** The developer's side follows the newest messages; older ones have their timeline. */
const FOLLOWED = 12;
const STEPS = 120;

export const simulatorRoutes: readonly ConsoleRoute[] = [
  {
    method: "GET",
    path: "/w/{workspace}/simulator",
    needs: "member",
    handle: ({ store, workspace }) =>
      store.read((reading) => {
        const numbers = simulated(reading, workspace.id);
        const ids = numbers.map(({ id }) => id);
        const phones = listPeopleLately(reading, workspace.id, ids)
          .flatMap((id) => findById(reading, workspace.id, id) ?? [])
          .flatMap((contact) => viewPhone(reading, contact, ids))
          .toSorted((one, other) => other.at - one.at)
          .slice(0, PHONES);
        return answerData(200, {
          numbers: numbers.map(({ id, phone, name, ready, unreadyReason }) => ({
            id,
            phone,
            name,
            ready,
            unready_reason: unreadyReason,
          })),
          phones: phones.map(({ contact, last }) => ({
            phone: contact.phone,
            name: contact.name,
            consent: contact.consent,
            last: viewThreadItem(last, workspace),
          })),
        });
      }),
  },
  {
    method: "GET",
    path: "/w/{workspace}/simulator/phones/{phone}",
    needs: "member",
    handle: ({ store, workspace, path }) =>
      store.read((reading) => {
        const found = findPerson(reading, workspace.id, path.phone ?? "", workspace.country);
        if (found === null) throw invalidRequest({ phone: [`"${path.phone}" is not a phone number.`] });
        const { phone, contact } = found;
        const ids = simulated(reading, workspace.id).map(({ id }) => id);
        const items =
          contact === null
            ? []
            : readThread(reading, contact.id, null, THREAD, { hasButtons: true }).items.filter((item) =>
                isOn(item, ids),
              );
        return answerData(200, {
          phone,
          contact: contact === null ? null : viewContact(reading, contact, workspace),
          items: items.map((item) => viewThreadItem(item, workspace)),
          steps: stepsOf(reading, workspace.id, phone, items).map(viewStep),
        });
      }),
  },
  {
    method: "POST",
    path: "/w/{workspace}/simulator/phones/{phone}/write",
    needs: "member",
    body: Type.Object(
      {
        text: Type.String({ maxLength: 4_096 }),
        number: Type.Integer(),
        is_button: Type.Optional(Type.Boolean()),
      },
      strict,
    ),
    handle: (call) =>
      change(call, (tx) => {
        const { workspace, path } = call;
        const given = call.body as { text: string; number: number; is_button?: boolean };
        const { text, number: id, is_button: isButton = false } = given;
        if (text.trim() === "") throw invalidRequest({ text: ["The text is blank."] });
        const number = simulated(tx, workspace.id).find((one) => one.id === id);
        if (number === undefined) throw notFound("number");
        const person = findPerson(tx, workspace.id, path.phone ?? "", workspace.country);
        if (person === null) throw invalidRequest({ phone: [`"${path.phone}" is not a phone number.`] });
        const { body } = composeInbound(tx.random, number, { from: person.phone, text, isButton, at: tx.now });
        storeCallback(tx, "simulator", body);
        return { status: 202, data: {}, deed: { action: "simulator.write", subject: person.phone } };
      }),
  },
  {
    method: "POST",
    path: "/w/{workspace}/simulator/messages/{id}/status",
    needs: "member",
    body: Type.Object(
      {
        status: Type.String({ enum: [...playedStatuses] }),
        code: Type.Optional(Type.String({ pattern: "^\\d{1,9}$" })),
      },
      strict,
    ),
    handle: (call) =>
      change(call, (tx) => {
        const { workspace, path } = call;
        const message = findOwn(tx, workspace.id, requireId(path.id, "message"));
        const number = simulated(tx, workspace.id).find(({ id }) => id === message?.numberId);
        if (message === undefined || number === undefined) throw notFound("message");
        const { status, code = FAILURE_CODE } = call.body as { status: PlayedStatus; code?: string };
        const { body } = composeStatus(tx.random, number, message, { status, code, at: tx.now });
        storeCallback(tx, "simulator", body);
        const details = status === "failed" ? { status, code } : { status };
        return { status: 202, data: {}, deed: { action: "simulator.status", subject: String(message.id), details } };
      }),
  },
];

function simulated(reading: Reading, workspaceId: number): SendingNumber[] {
  return listNumbers(reading, workspaceId).filter(({ network }) => network === "simulator");
}

function isOn(item: ThreadItem, numberIds: readonly number[]): boolean {
  return numberIds.includes(item.kind === "inbound" ? item.inbound.numberId : item.message.numberId);
}

/** Nothing for somebody without a phone, or with whom nothing passed on the simulator. */
function viewPhone(reading: Reading, contact: Contact, numberIds: readonly number[]) {
  if (contact.phone === null) return [];
  const last = readThread(reading, contact.id, null, 3).items.find((item) => isOn(item, numberIds));
  return last === undefined ? [] : [{ contact, last, at: last.at }];
}

/** The newest first. */
function stepsOf(reading: Reading, workspaceId: number, phone: string, items: readonly ThreadItem[]): Step[] {
  const messages = items.flatMap((item) => (item.kind === "message" ? [item.message] : [])).slice(0, FOLLOWED);
  const own = messages.flatMap((message) =>
    [...ownSteps(message), ...attemptSteps(reading, message)].map((step) => ({
      ...step,
      details: { ...step.details, message: message.id },
    })),
  );
  const events = listEventsOfPhone(reading, workspaceId, phone)
    .toReversed()
    .flatMap((event) => eventSteps(reading, event));
  // What happened in one millisecond stands in the order of cause and effect.
  const inOrder = [...own, ...events].toSorted((one, other) => one.at - other.at);
  return inOrder.toReversed().slice(0, STEPS);
}
