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
import type { TemplateNews, TemplateReport } from "./template-update.ts";

/** A template as a look at the network found it. */
export interface TemplateFacts {
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

export interface AccountOf {
  workspaceId: number;
  accountId: string;
}

/** What became of the templates of a listing. */
export interface Followed {
  added: number;
  changed: number;
}

/** Applies a part of a listing, made at the network's time `at`. */
export function followListing(tx: Tx, account: AccountOf, listed: readonly TemplateFacts[], at: number): Followed {
  const followed = { added: 0, changed: 0 };
  for (const facts of listed) {
    const known = findInAccount(tx, account.workspaceId, account.accountId, facts.name, facts.language);
    if (known === undefined) {
      insert(tx, account, facts, at);
      followed.added += 1;
    } else if (update(tx, known, facts, at)) {
      followed.changed += 1;
    }
  }
  return followed;
}

/**
 * Takes out of use what a complete listing, begun at `startedAt`, did not have. Returns how many, at most `limit`: call
 * again until it is fewer.
 */
export function retireMissing(
  tx: Tx,
  { workspaceId, accountId }: AccountOf,
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
  const gone = known.filter((one) => one.word !== GONE && !listed.has(keyOf(one))).slice(0, limit);
  for (const { name, language } of gone) {
    const template = findInAccount(tx, workspaceId, accountId, name, language);
    if (template !== undefined) decide(tx, template, GONE, null, Math.max(startedAt, template.statusAt));
  }
  return gone.length;
}

/** By what a template is told from others in its account. */
export function keyOf({ name, language }: { name: string; language: string }): string {
  return `${name} ${language}`;
}

/** What the network told by itself. Undefined: it is not known here, and a look has to find it. */
export function hearTemplate(
  tx: Tx,
  account: AccountOf,
  report: TemplateReport | TemplateNews,
  at: number,
): Template | undefined {
  const known = findInAccount(tx, account.workspaceId, account.accountId, report.name, report.language);
  if (known === undefined) return undefined;
  if (report.kind === "template") {
    return at < known.statusAt ? known : decide(tx, known, report.event, report.reason, at);
  }
  const { news } = report;
  if (news.type === "quality") return change(tx, known, { quality: news.score });
  if (news.type === "category") {
    const category = categoryOf(news.category);
    return category === known.category ? known : change(tx, known, { category, updatedAt: tx.now });
  }
  return known;
}

/** The network's word of a template that is no more. */
const GONE = "DELETED";

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
  [GONE]: "DISABLED",
};

function statusOf(word: string): TemplateStatus {
  return (Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined) ?? "PENDING";
}

/** A category that nobody knows counts as the one with the most rules. */
function categoryOf(word: string): TemplateCategory {
  return templateCategories.find((known) => known === word) ?? "MARKETING";
}

function decide(tx: Tx, template: Template, word: string, reason: string | null, at: number): Template {
  // What an archived one goes back to, only a look tells.
  if (word === "UNARCHIVED") return template;
  const decided = decideTemplate(tx, template, statusOf(word), reason);
  return change(tx, decided, { networkStatus: word, statusReason: reason, statusAt: at });
}

function insert(tx: Tx, { workspaceId, accountId }: AccountOf, facts: TemplateFacts, at: number): void {
  tx.db
    .insert(templates)
    .values({
      workspaceId,
      accountId,
      name: facts.name,
      language: facts.language,
      category: categoryOf(facts.category),
      status: statusOf(facts.status),
      components: facts.components,
      parameterFormat: facts.parameterFormat,
      networkStatus: facts.status,
      statusReason: facts.reason,
      statusAt: at,
      quality: facts.quality,
      createdAt: tx.now,
      updatedAt: tx.now,
    })
    .run();
}

/** Content first, so that an event about a decision shows the template as it is now. */
function update(tx: Tx, known: Template, facts: TemplateFacts, at: number): boolean {
  const category = categoryOf(facts.category);
  const isSame =
    known.category === category &&
    known.parameterFormat === facts.parameterFormat &&
    JSON.stringify(known.components) === JSON.stringify(facts.components);
  const content = isSame
    ? known
    : change(tx, known, {
        category,
        parameterFormat: facts.parameterFormat,
        components: facts.components,
        updatedAt: tx.now,
      });
  // What the network told after it had made this listing is newer.
  const decided =
    at < content.statusAt || (content.networkStatus === facts.status && content.status === statusOf(facts.status))
      ? content
      : decide(tx, content, facts.status, facts.reason, at);
  if (decided.quality !== facts.quality) change(tx, decided, { quality: facts.quality });
  return !isSame || decided.status !== known.status;
}

function change(tx: Tx, template: Template, changes: Partial<Template>): Template {
  return tx.db.update(templates).set(changes).where(eq(templates.id, template.id)).returning().get() ?? template;
}
