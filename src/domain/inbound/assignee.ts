/**
 * Who of the staff may answer a conversation: members of its workspace who see its number, and operators. An assignee who is
 * none of these any more does not count.
 */
import { and, asc, eq, isNull, or, sql } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import type { Conversation } from "../contacts/table.ts";
import { findMembership, findUser, seesNumber } from "../users/read.ts";
import { type User, users } from "../users/table.ts";

type Place = Pick<Conversation, "workspaceId" | "numberId">;

/** Whether a conversation on this number can be given to the user. */
export function mayAnswer(tx: ReadTx, user: User, { workspaceId, numberId }: Place): boolean {
  if (user.disabledAt !== null) return false;
  if (user.isOperator) return true;
  const membership = findMembership(tx, user.id, workspaceId);
  return membership !== undefined && seesNumber(membership, numberId);
}

const ANSWERERS_MAX = 200;

/** Those to whom a conversation on this number can be given, by address; the first of very many. */
export function listAnswerers(tx: ReadTx, place: Place): User[] {
  const isMember = sql`${users.id} IN (SELECT user_id FROM memberships WHERE workspace_id = ${place.workspaceId})`;
  return tx.db
    .select()
    .from(users)
    .where(and(isNull(users.disabledAt), or(eq(users.isOperator, true), isMember)))
    .orderBy(asc(users.emailKey))
    .limit(ANSWERERS_MAX)
    .all()
    .filter((user) => mayAnswer(tx, user, place));
}

/** Null: no user answers it. */
export function findAssignee(tx: ReadTx, conversation: Place & Pick<Conversation, "assigneeId">): User | null {
  const user = conversation.assigneeId === null ? undefined : findUser(tx, conversation.assigneeId);
  return user !== undefined && mayAnswer(tx, user, conversation) ? user : null;
}

/** SQL of a row of `conversations`: whether it has an assignee, as `findAssignee` says. */
export const IS_ASSIGNED_SQL = `EXISTS (SELECT 1 FROM users WHERE users.id = assignee_id AND disabled_at IS NULL AND (
    is_operator = 1 OR EXISTS (SELECT 1 FROM memberships
      WHERE memberships.user_id = users.id AND memberships.workspace_id = looked.workspace_id
        AND (number_ids IS NULL OR EXISTS (SELECT 1 FROM json_each(number_ids) WHERE value = looked.number_id)))))`;
