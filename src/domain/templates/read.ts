/** Queries for templates. */
import { and, asc, count, eq, gt, or, sql } from "drizzle-orm";
import { findRow } from "#src/db/rows.ts";
import { remembered } from "#src/db/settings-cache.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { templateById, templateInAccount, templatesByName } from "./statements.ts";
import { type Template, templates } from "./table.ts";
import type { TemplateStatus } from "./template.ts";

/** Every language of a template in the sending number's account. */
export const listLanguages = remembered(
  (tx, workspaceId: number, accountId: string, name: string): readonly Template[] =>
    templatesByName(tx).all({ workspaceId, accountId, name }),
);

/** More than any account has in practice. */
const NAMES_MAX = 1_000;

/** Names in the account, for a suggestion. */
export function listNames(tx: ReadTx, workspaceId: number, accountId: string): string[] {
  return tx.db
    .selectDistinct({ name: templates.name })
    .from(templates)
    .where(
      and(eq(templates.workspaceId, workspaceId), eq(templates.accountId, accountId), eq(templates.generated, false)),
    )
    .limit(NAMES_MAX)
    .all()
    .map(({ name }) => name);
}

/** In any account of the workspace; undefined if there is none. */
export function findTemplate(tx: ReadTx, workspaceId: number, name: string, language: string): Template | undefined {
  return findRow(tx, templates, { workspaceId, name, language });
}

/** Of a template in all accounts of the workspace; `language` null: in all languages. At most a thousand. */
export function listIdsByName(tx: ReadTx, workspaceId: number, name: string, language: string | null): number[] {
  return tx.db
    .select({ id: templates.id })
    .from(templates)
    .where(
      and(
        eq(templates.workspaceId, workspaceId),
        eq(templates.name, name),
        language === null ? undefined : eq(templates.language, language),
      ),
    )
    .limit(NAMES_MAX)
    .all()
    .map(({ id }) => id);
}

/** The template that a network's report refers to. */
export function findInAccount(
  tx: ReadTx,
  workspaceId: number,
  accountId: string,
  name: string,
  language: string,
): Template | undefined {
  return templateInAccount(tx).get({ workspaceId, accountId, name, language });
}

export interface TemplateFilter {
  status: TemplateStatus | null;
  /** A part of the name; undefined matches any. */
  name?: string;
  /** Those that the network made of messages with a category, instead of the workspace's own. */
  isGenerated?: boolean;
}

interface TemplatePosition {
  name: string;
  id: number;
}

/** Where they stand, ordered by name, then id: either from `offset` on, or after a position. */
export function listTemplatePositions(
  tx: ReadTx,
  workspaceId: number,
  filter: TemplateFilter,
  from: { offset: number } | { after: TemplatePosition },
  limit: number,
): TemplatePosition[] {
  const after = "after" in from ? from.after : null;
  return tx.db
    .select({ name: templates.name, id: templates.id })
    .from(templates)
    .where(
      and(
        matchesFilter(workspaceId, filter),
        after === null
          ? undefined
          : or(gt(templates.name, after.name), and(eq(templates.name, after.name), gt(templates.id, after.id))),
      ),
    )
    .orderBy(asc(templates.name), asc(templates.id))
    .limit(limit)
    .offset("offset" in from ? from.offset : 0)
    .all();
}

export function countTemplates(tx: ReadTx, workspaceId: number, filter: TemplateFilter): number {
  return tx.db.select({ total: count() }).from(templates).where(matchesFilter(workspaceId, filter)).get()?.total ?? 0;
}

function matchesFilter(workspaceId: number, { status, name = "", isGenerated = false }: TemplateFilter) {
  return and(
    eq(templates.workspaceId, workspaceId),
    eq(templates.generated, isGenerated),
    status === null ? undefined : eq(templates.status, status),
    name === "" ? undefined : sql`instr(${templates.name}, ${name}) > 0`,
  );
}

/** Without its components, which may be long. */
export function findTemplateName(
  { db }: ReadTx,
  workspaceId: number,
  id: number,
): Pick<Template, "name" | "language"> | undefined {
  return db
    .select({ name: templates.name, language: templates.language })
    .from(templates)
    .where(and(eq(templates.workspaceId, workspaceId), eq(templates.id, id)))
    .get();
}

/** Undefined for a template of another workspace. */
export function findTemplateById(tx: ReadTx, workspaceId: number, id: number): Template | undefined {
  return templateById(tx).get({ workspaceId, id });
}
