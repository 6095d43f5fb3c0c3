/** Keeps the work of one workspace from beginning while test control resets it, and tells when none is in flight. */
import { sql } from "drizzle-orm";
import { NUMBER_QUEUES } from "./queue-keys.ts";
import type { ReadTx, Tx } from "./transaction.ts";

/** All that the workspace has had, removed ones too. */
export function listNumberRows({ db }: ReadTx, workspaceId: number): { id: number; phone: string }[] {
  return db.all(sql`SELECT id, phone FROM numbers WHERE workspace_id = ${workspaceId}`);
}

/** The queues of the workspace's jobs: its own, those of its further webhook addresses, and those of its numbers. */
export function listQueueKeys(tx: ReadTx, workspaceId: number): number[] {
  const further = tx.db.all<{ id: number }>(sql`SELECT id FROM further_webhooks WHERE workspace_id = ${workspaceId}`);
  const ofNumbers = listNumberRows(tx, workspaceId).map(({ id }) => NUMBER_QUEUES + id);
  return [workspaceId, ...further.map(({ id }) => -id), ...ofNumbers];
}

/** Nothing new begins. The rows that this changes are about to be replaced, so they need not fit together. */
export function blockWorkspace({ db }: Tx, workspaceId: number): void {
  db.run(sql`UPDATE webhooks SET url = NULL, forward_url = NULL
    WHERE workspace_id = ${workspaceId} AND (url IS NOT NULL OR forward_url IS NOT NULL)`);
  db.run(sql`UPDATE further_webhooks SET disabled_at = 0 WHERE workspace_id = ${workspaceId} AND disabled_at IS NULL`);
  db.run(sql`UPDATE broadcasts SET status = 'paused', pause_cause = NULL, resume_at = NULL
    WHERE workspace_id = ${workspaceId} AND status IN ('scheduled', 'queueing', 'running', 'paused')`);
  db.run(sql`DELETE FROM outbox WHERE queue_key = ${workspaceId}
    OR queue_key IN (SELECT -id FROM further_webhooks WHERE workspace_id = ${workspaceId})
    OR queue_key IN (SELECT ${NUMBER_QUEUES} + id FROM numbers WHERE workspace_id = ${workspaceId})`);
  db.run(sql`DELETE FROM callbacks WHERE done_at IS NULL AND EXISTS (
    SELECT 1 FROM numbers WHERE workspace_id = ${workspaceId}
      AND instr(callbacks.body, '"phone_number_id":"' || numbers.phone_number_id || '"') > 0)`);
}

/** Whether one of these messages, which requests send, is of the workspace. */
export function hasMessageOf({ db }: ReadTx, workspaceId: number, messageIds: readonly number[]): boolean {
  return messageIds.some((id) => {
    const [own] = db.all(sql`SELECT 1 FROM messages WHERE id = ${id} AND workspace_id = ${workspaceId}`);
    return own !== undefined;
  });
}
