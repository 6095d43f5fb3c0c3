/**
 * Refusals that stand for a limit of the person: another message to the person within the time that the network asks for
 * would be refused too, and counts against the sender. Pure: `error-table.ts` names the codes.
 */
import { codesThat } from "./error-codes.ts";

/**
 * The network asks to wait a day after the first such refusal, and longer after each further one (131049); the others of
 * the kind are treated alike, because nothing changes sooner.
 */
const CODES_THAT_WAIT = codesThat(({ sendAgain }) => sendAgain === "later");
/** Only a message of the person ends these. */
const CODES_UNTIL_ANSWERED = codesThat(({ sendAgain }) => sendAgain === "once_they_write");

const DAY_MS = 24 * 60 * 60 * 1000;
/** Refusals before this no longer count. */
const COUNTED_MS = 30 * DAY_MS;

/**
 * SQL that holds for a failed recipient, a row of `messages`, to whom another message may be sent at `at`: the person has
 * written since, or the wait is over. Reads the broadcasts' messages to the person of the last 30 days.
 */
export function maySendAgainSql(at: number): string {
  const waiting = CODES_THAT_WAIT.map((code) => `'${code}'`).join(", ");
  const limited = [...CODES_THAT_WAIT, ...CODES_UNTIL_ANSWERED].map((code) => `'${code}'`).join(", ");
  return `(error_code IS NULL OR error_code NOT IN (${limited})
    OR coalesce((SELECT last_message_at FROM contacts WHERE contacts.id = messages.contact_id), 0) > failed_at
    OR (error_code IN (${waiting}) AND coalesce((
      SELECT max(refused.failed_at) + count(*) * ${DAY_MS} FROM messages AS refused
      WHERE refused.contact_id = messages.contact_id AND refused.broadcast_id IS NOT NULL
        AND refused.dispatched_at > ${Math.trunc(at) - COUNTED_MS}
        AND refused.status = 'failed' AND refused.error_code IN (${waiting})
    ), 0) <= ${Math.trunc(at)}))`;
}
