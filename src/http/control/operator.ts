/**
 * `/control/v1/operator`: what a person at the console or the command line would do: decide on a template, set a number to
 * ready, pause and resume a broadcast, erase a contact, send a test event.
 */
import { type Static, Type } from "@sinclair/typebox";
import { Form, OneOf } from "#src/core/schema.ts";
import type { Tx } from "#src/db/transaction.ts";
import { pauseBroadcast, resumeManually } from "#src/domain/broadcasts/pause.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import { findByPhone } from "#src/domain/contacts/find.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { clearRestriction } from "#src/domain/numbers/network-state.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import { markReady } from "#src/domain/numbers/readiness.ts";
import { decideByName } from "#src/domain/templates/decide.ts";
import { templateStatuses } from "#src/domain/templates/template.ts";
import { sendTestEvent } from "#src/domain/webhooks/publish.ts";
import { answerJson } from "../answer.ts";
import { declareCall, findWorkspaceId, invalidField, readE164 } from "./route.ts";

const acts = [
  "decide_template",
  "ready_number",
  "pause_broadcast",
  "resume_broadcast",
  "erase_contact",
  "send_test_event",
] as const;

const OperatorBody = Form({
  do: OneOf(acts),
  workspace: Type.Optional(Type.Integer()),
  name: Type.Optional(Type.String()),
  language: Type.Optional(Type.String()),
  status: Type.Optional(OneOf(templateStatuses)),
  reason: Type.Optional(Type.String()),
  id: Type.Optional(Type.Integer()),
  phone: Type.Optional(Type.String()),
});
type OperatorBody = Static<typeof OperatorBody>;

/** The members that an act needs beside `do`. */
const NEEDS: Readonly<Record<OperatorBody["do"], readonly (keyof OperatorBody)[]>> = {
  decide_template: ["name", "language", "status"],
  ready_number: ["phone"],
  pause_broadcast: ["id"],
  resume_broadcast: ["id"],
  erase_contact: ["phone"],
  send_test_event: [],
};
export const operatorRoutes = [
  declareCall("POST /operator", { body: OperatorBody }, async ({ body, store, clock, erase }) => {
    requireMembers(body);
    const { phone = "" } = body;
    if (body.do === "erase_contact") await erase((tx) => contactOf(tx, findWorkspaceId(tx, body.workspace), phone));
    else await store.write((tx) => act(tx, findWorkspaceId(tx, body.workspace), body));
    await clock.settle();
    return answerJson(200, { done: body.do });
  }),
];

/** Throws `invalid_request`. */
function requireMembers(input: OperatorBody): void {
  const needs = NEEDS[input.do];
  const missing = needs.find((name) => input[name] === undefined);
  if (missing !== undefined) throw invalidField(missing, "This field is required.");
  const may = [...needs, "do", "workspace", ...(input.do === "decide_template" ? ["reason"] : [])];
  const stray = Object.keys(input).find((name) => !may.includes(name));
  if (stray !== undefined) throw invalidField(stray, `This does not go with ${input.do}.`);
}

function act(tx: Tx, workspaceId: number, input: OperatorBody): void {
  const { name = "", language = "", status = "APPROVED", reason = null, id = 0, phone = "" } = input;
  if (input.do === "decide_template") decideByName(tx, workspaceId, name, language, status, reason);
  else if (input.do === "ready_number") readyNumber(tx, workspaceId, phone);
  else if (input.do === "send_test_event") sendTestEvent(tx, workspaceId);
  else {
    const broadcast = findBroadcast(tx, workspaceId, id);
    if (broadcast === undefined) throw invalidField("id", "There is no such broadcast.");
    if (input.do === "resume_broadcast") resumeManually(tx, broadcast);
    else if (pauseBroadcast(tx, broadcast, "manual", "paused by hand") === null)
      throw invalidField("id", `This broadcast is ${broadcast.status}, so it cannot be paused.`);
  }
}

/** Throws `invalid_request`. */
function readyNumber(tx: Tx, workspaceId: number, phone: string): void {
  const number = listNumbers(tx, workspaceId).find((one) => one.phone === readE164("phone", phone));
  if (number === undefined) throw invalidField("phone", "This workspace has no such number.");
  clearRestriction(tx, number);
  markReady(tx, number.id);
}

/** Throws `invalid_request`. */
function contactOf(tx: Tx, workspaceId: number, phone: string): Contact {
  const contact = findByPhone(tx, workspaceId, readE164("phone", phone));
  if (contact === undefined) throw invalidField("phone", "There is no such contact.");
  return contact;
}
