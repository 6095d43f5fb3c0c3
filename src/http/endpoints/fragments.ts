/** Parts of answers that several areas of the console share. */
import { type Static, Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import type { listAuditEntries } from "#src/domain/users/audit-log.ts";
import { roleNames, workspaceRoles } from "#src/domain/users/roles.ts";
import { connectionSteps } from "#src/health/connection-rule.ts";
import { show } from "./show.ts";

export const OptionalText = Nullable(Type.String());
export const OptionalTime = Nullable(Instant());
export const OptionalCount = Nullable(Type.Integer());
export const Counts = Type.Record(Type.String(), Type.Integer());
/** Free of any schema: shown as it is. */
export const Details = Type.Record(Type.String(), Type.Unknown());
/** A row of another table by its name. */
export const Named = Type.Object({ id: Type.Integer(), name: Type.String() });
export const Network = OneOf(["simulator", "whatsapp"]);
export const RoleName = OneOf(roleNames);
export const MemberRole = OneOf(workspaceRoles);

const FINDING = {
  level: OneOf(["ok", "warning", "problem"]),
  check: Type.String(),
  message: Type.String(),
  next: OptionalText,
};

/** A finding of the doctor. `next`: null if there is nothing to do. */
export const Finding = Type.Object(FINDING);

/** The same for an owner: what to do is done in the browser. `issue`: what stays the same while the words may change. */
export const StepFinding = Type.Object({ ...FINDING, issue: OptionalText, step: OneOf(connectionSteps) });

export const AuditEntry = Type.Object({
  id: Type.Integer(),
  at: Instant(),
  /** Null: done on the command line or, with an address, by someone who was not signed in. */
  email: OptionalText,
  action: Type.String(),
  subject: Type.String(),
  details: Details,
  address: Type.String(),
});

/** `when`: in the timezone of the reader. */
export function viewAuditEntry(
  entry: ReturnType<typeof listAuditEntries>[number],
  when: (ms: number) => string,
): Static<typeof AuditEntry> {
  return show(AuditEntry, entry, when, {});
}
