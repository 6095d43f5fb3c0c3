/**
 * What needs a person's attention in the workspaces: numbers, broadcasts, balances. Each query returns a few rows at most;
 * further conditions appear once these are resolved.
 */
import { type ForeignText, quoted } from "#src/core/foreign-text.ts";
import { type PauseCause, pauseCauses, resumesAutomatically } from "#src/domain/broadcasts/broadcast.ts";
import { allowanceOf, monthOf, SERVICE_ALLOWANCE } from "#src/domain/messages/network-usage.ts";
import { LASTS_MS, PEOPLE_MAX } from "#src/domain/numbers/unlisted-refusals.ts";
import type { Found, Rule, WorkspaceSources } from "./rule.ts";

/** Per kind. */
const ROWS_MAX = 10;
/** Most accounts in need of a look are used up and idle, so more of them are read than are shown. */
const ACCOUNTS_MAX = 200;
const DAY_MS = 24 * 60 * 60_000;
const USE_DAYS = 7;
/** No timezone is further from UTC. */
const TIMEZONE_MAX_MS = 14 * 60 * 60_000;
const SERVICE_WARNING = 0.8;
/** A person has paused it, and knows. A broadcast that is being changed is reported once its time has passed. */
const CAUSES_OF_PEOPLE: readonly PauseCause[] = ["manual", "changing"];
const WAITING_CAUSES = pauseCauses.filter((cause) => !resumesAutomatically(cause) && !CAUSES_OF_PEOPLE.includes(cause));

type Row = Record<string, unknown>;

/** What every condition of a number says of it. `row` has `id`, `phone` and `workspace_id`. */
function ofNumber(row: Row): Pick<Found, "of" | "subject" | "workspaceId" | "subjectId"> {
  const id = Number(row.id);
  return { of: id, subject: `number ${row.phone}`, workspaceId: Number(row.workspace_id), subjectId: id };
}

