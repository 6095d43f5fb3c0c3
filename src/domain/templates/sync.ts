/**
 * Follows the network's word on templates: what a look at the account found, and what it told by itself. A template seen
 * for the first time is no news; one that is gone stays listed as disabled, for broadcasts and messages refer to it.
 */
import { and, eq, lte } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { decideTemplate } from "./decide.ts";
import { findInAccount } from "./read.ts";
import { type Template, templates } from "./table.ts";
import {
  type ParameterFormat,
  type TemplateCategory,
  type TemplateComponent,
  type TemplateStatus,
  templateCategories,
} from "./template.ts";
import type { TemplateStatusUpdate, TemplateUpdate } from "./template-update.ts";

/** A template as a look at the network found it. */
export interface ListedTemplate {
  name: string;
  language: string;
  /** The network's words, in capitals. */
  category: string;
  status: string;
  quality: string | null;
  reason: string | null;
  components: TemplateComponent[];
  parameterFormat: ParameterFormat;
}

export interface AccountKey {
  workspaceId: number;
  accountId: string;
}

/** What became of the templates of a listing. */
export interface ListingResult {
  added: number;
  changed: number;
}

/** Applies a part of a listing, made at the network's time `at`. */
export function applyListing(
  tx: Tx,
  account: AccountKey,
  listed: readonly ListedTemplate[],
  at: number,
): ListingResult {
  const result = { added: 0, changed: 0 };
  for (const entry of listed) {
    const known = findInAccount(tx, account.workspaceId, account.accountId, entry.name, entry.language);
    if (known === undefined) {
      insert(tx, account, entry, at);
      result.added += 1;
    } else if (update(tx, known, entry, at)) {
      result.changed += 1;
    }
  }
  return result;
}

/**
 * Takes out of use what a complete listing, begun at `startedAt`, did not have. Returns how many, at most `limit`: call
 * again until it is fewer.
 */
export function retireMissing(
  tx: Tx,
  { workspaceId, accountId }: AccountKey,
  listed: ReadonlySet<string>,
  startedAt: number,
  limit: number,
): number {
  const known = tx.db
    .select({ name: templates.name, language: templates.language, word: templates.networkStatus })
    .from(templates)
    .where(
      and(
        eq(templates.workspaceId, workspaceId),
        eq(templates.accountId, accountId),
        lte(templates.createdAt, startedAt),
      ),
    )
    .all();
  const missing = known.filter((one) => one.word !== DELETED && !listed.has(keyOf(one))).slice(0, limit);
  for (const { name, language } of missing) {
    const template = findInAccount(tx, workspaceId, accountId, name, language);
    if (template !== undefined) decideStatus(tx, template, DELETED, null, Math.max(startedAt, template.statusAt));
  }
  return missing.length;
}

/** By what a template is told from others in its account. */
export function keyOf({ name, language }: { name: string; language: string }): string {
  return `${name} ${language}`;
}

/** What the network told by itself. Undefined: it is not known here, and a look has to find it. */
export function applyTemplateUpdate(
  tx: Tx,
  account: AccountKey,
  item: TemplateStatusUpdate | TemplateUpdate,
  at: number,
): Template | undefined {
  const known = findInAccount(tx, account.workspaceId, account.accountId, item.name, item.language);
  if (known === undefined) return undefined;
  if (item.kind === "template") {
    return at < known.statusAt ? known : decideStatus(tx, known, item.event, item.reason, at);
  }
  const { change: reported } = item;
  if (reported.type === "quality") return change(tx, known, { quality: reported.score });
  if (reported.type === "category") {
    const category = categoryOf(reported.category);
    return category === known.category ? known : change(tx, known, { category, updatedAt: tx.now });
  }
  return known;
}

/** The network's word of a template that is no more. */
const DELETED = "DELETED";

/**
 * Ours for the network's. Only an approved one can be sent (Meta: template status). An unknown word waits, which sends
 * nothing and ends nothing.
 */
const STATUSES: Readonly<Record<string, TemplateStatus>> = {
  APPROVED: "APPROVED",
  REINSTATED: "APPROVED",
  PENDING: "PENDING",
  IN_APPEAL: "PENDING",
  REJECTED: "REJECTED",
  PAUSED: "PAUSED",
  FLAGGED: "PAUSED",
  LOCKED: "PAUSED",
  LIMIT_EXCEEDED: "PAUSED",
  ARCHIVED: "PAUSED",
  DISABLED: "DISABLED",
  PENDING_DELETION: "DISABLED",
  [DELETED]: "DISABLED",
};

function statusOf(word: string): TemplateStatus {
  return (Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined) ?? "PENDING";
}

/** A category that nobody knows counts as the one with the most rules. */
function categoryOf(word: string): TemplateCategory {
  return templateCategories.find((known) => known === word) ?? "MARKETING";
}

function decideStatus(tx: Tx, template: Template, word: string, reason: string | null, at: number): Template {
  // What an archived one goes back to, only a look tells.
  if (word === "UNARCHIVED") return template;
  const decided = decideTemplate(tx, template, statusOf(word), reason);
  return change(tx, decided, { networkStatus: word, statusReason: reason, statusAt: at });
}

function insert(tx: Tx, { workspaceId, accountId }: AccountKey, listed: ListedTemplate, at: number): void {
  tx.db
    .insert(templates)
    .values({
      workspaceId,
      accountId,
      name: listed.name,
      language: listed.language,
      category: categoryOf(listed.category),
      status: statusOf(listed.status),
      components: listed.components,
      parameterFormat: listed.parameterFormat,
      networkStatus: listed.status,
      statusReason: listed.reason,
      statusAt: at,
      quality: listed.quality,
      createdAt: tx.now,
      updatedAt: tx.now,
    })
    .run();
}

/** Content first, so that an event about a decision shows the template as it is now. */
function update(tx: Tx, known: Template, listed: ListedTemplate, at: number): boolean {
  const category = categoryOf(listed.category);
  const isSame =
    known.category === category &&
    known.parameterFormat === listed.parameterFormat &&
    JSON.stringify(known.components) === JSON.stringify(listed.components);
  const content = isSame
    ? known
    : change(tx, known, {
        category,
        parameterFormat: listed.parameterFormat,
        components: listed.components,
        updatedAt: tx.now,
      });
  // What the network told after it had made this listing is newer.
  const decided =
    at < content.statusAt || (content.networkStatus === listed.status && content.status === statusOf(listed.status))
      ? content
      : decideStatus(tx, content, listed.status, listed.reason, at);
  if (decided.quality !== listed.quality) change(tx, decided, { quality: listed.quality });
  return !isSame || decided.status !== known.status;
}

function change(tx: Tx, template: Template, changes: Partial<Template>): Template {
  return tx.db.update(templates).set(changes).where(eq(templates.id, template.id)).returning().get() ?? template;
}
