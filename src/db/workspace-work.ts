/** Keeps the work of one workspace from beginning while test control resets it, and tells when none is in flight. */
import { sql } from "drizzle-orm";
import type { ReadTx, Tx } from "./transaction.ts";

/** All that the workspace has had, removed ones too. */
export function listNumberRows({ db }: ReadTx, workspaceId: number): { id: number; phone: string }[] {
  return db.all(sql`SELECT id, phone FROM numbers WHERE workspace_id = ${workspaceId}`);
}

/** Nothing new begins. The rows that this changes are about to be replaced, so they need not fit together. */
export function blockWorkspace({ db }: Tx, workspaceId: number): void {
  // Deliveries that wait in memory find no address. Without a streak of timeouts they need not take turns for that.
  db.run(sql`UPDATE webhooks SET url = NULL, forward_url = NULL, consecutive_timeouts = 0
    WHERE workspace_id = ${workspaceId} AND (url IS NOT NULL OR forward_url IS NOT NULL)`);
  db.run(sql`UPDATE broadcasts SET status = 'paused', pause_cause = NULL, resume_at = NULL
    WHERE workspace_id = ${workspaceId} AND status IN ('scheduled', 'queueing', 'running', 'paused')`);
  db.run(sql`DELETE FROM outbox WHERE queue_key = ${workspaceId} AND run_id IS NULL`);
  db.run(sql`DELETE FROM callbacks WHERE done_at IS NULL AND EXISTS (
    SELECT 1 FROM numbers WHERE workspace_id = ${workspaceId}
      AND instr(callbacks.body, '"phone_number_id":"' || numbers.phone_number_id || '"') > 0)`);
}

/** Whether a job of the workspace is claimed or in memory, or one of these messages, which requests send, is of it. */
export function hasWorkInFlight({ db }: ReadTx, workspaceId: number, messageIds: readonly number[]): boolean {
  const [claimed] = db.all(sql`SELECT 1 FROM outbox WHERE queue_key = ${workspaceId} AND run_id IS NOT NULL LIMIT 1`);
  const [taken] = db.all(sql`SELECT 1 FROM deliveries
    WHERE workspace_id = ${workspaceId} AND status = 'pending' AND next_attempt_at IS NULL LIMIT 1`);
  if (claimed !== undefined || taken !== undefined) return true;
  return messageIds.some((id) => {
    const [own] = db.all(sql`SELECT 1 FROM messages WHERE id = ${id} AND workspace_id = ${workspaceId}`);
    return own !== undefined;
  });
}
