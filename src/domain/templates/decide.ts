/**
 * Applies the network's decision on a template, whatever its source. Approvals and rejections are events for the
 * customer.
 */

import { sql } from "drizzle-orm";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { isLonger } from "#src/core/text-limits.ts";
import { changeRow } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { scheduleSync } from "../numbers/account-sync.ts";
import { recordChange } from "../numbers/network-changes.ts";
import { listOfAccount } from "../numbers/read.ts";
import { publish, publishOnRequest } from "../webhooks/publish.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { recordedStatus } from "./network-status.ts";
import { findTemplate } from "./read.ts";
import { type Template, templates } from "./table.ts";
import { mediaKinds, orderIn, type TemplateStatus } from "./template.ts";
import { NO_REASON, shapeOf, viewTemplate } from "./view.ts";

const LINK_LENGTH_MAX = 2048;

/**
 * Moves a known template into `status`; an unchanged status emits no event. `reason` is the network's own and is set only
 * into the event; an approval has none.
 */
export function decideTemplate(tx: Tx, template: Template, status: TemplateStatus, reason: string | null): Template {
  if (template.status === status) return template;
  const wasApproved = sql`${templates.wasApproved} OR ${status} = 'APPROVED'`;
  const { id, status: previous } = template;
  const decided = changeRow(tx, templates, { id, status: previous }, { status, wasApproved, updatedAt: tx.now });
  if (decided === undefined) throw new Error(`template ${template.id} was not ${template.status} any more`);
  const workspace = getWorkspace(tx, template.workspaceId);
  const shown = { ...decided, statusReason: reason };
  if (status === "APPROVED") {
    publish(tx, workspace, "template.approved", { template: viewTemplate(shown, workspace), reason: null });
  } else if (status === "REJECTED") {
    publish(tx, workspace, "template.rejected", {
      template: viewTemplate(shown, workspace),
      reason: reason ?? NO_REASON,
    });
  }
  publishUpdated(tx, shown);
  return decided;
}

/** For addresses that asked to hear of every change. */
export function publishUpdated(tx: Tx, template: Template): void {
  const workspace = getWorkspace(tx, template.workspaceId);
  publishOnRequest(tx, workspace, "template.updated", () => ({ template: viewTemplate(template, workspace) }));
}

/** Applies a person's decision where no network decides, by name and language. Throws `not_found`. */
export function decideByName(
  tx: Tx,
  workspaceId: number,
  name: string,
  language: string,
  status: TemplateStatus,
  reason: string | null,
): Template {
  return decideWithReason(tx, requireTemplate(tx, workspaceId, name, language), status, reason);
}

/** Moves a template into `status` and stores the reason. The network's next report on the template replaces both. */
export function decideWithReason(tx: Tx, template: Template, status: TemplateStatus, reason: string | null): Template {
  const { id: templateId, workspaceId } = template;
  const told = { property: "status", known: recordedStatus(template), became: status, at: tx.now } as const;
  if (template.status !== status) recordChange(tx, { workspaceId, templateId }, { ...told, source: "own" });
  const decided = decideTemplate(tx, template, status, reason);
  const changes = { statusReason: reason, statusAt: tx.now };
  return changeRow(tx, templates, { id: decided.id }, changes) ?? decided;
}

/**
 * Stores a sample file, to be sent when the caller gives none. An account sync, scheduled at once, uploads it. Throws
 * `not_found`, and `invalid_request` (path `link`), also if the template's header takes no file.
 */
export function setSample(tx: Tx, workspaceId: number, name: string, language: string, link: string): Template {
  const problem = findLinkProblem(link);
  if (problem !== null) throw invalidRequest({ link: [problem] });
  const template = requireTemplate(tx, workspaceId, name, language);
  const kind = shapeOf(template).header?.type;
  if (!mediaKinds.some((known) => known === kind)) {
    throw invalidRequest({ link: [`${name} has no image, video or document at the top, so it takes no file.`] });
  }
  const changed = changeRow(tx, templates, { id: template.id }, { sampleLink: link, updatedAt: tx.now });
  for (const number of listOfAccount(tx, "whatsapp", template.accountId)) {
    if (number.workspaceId === workspaceId) scheduleSync(tx, number, 0);
  }
  return changed ?? template;
}

/** Confirms the order in which the template takes its values now, after a name has left its text. */
export function confirmOrder(tx: Tx, template: Template): Template {
  const shape = shapeOf(template);
  if (!shape.isOrderOpen) return template;
  const changes = { parameterOrder: orderIn(shape), updatedAt: tx.now };
  return changeRow(tx, templates, { id: template.id }, changes) ?? template;
}

/** Throws `not_found`. */
export function confirmByName(tx: Tx, workspaceId: number, name: string, language: string): Template {
  return confirmOrder(tx, requireTemplate(tx, workspaceId, name, language));
}

function findLinkProblem(link: string): string | null {
  if (!/^https:\/\/[^\s\p{C}]+$/iu.test(link) || !URL.canParse(link)) {
    return "The link must be a complete https address such as https://example.com/offer.jpg.";
  }
  return isLonger(link, LINK_LENGTH_MAX) ? `The link has at most ${LINK_LENGTH_MAX} characters.` : null;
}

function requireTemplate(tx: Tx, workspaceId: number, name: string, language: string): Template {
  const template = findTemplate(tx, workspaceId, name, language);
  if (template === undefined) throw notFound("template");
  return template;
}
