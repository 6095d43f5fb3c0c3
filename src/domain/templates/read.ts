/** Looking templates up. */
import { and, asc, count, eq, gt, or, sql } from "drizzle-orm";
import { type Reading, statement } from "#src/db/transaction.ts";
import { type Template, templates } from "./table.ts";
import type { TemplateStatus } from "./template.ts";

const byName = statement((db) =>
  db
    .select()
    .from(templates)
    .where(
      and(
        eq(templates.workspaceId, sql.placeholder("workspaceId")),
        eq(templates.accountId, sql.placeholder("accountId")),
        eq(templates.name, sql.placeholder("name")),
      ),
    )
    .orderBy(asc(templates.language))
    .prepare(),
);

/** Every language of a template in the account of the number that sends. */
export function listLanguages(reading: Reading, workspaceId: number, accountId: string, name: string): Template[] {
  return byName(reading).all({ workspaceId, accountId, name });
}

/** In whichever account; undefined where there is none. */
export function findTemplate(
  reading: Reading,
  workspaceId: number,
  name: string,
  language: string,
): Template | undefined {
  return reading.db
    .select()
    .from(templates)
    .where(and(eq(templates.workspaceId, workspaceId), eq(templates.name, name), eq(templates.language, language)))
    .get();
}

const byAccount = statement((db) =>
  db
    .select()
    .from(templates)
    .where(
      and(
        eq(templates.accountId, sql.placeholder("accountId")),
        eq(templates.name, sql.placeholder("name")),
        eq(templates.language, sql.placeholder("language")),
        eq(templates.workspaceId, sql.placeholder("workspaceId")),
      ),
    )
    .prepare(),
);

/** The template that a network's report speaks of. */
export function findInAccount(
  reading: Reading,
  workspaceId: number,
  accountId: string,
  name: string,
  language: string,
): Template | undefined {
  return byAccount(reading).get({ workspaceId, accountId, name, language });
}

export interface TemplateFilter {
  status: TemplateStatus | null;
  /** A part of the name; left out: any. */
  name?: string;
}

export interface TemplatePosition {
  name: string;
  id: number;
}

/** Ordered by name, then id: either from `offset` on, or after a position. */
export function listTemplates(
  reading: Reading,
  workspaceId: number,
  filter: TemplateFilter,
  from: { offset: number } | { after: TemplatePosition },
  limit: number,
): Template[] {
  const after = "after" in from ? from.after : null;
  return reading.db
    .select()
    .from(templates)
    .where(
      and(
        ofWorkspace(workspaceId, filter),
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

export function countTemplates(reading: Reading, workspaceId: number, filter: TemplateFilter): number {
  return (
    reading.db.select({ total: count() }).from(templates).where(ofWorkspace(workspaceId, filter)).get()?.total ?? 0
  );
}

function ofWorkspace(workspaceId: number, { status, name = "" }: TemplateFilter) {
  return and(
    eq(templates.workspaceId, workspaceId),
    status === null ? undefined : eq(templates.status, status),
    name === "" ? undefined : sql`instr(${templates.name}, ${name}) > 0`,
  );
}

/** Undefined for another workspace's. */
export function findTemplateById(reading: Reading, workspaceId: number, id: number): Template | undefined {
  return reading.db
    .select()
    .from(templates)
    .where(and(eq(templates.workspaceId, workspaceId), eq(templates.id, id)))
    .get();
}
