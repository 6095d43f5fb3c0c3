/** What needs a person's attention about templates: a category, and so a price at WhatsApp, that changes. */
import type { CategoryChange } from "#src/domain/templates/table.ts";
import type { Found, Rule, WorkspaceSources } from "./rule.ts";
import { foreign } from "./workspace-rules.ts";

const ROWS_MAX = 10;
const BROADCASTS_MAX = 5;
/** A change that was made is shown for this long. */
const MADE_SHOWN_MS = 7 * 24 * 60 * 60_000;

type Row = Record<string, unknown>;

export const templateRules = {
  template_category: {
    severity: "warning",
    check: "broadcast",
    of: "ID",
    when: "WhatsApp announces that it changes a template's category, and so what it bills, or has done so in the last seven days",
    next: "Decide whether the template is still worth its new category, or have its words changed in WhatsApp Manager. A broadcast that the change pauses resumes when a person resumes it.",
    probe: findCategoryChanges,
  },
} as const satisfies Record<string, Rule>;

async function findCategoryChanges({ query, now }: WorkspaceSources): Promise<readonly Found[]> {
  const rows = await query(
    `SELECT t.id, t.name, t.language, t.category_change, t.category_change_at, t.workspace_id, w.name AS workspace,
      b.rate, b.currency
    FROM templates t JOIN workspaces w ON w.id = t.workspace_id LEFT JOIN billing_accounts b ON b.workspace_id = w.id
    WHERE t.category_change_at IS NOT NULL AND t.category_change_at > ? ORDER BY t.category_change_at DESC LIMIT ${ROWS_MAX}`,
    [now - MADE_SHOWN_MS],
  );
  const found: Found[] = [];
  for (const row of rows) {
    const change = JSON.parse(String(row.category_change)) as CategoryChange;
    const using = await broadcastsWith(query, row);
    const name = `${foreign(row.name)} (${foreign(row.language)})`;
    const when = new Date(Number(row.category_change_at)).toISOString().slice(0, 16).replace("T", " ");
    found.push({
      of: Number(row.id),
      subject: `template ${name}`,
      says: `${change.isMade ? "WhatsApp has changed" : "WhatsApp changes"} the category of the template ${name} from ${change.from} to ${change.to} on ${when} UTC, and bills its messages as ${change.to} from then on.${costOf(row)}`,
      hits: using === "" ? null : `${foreign(row.workspace)}: ${hitsOf(change, using)}`,
      command: `waxwing broadcast list --workspace ${row.workspace_id}`,
      workspaceId: Number(row.workspace_id),
    });
  }
  return found;
}

function costOf({ rate, currency }: Row): string {
  if (rate === null || rate === undefined) return "";
  const price = `${(Number(rate) / 1e6).toFixed(4)} ${String(currency)}`;
  return ` The balance here is charged ${price} a message before and ${price} after.`;
}

function hitsOf({ isMade }: CategoryChange, broadcasts: string): string {
  return isMade
    ? `broadcasts with it pause until a person resumes them: ${broadcasts}.`
    : `broadcasts with it that are not over by then pause until a person resumes them: ${broadcasts}.`;
}

/** Those that are not over, in words; empty: none. */
async function broadcastsWith(query: WorkspaceSources["query"], row: Row): Promise<string> {
  const rows = await query(
    `SELECT id, name FROM broadcasts
    WHERE status IN ('scheduled', 'queueing', 'running', 'paused') AND workspace_id = ? AND template_name = ?
      AND template_language = ? ORDER BY id LIMIT ${BROADCASTS_MAX + 1}`,
    [Number(row.workspace_id), String(row.name), String(row.language)],
  );
  const named = rows.slice(0, BROADCASTS_MAX).map(({ id, name }) => `${id} ${foreign(name)}`);
  return named.join(", ") + (rows.length > BROADCASTS_MAX ? " and more" : "");
}
