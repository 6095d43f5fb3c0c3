/**
 * Verifies a database: that its schema is ours, the file's integrity, its foreign keys, its schema version, and every
 * invariant. Nothing else is read of a database with objects of another author, because reading may execute them. It only reads,
 * in bounded steps, so that it does not hold up a server that is running. With `isExclusive` the integrity check reads
 * the whole file in one step, including pages that belong to no table.
 */
import type { Client } from "#src/db/driver.ts";
import { schemaVersion } from "#src/db/migrate.ts";
import { migrations } from "#src/db/migrations.ts";
import { compareSchema } from "#src/db/schema-objects.ts";
import { type Invariant, invariants } from "./invariants.ts";

/** The finding of a database whose tables, indexes, triggers or views are not those of the migrations. */
export const FOREIGN_SCHEMA = "objects";

export interface CheckFinding {
  /** `objects`, `integrity`, `references`, `schema`, or an invariant's name. */
  name: string;
  sentence: string;
  /** The number of violations; 1,000 means 1,000 or more. */
  count: number;
  /** What the ids identify. */
  of: string;
  /** The first few. */
  ids: (number | string)[];
  next: string;
}

export interface CheckResult {
  isSound: boolean;
  schema: number;
  /** The names of all checks that ran. */
  checked: string[];
  findings: CheckFinding[];
}

interface CheckOptions {
  /** Milliseconds. */
  now: number;
  /** No other process uses the file, so one long read is acceptable. */
  isExclusive: boolean;
  /** Called before each check. */
  onStep?: ((name: string) => void) | undefined;
}

interface Reference {
  table: string;
  rowid: number | null;
  parent: string;
}

const SLICE_ROWS = 20_000;
const SHOWN_IDS = 5;
const COUNTED_MAX = 1_000;

export function checkDatabase(client: Client, { now, isExclusive, onStep }: CheckOptions): CheckResult {
  const findings: CheckFinding[] = [];
  const checked: string[] = [];
  const runCheck = (name: string, check: () => CheckFinding | null): void => {
    onStep?.(name);
    checked.push(name);
    const finding = check();
    if (finding !== null) findings.push(finding);
  };
  const schema = schemaVersion(client);
  runCheck(FOREIGN_SCHEMA, () => checkSchemaObjects(client));
  if (findings.length > 0) return { isSound: false, schema, checked, findings };
  runCheck("integrity", () => checkIntegrity(client, isExclusive));
  // Skip the rest for a damaged file: its queries would fail one by one.
  if (findings.length === 0) runCheck("references", () => checkReferences(client, isExclusive));
  const latest = migrations.at(-1)?.version ?? 0;
  if (schema !== latest) {
    runCheck("schema", () => ({
      name: "schema",
      sentence: `The schema is ${latest}, which this executable uses.`,
      count: 1,
      of: "schema",
      ids: [schema],
      next:
        schema < latest
          ? "start the server with this executable once to migrate the database"
          : "use the newer version of Waxwing that wrote it",
    }));
  } else if (findings.length === 0) {
    for (const invariant of invariants) runCheck(invariant.name, () => checkInvariant(client, invariant, now));
  }
  return { isSound: findings.length === 0, schema, checked, findings };
}

function checkSchemaObjects(client: Client): CheckFinding | null {
  const differences = compareSchema(client);
  if (differences.length === 0) return null;
  return {
    name: FOREIGN_SCHEMA,
    sentence: "Its tables, indexes, triggers and views are those of Waxwing, and none is missing.",
    count: differences.length,
    of: "object",
    ids: differences.slice(0, SHOWN_IDS).map(({ object, kind }) => `${object} (${kind})`),
    next: "do not use a file that you did not make yourself; drop what you have added to your own database",
  };
}

function checkIntegrity(client: Client, isExclusive: boolean): CheckFinding | null {
  const targets = isExclusive ? [""] : tableNames(client).map((table) => `("${table}")`);
  const messages: string[] = [];
  try {
    for (const target of targets) {
      const rows = client.pragma(`integrity_check${target}`) as { integrity_check: string }[];
      messages.push(...rows.map((row) => row.integrity_check).filter((line) => line !== "ok"));
      if (messages.length > 0) break;
    }
  } catch (error) {
    messages.push(error instanceof Error ? error.message : String(error));
  }
  if (messages.length === 0) return null;
  return {
    name: "integrity",
    sentence: "SQLite's integrity check passes.",
    count: messages.length,
    of: "damage",
    ids: messages.slice(0, SHOWN_IDS),
    next: "stop the server, check the disk, and restore the last good backup: waxwing restore FILE",
  };
}

function checkReferences(client: Client, isExclusive: boolean): CheckFinding | null {
  const targets = isExclusive ? [""] : tableNames(client).map((table) => `('${table}')`);
  const broken: string[] = [];
  for (const target of targets) {
    const rows = client.prepare(`SELECT "table", rowid, parent FROM pragma_foreign_key_check${target} LIMIT ?`);
    for (const { table, rowid, parent } of rows.all(COUNTED_MAX) as Reference[]) {
      broken.push(`${table} ${rowid ?? "?"} names a missing row of ${parent}`);
    }
  }
  if (broken.length === 0) return null;
  return {
    name: "references",
    sentence: "Every referenced row exists.",
    count: broken.length,
    of: "row",
    ids: broken.slice(0, SHOWN_IDS),
    next: "restore the last good backup, and report it",
  };
}

function checkInvariant(client: Client, invariant: Invariant, now: number): CheckFinding | null {
  const found: number[] = [];
  const statement = client.prepare(`SELECT id FROM (${invariant.sql}) LIMIT ${COUNTED_MAX}`).pluck();
  const usesNow = invariant.sql.includes("@now");
  const collect = (range: { from: number; to: number } | null): void => {
    const parameters = { ...(usesNow ? { now } : {}), ...(range ?? {}) };
    found.push(...(statement.all(...(Object.keys(parameters).length > 0 ? [parameters] : [])) as number[]));
  };
  if (invariant.walk === undefined) collect(null);
  else {
    for (const range of slices(client, invariant.walk)) {
      collect(range);
      if (found.length >= COUNTED_MAX) break;
    }
  }
  if (found.length === 0) return null;
  const { name, sentence, of, next } = invariant;
  return { name, sentence, of, next, count: Math.min(found.length, COUNTED_MAX), ids: found.slice(0, SHOWN_IDS) };
}

/** The table's ids in ranges of `SLICE_ROWS` rows; ids may have wide gaps. */
function* slices(client: Client, table: string): Generator<{ from: number; to: number }> {
  const end = client
    .prepare(`SELECT id FROM ${table} WHERE id > ? ORDER BY id LIMIT 1 OFFSET ${SLICE_ROWS - 1}`)
    .pluck();
  for (let from = 0; ; ) {
    const to = end.get(from) as number | undefined;
    yield { from, to: to ?? Number.MAX_SAFE_INTEGER };
    if (to === undefined) return;
    from = to;
  }
}

function tableNames(client: Client): string[] {
  return client
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'virtual' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .pluck()
    .all() as string[];
}

/** Row counts of the tables that operators ask about. */
export function countRows(client: Client): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const table of ["workspaces", "contacts", "messages", "inbounds", "events", "consent_log", "ledger_entries"]) {
    counts[table] = Number(client.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  }
  return counts;
}