export const workspaceRules = {
  number_not_ready: {
    severity: "critical",
    check: "number",
    of: "ID",
    when: "a number cannot send",
    /** Of numbers on the simulator: `find-connection.ts` says why for the others. */
    async probe({ query }) {
      const rows = await query(
        `SELECT n.id, n.phone, n.unready_reason, n.unready_by, n.workspace_id, w.name AS workspace
        FROM numbers n JOIN workspaces w ON w.id = n.workspace_id
        WHERE n.removed_at IS NULL AND n.network = 'simulator' AND n.ready = 0 ORDER BY n.id LIMIT ${ROWS_MAX}`,
      );
      return rows.map((row) => ({
        ...ofNumber(row),
        says: `${row.phone} can't send: ${foreign(row.unready_reason)}`,
        hits: `${foreign(row.workspace)}: sends from this number are rejected and its broadcasts are paused.`,
        ...(row.unready_by === "person"
          ? {
              next: "A user stopped sending from it. Set it to ready when the reason is resolved.",
              command: `waxwing number ready ${row.id}`,
            }
          : { next: "Run the setup check: it says what the network requires.", command: "waxwing doctor" }),
      }));
    },
  },
  broadcast_paused: {
    severity: "critical",
    check: "broadcast",
    of: "ID",
    when: "a broadcast is paused and resumes only when a person decides; not if it was paused by hand, and if it is being changed, once its time has passed",
    next: "Resume or cancel it. It does not resume automatically.",
    async probe({ query, now }) {
      const rows = await query(
        `SELECT b.id, b.name, b.status_reason, b.workspace_id, w.name AS workspace
        FROM broadcasts b JOIN workspaces w ON w.id = b.workspace_id
        WHERE b.status IN ('scheduled', 'queueing', 'running', 'paused') AND b.status = 'paused'
          AND (b.pause_cause IN (${WAITING_CAUSES.map((cause) => `'${cause}'`).join(", ")})
            OR (b.pause_cause = 'changing' AND b.send_at <= ?))
        ORDER BY b.id LIMIT ${ROWS_MAX}`,
        [now],
      );
      return rows.map((row) => ({
        of: Number(row.id),
        subject: `broadcast ${row.id}`,
        says: `${foreign(row.name)} is paused: ${foreign(row.status_reason)}`,
        hits: `${foreign(row.workspace)}: recipients who have not been sent the message yet.`,
        command: `waxwing broadcast show ${row.id}`,
        workspaceId: Number(row.workspace_id),
        subjectId: Number(row.id),
      }));
    },
  },
  unlisted_refusals: {
    severity: "warning",
    check: "number",
    of: "ID",
    when: "the network refused a number's messages to ten consecutive people with a code that this version does not know",
    next: "Read what WhatsApp says, and look the code up in Meta's list. A message that is accepted ends this entry, and so does resuming a broadcast.",
    async probe({ query, now }) {
      const rows = await query(
        `SELECT n.id, n.phone, u.kind, u.code, u.message, u.began_at, n.workspace_id, w.name AS workspace
        FROM unlisted_refusals u JOIN numbers n ON n.id = u.number_id JOIN workspaces w ON w.id = n.workspace_id
        WHERE n.removed_at IS NULL AND u.changed_at > ? AND json_array_length(u.people) >= ${PEOPLE_MAX}
        ORDER BY n.id LIMIT ${ROWS_MAX}`,
        [now - LASTS_MS],
      );
      // One condition a number: of templates rather than of free messages, because broadcasts wait for a person.
      const freeFirst = rows.toSorted(
        (one, other) => Number(one.kind === "template") - Number(other.kind === "template"),
      );
      const byNumber = new Map(freeFirst.map((row) => [row.id, row]));
      return [...byNumber.values()].map((row) => ({
        ...ofNumber(row),
        says: `WhatsApp refused ${row.kind === "template" ? "templates" : "free messages"} of ${row.phone} to ten consecutive people with error ${row.code}, which this version does not know: ${foreign(row.message)}`,
        since: Number(row.began_at),
        hits:
          row.kind === "template"
            ? `${foreign(row.workspace)}: broadcasts from this number are paused. Single messages are still sent.`
            : `${foreign(row.workspace)}: replies from this number are likely to be refused. Templates are not affected.`,
        command: `waxwing doctor --workspace ${row.workspace_id}`,
      }));
    },
  },
  balance_low: {
    severity: "critical",
    check: "balance",
    of: "ID",
    when: "a workspace's balance is below a day's use: the mean of the last seven days",
    next: "Credit the workspace.",
    probe: findLowBalances,
  },
  service_allowance: {
    severity: "warning",
    check: "number",
    of: "ID",
    when: "a number has used 80% of the replies that Meta delivers free of charge in a month",
    next: "Check in Meta's Business Manager that the WhatsApp account has a payment method.",
    async probe({ query, now }) {
      const months = [now - TIMEZONE_MAX_MS, now + TIMEZONE_MAX_MS].map((at) => monthOf(at, "UTC"));
      const rows = await query(
        `SELECT n.id, n.phone, n.workspace_id, w.name AS workspace, w.timezone, u.month, sum(u.messages) AS count
        FROM numbers n JOIN workspaces w ON w.id = n.workspace_id
        JOIN network_usage u ON u.number_id = n.id AND u.month IN (?, ?)
        WHERE n.removed_at IS NULL AND u.category = 'service' AND u.type <> 'free_entry_point'
        GROUP BY n.id, u.month HAVING sum(u.messages) >= ? ORDER BY n.id LIMIT ${ROWS_MAX}`,
        [months[0] ?? "", months[1] ?? "", SERVICE_ALLOWANCE * SERVICE_WARNING],
      );
      return rows.flatMap((row) => {
        const allowance = allowanceOf(String(row.month));
        if (allowance === null || row.month !== monthOf(now, String(row.timezone))) return [];
        const workspace = foreign(row.workspace);
        return {
          ...ofNumber(row),
          says: `${row.phone} has sent ${row.count} of the ${allowance} service messages (replies) that Meta delivers free of charge in a month.`,
          hits:
            Number(row.count) >= allowance
              ? `${workspace}: Meta bills each further reply, and delivers none without a payment method.`
              : `${workspace}: Meta will bill replies beyond ${allowance}, and deliver none without a payment method.`,
          command: `waxwing doctor --workspace ${row.workspace_id}`,
        };
      });
    },
  },
  workspace_suspended: {
    severity: "warning",
    check: "workspace",
    of: "ID",
    when: "a workspace is suspended",
    next: "Resume it in Workspaces when the reason is resolved.",
    async probe({ query }) {
      const rows = await query(
        `SELECT id, name, suspended_at, suspended_reason FROM workspaces WHERE suspended_at IS NOT NULL
        ORDER BY suspended_at LIMIT ${ROWS_MAX}`,
      );
      return rows.map((row) => ({
        of: Number(row.id),
        subject: `workspace ${foreign(row.name)}`,
        says: `${foreign(row.name)} is suspended: ${foreign(row.suspended_reason)}`,
        since: Number(row.suspended_at),
        hits: `${foreign(row.name)}: it can't send messages.`,
        command: `waxwing workspace resume ${row.id}`,
        workspaceId: Number(row.id),
      }));
    },
  },
} as const satisfies Record<string, Rule>;

