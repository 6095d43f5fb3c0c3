/**
 * Reads what the conditions of workspaces are evaluated from. Each query returns a few rows at most, so that it can run
 * every half minute; further conditions appear once these are resolved.
 */
import { type ForeignText, quoted } from "#src/core/foreign-text.ts";
import type { Store } from "#src/db/store.ts";
import { type PauseCause, pauseCauses, resumesAutomatically } from "#src/domain/broadcasts/broadcast.ts";
import { countKept } from "#src/domain/inbound/callback-list.ts";
import { allowanceOf, monthOf, SERVICE_ALLOWANCE } from "#src/domain/messages/network-usage.ts";
import { wasVerified } from "#src/domain/numbers/callback-verification.ts";
import { LASTS_MS, PEOPLE_MAX } from "#src/domain/numbers/unlisted-refusals.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { Issue } from "./issue.ts";
import { readIssueInputs, type StoredInput } from "./issue-input.ts";
import { addressIssues, keptIssues } from "./server-issues.ts";

export interface WorkspaceState {
  /** Numbers on the simulator that cannot send. */
  numbers: {
    id: number;
    phone: string;
    reason: ForeignText;
    isByPerson: boolean;
    workspaceId: number;
    workspace: ForeignText;
  }[];
  /** Broadcasts that wait for a person; those paused by hand are not among them, because their operator knows. */
  paused: { id: number; name: ForeignText; reason: ForeignText; workspaceId: number; workspace: ForeignText }[];
  suspended: { id: number; name: ForeignText; at: number; reason: ForeignText }[];
  /** The numbers on WhatsApp, with what is known about their connection. */
  connections: StoredInput[];
  /** Issues of the server as a whole. */
  server: Issue[];
  /** Numbers whose messages to ten people the network refused with an unlisted code; single messages are still sent. */
  unlisted: {
    id: number;
    phone: string;
    kind: "template" | "free";
    code: string;
    says: ForeignText;
    since: number;
    workspaceId: number;
    workspace: ForeignText;
  }[];
  /** Numbers that have used most of this month's free service messages. */
  services: {
    id: number;
    phone: string;
    count: number;
    allowance: number;
    workspaceId: number;
    workspace: ForeignText;
  }[];
  /** Balances below a day's use, in millionths of the currency. */
  balances: { workspaceId: number; workspace: ForeignText; available: number; perDay: number; currency: string }[];
}

type Row = Record<string, unknown>;

interface WorkspaceSources {
  query: (sql: string, parameters?: (string | number | null)[]) => Promise<Row[]>;
  store: Pick<Store, "read">;
  now: number;
  settings: ConnectionSettings & { verifyToken: string | null };
}

/** Per kind. */
const ROWS_MAX = 10;
/** Most accounts in need of a look are used up and idle, so more of them are read than are shown. */
const ACCOUNTS_MAX = 200;
const DAY_MS = 24 * 60 * 60_000;
const USE_DAYS = 7;

export async function readWorkspaceState(sources: WorkspaceSources): Promise<WorkspaceState> {
  const [numbers, paused, suspended, connections, unlisted, services, balances] = await Promise.all([
    readNumbers(sources),
    readPaused(sources),
    readSuspended(sources),
    readIssueInputs(sources),
    readUnlisted(sources),
    readServices(sources),
    readBalances(sources),
  ]);
  const server = readServerIssues(sources, connections);
  return { numbers, paused, suspended, connections, unlisted, services, balances, server };
}

async function readNumbers({ query }: WorkspaceSources): Promise<WorkspaceState["numbers"]> {
  const rows = await query(
    `SELECT n.id, n.phone, n.unready_reason, n.unready_by, n.workspace_id, w.name AS workspace
    FROM numbers n JOIN workspaces w ON w.id = n.workspace_id
    WHERE n.removed_at IS NULL AND n.network = 'simulator' AND n.ready = 0 ORDER BY n.id LIMIT ${ROWS_MAX}`,
  );
  return rows.map((row) => ({
    id: Number(row.id),
    phone: String(row.phone),
    reason: foreign(row.unready_reason),
    isByPerson: row.unready_by === "person",
    workspaceId: Number(row.workspace_id),
    workspace: foreign(row.workspace),
  }));
}

const WAITING_CAUSES = pauseCauses.filter((cause: PauseCause) => !resumesAutomatically(cause) && cause !== "manual");

