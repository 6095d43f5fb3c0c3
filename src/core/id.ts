/** Random identifiers. Everything that must sort by age begins with the time. */
import type { Random } from "./random.ts";

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";

/** An event's id: `evt_`, 10 characters of milliseconds, 16 of randomness; ids made later sort later. */
export function newEventId(nowMs: number, random: Random): string {
  return `evt_${crockford(nowMs, 10)}${randomText(random, 16)}`;
}

/** Names one run of the server; outbox rows that it works on carry it. */
export function newRunId(random: Random): string {
  return randomText(random, 16);
}

/** Names one database; part of every reference, so that a copy's statuses are told apart. */
export function newInstanceId(random: Random): string {
  return randomText(random, 8);
}

/**
 * A message's reference: the database's instance id, the millisecond it was made, and 128 random bits. Time comes before
 * randomness so that new rows land at the end of the index: with whole seconds, a busy second's references would lie
 * scattered over dozens of pages, each of them one more to sync.
 */
export function newSendToken(instanceId: string, nowMs: number, random: Random): string {
  return `wx1.${instanceId}.${crockford(nowMs, 10)}.${randomText(random, 26)}`;
}

/** The parts of a reference that Waxwing made, or null when it is somebody else's. */
export function parseSendToken(sendToken: string): { instanceId: string; createdAtMs: number } | null {
  const match = /^wx1\.([0-9a-z]{8})\.([0-9a-z]{10})\.[0-9a-z]{26}$/.exec(sendToken);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  let createdAtMs = 0;
  for (const character of match[2]) createdAtMs = createdAtMs * 32 + CROCKFORD.indexOf(character);
  return { instanceId: match[1], createdAtMs };
}

/** `length` characters of five random bits each. */
export function randomText(random: Random, length: number): string {
  let text = "";
  for (const byte of random.bytes(length)) text += CROCKFORD[byte & 31];
  return text;
}

function crockford(value: number, length: number): string {
  let text = "";
  let left = value;
  for (let i = 0; i < length; i++) {
    text = `${CROCKFORD[left % 32]}${text}`;
    left = Math.floor(left / 32);
  }
  return text;
}
