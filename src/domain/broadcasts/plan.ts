/**
 * Decides whether a broadcast may be created, and with what. Checks everything that depends on stored data except the
 * recipients, in the order in which errors are reported. It writes nothing; creating and previewing a broadcast share
 * it.
 */

import type { FieldProblems } from "#src/core/fault.ts";
import { formatInstant } from "#src/core/instant.ts";
import { invalidRequest, noProblems, notFound } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findAccount } from "../billing/account.ts";
import type { BillingAccount } from "../billing/table.ts";
import type { Filter } from "../filters/filter.ts";
import { readGroupFilter } from "../filters/group-filter.ts";
import { isDynamic } from "../groups/group.ts";
import { findGroup } from "../groups/read.ts";
import type { Group } from "../groups/table.ts";
import { chooseTemplate, fillTemplate, requireSendable, type TemplateInput } from "../messages/fill-template.ts";
import { type GivenValues, mapValues, placeValues } from "../messages/given-values.ts";
import type { HeaderFile } from "../messages/header-file.ts";
import { findFiles } from "../messages/named-files.ts";
import { requireActive, requireReady } from "../messages/plan.ts";
import type { FrozenValues } from "../messages/table.ts";
import type { TemplateParts } from "../messages/template-parts.ts";
import { chooseSender } from "../numbers/choose.ts";
import type { SendingNumber } from "../numbers/table.ts";
import type { Template } from "../templates/table.ts";
import { shapeOf } from "../templates/view.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { birthdayConditions } from "./birthday.ts";
import { type BroadcastValue, type BroadcastVariables, findUnknownFields, withLimits } from "./values.ts";

export interface BroadcastInput {
  name: string;
  template: string;
  language: string | null;
  variables: GivenValues<BroadcastValue>;
  media: HeaderFile | null;
  parts: TemplateParts;
  audience: { to: readonly string[] } | { groupId: number };
  from: string | null;
  /** Milliseconds; null: now. */
  sendAt: number | null;
}

export interface BroadcastPlan {
  workspace: Workspace;
  sender: SendingNumber;
  template: Template;
  /** Null: the workspace is not charged. */
  account: BillingAccount | null;
  group: PlannedGroup | null;
  /** Null: it starts at once. */
  sendAt: number | null;
  variables: BroadcastVariables;
  /** As given, with what each upload is. */
  media: HeaderFile | null;
  parts: TemplateParts;
}

interface PlannedGroup {
  group: Group;
  /** Null for a static group. */
  filter: Filter | null;
  isAboutBirthdays: boolean;
}

/** A `send_at` that passed less than this ago means now: clocks differ, and requests take time. */
const PAST_MAX_MS = 5 * 60 * 1000;

/** Throws the first `Problem` in the order that the API promises. */
export function planBroadcast(tx: ReadTx, workspaceId: number, input: BroadcastInput): BroadcastPlan {
  const workspace = getWorkspace(tx, workspaceId);
  requireActive(workspace);
  const group = "groupId" in input.audience ? requireGroup(tx, workspace, input.audience.groupId) : null;

  const fields: FieldProblems = noProblems();
  const resolved = chooseSender(tx, workspace, input.from);
  if ("fields" in resolved) Object.assign(fields, resolved.fields);
  const sender = "sender" in resolved ? resolved.sender : null;
  const named = findFiles(tx, workspace.id, input, fields);
  const template = templateInput(named, mapValues(input.variables, textIn));
  const startsAt = Math.max(tx.now, input.sendAt ?? 0);
  const choice = sender === null ? null : chooseTemplate(tx, workspace.id, sender.accountId, template, startsAt);
  if (choice !== null) Object.assign(fields, choice.fields);
  Object.assign(fields, findUnknownFields(tx, workspace.id, input.variables), findPast(tx, workspace, input));
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);

  const isAhead = input.sendAt !== null && input.sendAt > tx.now;
  // A number that is not ready yet may be ready by then; a missing number cannot be.
  const from = sender !== null && isAhead ? sender : requireReady(sender);
  const sendable = requireSendable(choice, template);
  fillTemplate(sendable, template);
  const shape = shapeOf(sendable);
  return {
    workspace,
    sender: from,
    template: sendable,
    account: findAccount(tx, workspace.id) ?? null,
    group,
    sendAt: isAhead ? input.sendAt : null,
    variables: withLimits(shape, placeValues(shape, input.variables)),
    media: named.media,
    parts: named.parts,
  };
}

/** The input for the template functions of single messages. */
export function templateInput(
  {
    template,
    language,
    media,
    parts,
    variables,
  }: Pick<BroadcastInput, "template" | "language" | "media" | "parts" | "variables">,
  values: FrozenValues,
): TemplateInput {
  const { isList, names, cards = [] } = variables;
  // Mapped values have the places of those that were given, and so their names.
  const namedCards = values.cards?.map((card, index) => ({ ...cards[index], ...card }));
  return {
    ...{ type: "template", name: template, language, media, parts },
    variables: { isList, names, ...values, ...(namedCards === undefined ? {} : { cards: namedCards }) },
  };
}

/** What is certain about a value: of a field, its fallback. */
function textIn(value: BroadcastValue): string {
  return "text" in value ? value.text : (value.fallback ?? "");
}

/** Throws `not_found`; a filter that refers to something that is gone is an error in the field `group`. */
function requireGroup(tx: ReadTx, workspace: Workspace, id: number): PlannedGroup {
  const group = findGroup(tx, workspace.id, id);
  if (group === undefined) throw notFound("group");
  if (!isDynamic(group)) return { group, filter: null, isAboutBirthdays: false };
  const filter = readGroupFilter(tx, workspace, group.filter);
  return { group, filter, isAboutBirthdays: birthdayConditions(filter).length > 0 };
}

function findPast(tx: ReadTx, { timezone }: Workspace, { sendAt }: BroadcastInput): FieldProblems {
  if (sendAt === null || sendAt >= tx.now - PAST_MAX_MS) return {};
  return { send_at: [`${formatInstant(sendAt, timezone)} has passed. Omit send_at to send now.`] };
}
