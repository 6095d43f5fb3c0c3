/**
 * Whether a broadcast may send at this moment: workspace, number, template and breaker, read again before every
 * hand-over. What was frozen when it was built are values; permission never is.
 */
import type { Reading } from "#src/db/transaction.ts";
import { getFigures } from "../messages/adjust-counters.ts";
import { brokenBy } from "../messages/breaker.ts";
import { findNumber } from "../numbers/read.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { findInAccount } from "../templates/read.ts";
import type { Template } from "../templates/table.ts";
import { shapeOf } from "../templates/view.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { PauseCause } from "./broadcast.ts";
import type { Broadcast } from "./table.ts";

export type Obstacle =
  | { kind: "rests"; cause: PauseCause; reason: string }
  /** It never goes away. */
  | { kind: "ended"; reason: string };

export type Permission =
  | { isGiven: true; workspace: Workspace; sender: SendingNumber; template: Template }
  | { isGiven: false; obstacle: Obstacle };

export function readPermission(reading: Reading, broadcast: Broadcast): Permission {
  const workspace = getWorkspace(reading, broadcast.workspaceId);
  const sender = findNumber(reading, broadcast.numberId);
  const rests = (cause: PauseCause, reason: string): Permission => ({
    isGiven: false,
    obstacle: { kind: "rests", cause, reason },
  });
  if (sender === undefined) return ended(`the number ${broadcast.fromPhone} was removed`);
  const template = findInAccount(
    reading,
    workspace.id,
    sender.accountId,
    broadcast.templateName,
    broadcast.templateLanguage,
  );
  const { templateName } = broadcast;
  if (template === undefined) return ended(`the template ${templateName} was deleted`);
  if (template.status === "REJECTED") return ended(`the network has rejected the template ${templateName}`);
  if (template.status === "DISABLED") return ended(`the network has disabled the template ${templateName}`);
  if (workspace.suspendedAt !== null) {
    return rests("workspace", `the workspace is suspended: ${workspace.suspendedReason ?? "no reason was given"}`);
  }
  if (!sender.ready) {
    return rests(
      "number",
      `${sender.phone} cannot send: ${sender.unreadyReason ?? "the network has not made it ready"}`,
    );
  }
  if (template.status !== "APPROVED") {
    const how = template.status === "PAUSED" ? "has paused" : "is looking at";
    return rests("template", `the network ${how} the template ${templateName}`);
  }
  if (broadcast.templateRefusedAt !== null && template.updatedAt <= broadcast.templateRefusedAt) {
    return rests("template", `the network refused the template ${templateName} and has not approved it again`);
  }
  if (hasChanged(broadcast, template)) {
    return rests(
      "template_changed",
      `the template ${templateName} has changed since the broadcast was made; resume it if the new words are right`,
    );
  }
  const broken = brokenBy(getFigures(reading, broadcast.id));
  if (broken !== null) return rests("breaker", broken);
  return { isGiven: true, workspace, sender, template };
}

/** What stands in the way now; null: nothing. */
export function findObstacle(reading: Reading, broadcast: Broadcast): Obstacle | null {
  const permission = readPermission(reading, broadcast);
  return permission.isGiven ? null : permission.obstacle;
}

/** Undefined: it is gone, or its number is. */
export function findTemplateNow(reading: Reading, broadcast: Broadcast): Template | undefined {
  const sender = findNumber(reading, broadcast.numberId);
  if (sender === undefined) return undefined;
  const { workspaceId, templateName, templateLanguage } = broadcast;
  return findInAccount(reading, workspaceId, sender.accountId, templateName, templateLanguage);
}

function ended(reason: string): Permission {
  return { isGiven: false, obstacle: { kind: "ended", reason } };
}

/** Other words, or another price, than were confirmed. */
function hasChanged(broadcast: Broadcast, template: Template): boolean {
  return (
    template.category !== broadcast.templateCategory ||
    template.parameterFormat !== broadcast.templateFormat ||
    shapeOf(template).unsupported !== null ||
    JSON.stringify(template.components) !== JSON.stringify(broadcast.templateComponents)
  );
}
