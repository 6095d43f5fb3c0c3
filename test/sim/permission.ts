/**
 * What stood on the disk before the last commit, and after it. A hand-over follows right after the commit that permits it,
 * so what was already so before that commit had to be respected: who had opted out, what rested, what was switched off.
 */
import type { Client } from "#src/storage/driver.ts";

export interface Permission {
  optedOut: ReadonlySet<string>;
  /** Phones that are known to be one person's. */
  personOf: ReadonlyMap<string, number>;
  /** Broadcasts and what they are; one that is not there yet is none of them. */
  broadcasts: ReadonlyMap<number, string>;
  templates: ReadonlySet<string>;
  isSuspended: boolean;
  isReady: boolean;
}

const NOTHING: Permission = {
  optedOut: new Set(),
  personOf: new Map(),
  broadcasts: new Map(),
  templates: new Set(),
  isSuspended: false,
  isReady: true,
};

const SQL = `SELECT
  (SELECT group_concat(phone) FROM contacts WHERE consent = 'opted_out' AND phone IS NOT NULL),
  (SELECT group_concat(phone || '=' || person_id) FROM contacts WHERE person_id IS NOT NULL AND phone IS NOT NULL),
  (SELECT group_concat(id || '=' || status) FROM broadcasts),
  (SELECT group_concat(name) FROM templates WHERE status = 'APPROVED'),
  (SELECT suspended_at IS NOT NULL FROM workspaces),
  (SELECT ready FROM numbers)`;

type Row = [string | null, string | null, string | null, string | null, number, number];

export class PermissionLog {
  #before: Row | null = null;
  #now: Row | null = null;
  #read: { row: Row; permission: Permission } | null = null;
  #look: (() => Row) | null = null;

  /** A process has opened the file. */
  begin(client: Client): void {
    const statement = client.prepare(SQL).raw();
    this.#look = () => statement.get() as Row;
    this.#now = this.#look();
    this.#before = this.#now;
  }

  committed(): void {
    this.#before = this.#now;
    this.#now = this.#look?.() ?? null;
  }

  /** As it was before the last commit. */
  get before(): Permission {
    const row = this.#before;
    if (row === null) return NOTHING;
    if (this.#read?.row !== row) this.#read = { row, permission: readRow(row) };
    return this.#read.permission;
  }
}

function readRow([optedOut, persons, broadcasts, templates, isSuspended, isReady]: Row): Permission {
  return {
    optedOut: new Set(listOf(optedOut)),
    personOf: new Map(pairsOf(persons).map(([phone, id]) => [phone, Number(id)])),
    broadcasts: new Map(pairsOf(broadcasts).map(([id, status]) => [Number(id), status])),
    templates: new Set(listOf(templates)),
    isSuspended: isSuspended === 1,
    isReady: isReady === 1,
  };
}

function listOf(text: string | null): string[] {
  return text === null ? [] : text.split(",");
}

function pairsOf(text: string | null): [string, string][] {
  return listOf(text).map((pair) => {
    const [name = "", value = ""] = pair.split("=");
    return [name, value];
  });
}
