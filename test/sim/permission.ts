/**
 * What stood on the disk before the last commit, and after it. A hand-over follows right after the commit that permits it:
 * what forbade it before that commit and forbids it still had to be respected. What changed in that very commit may have
 * changed before the hand-over was permitted, or after.
 */
import type { Client } from "#src/storage/driver.ts";

interface Permission {
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
  readonly #read = new Map<Row, Permission>();
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

  /** Why this may not be handed over, as it was before the last commit and still is; null: nothing forbids it. */
  findObstacle(sent: Sent): string | null {
    const before = obstaclesIn(this.#permissionOf(this.#before), sent);
    if (before.length === 0) return null;
    const now = obstaclesIn(this.#permissionOf(this.#now), sent);
    return before.find((obstacle) => now.includes(obstacle)) ?? null;
  }

  /** Whether these two phones were known to be one person's. */
  isOnePerson(one: string, other: string): boolean {
    const { personOf } = this.#permissionOf(this.#before);
    const person = personOf.get(one);
    return person !== undefined && personOf.get(other) === person;
  }

  #permissionOf(row: Row | null): Permission {
    if (row === null) return NOTHING;
    const known = this.#read.get(row);
    if (known !== undefined) return known;
    this.#read.clear();
    const permission = readRow(row);
    this.#read.set(row, permission);
    return permission;
  }
}

export interface Sent {
  to: string;
  broadcastId: number | null;
  /** Null: a text. */
  template: string | null;
}

function obstaclesIn(permission: Permission, { to, broadcastId, template }: Sent): string[] {
  const found: string[] = [];
  if (permission.optedOut.has(to)) found.push("the person has opted out");
  if (permission.isSuspended) found.push("the workspace is suspended");
  if (!permission.isReady) found.push("the number is not ready");
  if (broadcastId === null) return found;
  if (permission.broadcasts.get(broadcastId) !== "running") found.push("the broadcast does not run");
  if (template !== null && !permission.templates.has(template)) found.push("the template is not approved");
  return found;
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
