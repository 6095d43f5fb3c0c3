/** Opens a database file for one piece of work, and closes it again. */
import { type Client, openClient } from "#src/db/driver.ts";
import { type CheckFinding, checkDatabase, FOREIGN_SCHEMA } from "#src/health/check.ts";

const WAIT_MS = 5_000;

export function reading<T>(path: string, work: (client: Client) => T): T {
  return closing(openClient(path, { readonly: true, fileMustExist: true, timeout: WAIT_MS }), work);
}

/** What is committed is on disk when it returns. */
export function writing<T>(path: string, work: (client: Client) => T): T {
  return closing(openClient(path, { fileMustExist: true, timeout: WAIT_MS }), (client) => {
    client.pragma("synchronous = FULL");
    client.pragma("foreign_keys = ON");
    return work(client);
  });
}

function closing<T>(client: Client, work: (client: Client) => T): T {
  try {
    return work(client);
  } finally {
    client.close();
  }
}

/** True for a finding about the file itself, as opposed to the data that Waxwing wrote. */
export function isDamage(name: string): boolean {
  return name === "integrity" || name === "references" || name === "digest";
}

/** The findings of a full check of a file that nothing else writes to, and those that make it unusable. */
export function checkFile(client: Client, now: number): { findings: CheckFinding[]; damage: CheckFinding[] } {
  const { findings } = checkDatabase(client, { now, isExclusive: true });
  return { findings, damage: findings.filter(({ name }) => isDamage(name) || name === FOREIGN_SCHEMA) };
}