/**
 * A workspace whose balance is at least a seventh of all that it was ever charged cannot be below its mean day, so its
 * ledger is not read.
 */
async function findLowBalances({ query, now }: WorkspaceSources): Promise<readonly Found[]> {
  const accounts = await query(
    `SELECT a.workspace_id, a.currency, a.credited - a.held - a.charged AS available, w.name AS workspace
    FROM billing_accounts a JOIN workspaces w ON w.id = a.workspace_id
    WHERE w.suspended_at IS NULL AND (a.credited - a.held - a.charged) * ${USE_DAYS} < a.charged
    ORDER BY a.workspace_id LIMIT ${ACCOUNTS_MAX}`,
  );
  if (accounts.length === 0) return [];
  const firstId = await firstEntrySince(query, now - USE_DAYS * DAY_MS);
  const found: Found[] = [];
  for (const { workspace_id: id, currency, available, workspace } of accounts) {
    if (found.length === ROWS_MAX) break;
    const [used] = await query(
      "SELECT coalesce(sum(amount), 0) AS used FROM ledger_entries WHERE workspace_id = ? AND id >= ? AND kind = 'charge'",
      [Number(id), firstId],
    );
    const perDay = Math.round(Number(used?.used ?? 0) / USE_DAYS);
    if (Number(available) >= perDay) continue;
    const name = foreign(workspace);
    const amount = (micros: number): string => `${(micros / 1e6).toFixed(2)} ${currency}`;
    found.push({
      of: Number(id),
      subject: `workspace ${name}`,
      says: `The balance of ${name} is ${amount(Number(available))}, less than it uses in a day (${amount(perDay)} on average of the last seven days).`,
      hits: `${name}: when the balance is used up, sends are rejected and broadcasts are paused.`,
      command: `waxwing workspace credit ${id} AMOUNT`,
      workspaceId: Number(id),
    });
  }
  return found;
}

/** The id of the first ledger entry made at `since` or later, by bisection: ids ascend with time. */
async function firstEntrySince(query: WorkspaceSources["query"], since: number): Promise<number> {
  const [ends] = await query("SELECT coalesce(min(id), 0) AS low, coalesce(max(id), 0) AS high FROM ledger_entries");
  let [low, high] = [Number(ends?.low ?? 0), Number(ends?.high ?? 0) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [entry] = await query("SELECT id, created_at FROM ledger_entries WHERE id >= ? ORDER BY id LIMIT 1", [
      middle,
    ]);
    if (entry !== undefined && Number(entry.created_at) < since) low = Number(entry.id) + 1;
    else high = middle;
  }
  return low;
}

export function foreign(value: unknown): ForeignText {
  return quoted(value === null || value === undefined ? "" : String(value));
}
