/** Random identifiers. Those that must sort by age begin with the time. */
import type { Random } from "./random.ts";

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const CROCKFORD_BYTES = Buffer.from(CROCKFORD, "latin1");

/**
 * An event's id: `evt_`, 10 characters of milliseconds, 5 that count, 11 random characters. It sorts after `latest`, the id of
 * the event before it (null: there is none), also within a millisecond and while the clock goes back: then it counts on from
 * there. The random part tells copies of a database apart, which count on from the same id.
 */
export function newEventId(nowMs: number, latest: string | null, random: Random): string {
  const first = `evt_${timeText(nowMs)}00000`;
  // Texts of one length sort as the numbers that they write.
  const isFirst = latest === null || latest < first || !EVENT_ID.test(latest);
  return `${isFirst ? first : following(latest.slice(0, first.length))}${randomText(random, 11)}`;
}

const EVENT_ID = /^evt_[0-9a-z]{26}$/;

/** The number after the one that the text ends with. */
function following(text: string): string {
  let at = text.length - 1;
  while (text[at] === "z") at -= 1;
  return text.slice(0, at) + CROCKFORD.charAt(CROCKFORD.indexOf(text.charAt(at)) + 1).padEnd(text.length - at, "0");
}

/** Identifies one database. It is part of every send token, so that statuses of a copy's messages can be told apart. */
export function newInstanceId(random: Random): string {
  return randomText(random, 8);
}

/**
 * A message's send token: the database's instance id, the millisecond of creation, and 130 random bits. The time
 * precedes the random part so that new rows land at the end of the index. With a resolution of whole seconds, a busy
 * second's tokens would be scattered over dozens of pages, each an additional page to sync.
 */
export function newSendToken(instanceId: string, nowMs: number, random: Random): string {
  return `wx1.${instanceId}.${timeText(nowMs)}.${randomText(random, 26)}`;
}

/** The parts of a send token that a Waxwing database made; null for any other text. */
export function parseSendToken(sendToken: string): { instanceId: string; createdAtMs: number } | null {
  const match = /^wx1\.([0-9a-z]{8})\.([0-9a-z]{10})\.[0-9a-z]{26}$/.exec(sendToken);
  if (match?.[1] === undefined || match[2] === undefined) return null;
  return { instanceId: match[1], createdAtMs: decode(match[2]) };
}

function decode(text: string): number {
  let value = 0;
  for (let at = 0; at < text.length; at++) value = value * 32 + CROCKFORD.indexOf(text.charAt(at));
  return value;
}

/** `length` random characters of five bits each. */
export function randomText(random: Random, length: number): string {
  const text = Buffer.allocUnsafe(length);
  const bytes = random.bytes(length);
  for (let index = 0; index < length; index++) text[index] = CROCKFORD_BYTES[(bytes[index] ?? 0) & 31] ?? 0;
  return text.toString("latin1");
}

const TIME_LENGTH = 10;
/** All that is written together has the same time. */
let latestTime = { ms: 0, text: "0".repeat(TIME_LENGTH) };

function timeText(ms: number): string {
  if (ms === latestTime.ms) return latestTime.text;
  let text = "";
  for (let left = ms; text.length < TIME_LENGTH; left = Math.floor(left / 32))
    text = CROCKFORD.charAt(left % 32) + text;
  latestTime = { ms, text };
  return text;
}
