/** The messages that this page sent: to the server, they are no change of a conversation that the user had in sight. */

/** Earlier ones have been in sight since. */
const TOLD_MAX = 20;

/** Their keys in a conversation. */
const own = new Set<string>();

export function noteOwn(messageId: number): void {
  own.add(`m${messageId}`);
}

export function isOwn(key: string): boolean {
  return own.has(key);
}

/** For `If-Match`: a version of a conversation, and what this page sent meanwhile. */
export function inSight(version: string): string {
  return [version, ...[...own].slice(-TOLD_MAX)].join(" ");
}