async function readPaused({ query }: WorkspaceSources): Promise<WorkspaceState["paused"]> {
  const rows = await query(
    `SELECT b.id, b.name, b.status_reason, b.workspace_id, w.name AS workspace
    FROM broadcasts b JOIN workspaces w ON w.id = b.workspace_id
    WHERE b.status IN ('scheduled', 'queueing', 'running', 'paused') AND b.status = 'paused'
      AND b.pause_cause IN (${WAITING_CAUSES.map((cause) => `'${cause}'`).join(", ")})
    ORDER BY b.id LIMIT ${ROWS_MAX}`,
  );
  return rows.map((row) => ({
    id: Number(row.id),
    name: foreign(row.name),
    reason: foreign(row.status_reason),
    workspaceId: Number(row.workspace_id),
    workspace: foreign(row.workspace),
  }));
}

async function readSuspended({ query }: WorkspaceSources): Promise<WorkspaceState["suspended"]> {
  const rows = await query(
    `SELECT id, name, suspended_at, suspended_reason FROM workspaces WHERE suspended_at IS NOT NULL
    ORDER BY suspended_at LIMIT ${ROWS_MAX}`,
  );
  return rows.map((row) => ({
    id: Number(row.id),
    name: foreign(row.name),
    at: Number(row.suspended_at),
    reason: foreign(row.suspended_reason),
  }));
}

async function readUnlisted({ query, now }: WorkspaceSources): Promise<WorkspaceState["unlisted"]> {
  const rows = await query(
    `SELECT n.id, n.phone, u.kind, u.code, u.message, u.began_at, n.workspace_id, w.name AS workspace
    FROM unlisted_refusals u JOIN numbers n ON n.id = u.number_id JOIN workspaces w ON w.id = n.workspace_id
    WHERE n.removed_at IS NULL AND u.changed_at > ? AND json_array_length(u.people) >= ${PEOPLE_MAX}
    ORDER BY n.id LIMIT ${ROWS_MAX}`,
    [now - LASTS_MS],
  );
  return rows.map((row) => ({
    id: Number(row.id),
    phone: String(row.phone),
    kind: row.kind === "template" ? "template" : "free",
    code: String(row.code),
    says: foreign(row.message),
    since: Number(row.began_at),
    workspaceId: Number(row.workspace_id),
    workspace: foreign(row.workspace),
  }));
}

/** What is wrong with the server's own address matters to numbers on WhatsApp only. */
function readServerIssues({ store, settings }: WorkspaceSources, connections: readonly StoredInput[]): Issue[] {
  const kept = keptIssues(store.read(countKept));
  if (connections.length === 0) return kept;
  const isVerified = connections.some(({ number }) => number.provider === "graph");
  return [...addressIssues({ ...settings, isVerified, wasVerified: store.read(wasVerified) }), ...kept];
}

/** No timezone is further from UTC. */
const TIMEZONE_MAX_MS = 14 * 60 * 60_000;
const SERVICE_WARNING = 0.8;

async function readServices({ query, now }: WorkspaceSources): Promise<WorkspaceState["services"]> {
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
    const [id, phone, count] = [Number(row.id), String(row.phone), Number(row.count)];
    return [{ id, phone, count, allowance, workspaceId: Number(row.workspace_id), workspace: foreign(row.workspace) }];
  });
}

/**
 * A workspace whose balance is at least a seventh of all that it was ever charged cannot be below its mean day, so its
 * ledger is not read.
 */
async function readBalances({ query, now }: WorkspaceSources): Promise<WorkspaceState["balances"]> {
  const accounts = await query(
    `SELECT a.workspace_id, a.currency, a.credited - a.held - a.charged AS available, w.name AS workspace
    FROM billing_accounts a JOIN workspaces w ON w.id = a.workspace_id
    WHERE w.suspended_at IS NULL AND (a.credited - a.held - a.charged) * ${USE_DAYS} < a.charged
    ORDER BY a.workspace_id LIMIT ${ACCOUNTS_MAX}`,
  );
  if (accounts.length === 0) return [];
  const firstId = await firstEntrySince(query, now - USE_DAYS * DAY_MS);
  const found: WorkspaceState["balances"] = [];
  for (const account of accounts) {
    if (found.length === ROWS_MAX) break;
    const workspaceId = Number(account.workspace_id);
    const [used] = await query(
      "SELECT coalesce(sum(amount), 0) AS used FROM ledger_entries WHERE workspace_id = ? AND id >= ? AND kind = 'charge'",
      [workspaceId, firstId],
    );
    const perDay = Math.round(Number(used?.used ?? 0) / USE_DAYS);
    const available = Number(account.available);
    if (available < perDay)
      found.push({
        workspaceId,
        workspace: foreign(account.workspace),
        available,
        perDay,
        currency: String(account.currency),
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

function foreign(value: unknown): ForeignText {
  return quoted(value === null || value === undefined ? "" : String(value));
}
