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
  const before = latest === null ? null : /^evt_([0-9a-z]{10})([0-9a-z]{5})[0-9a-z]{11}$/.exec(latest);
  if (before === null || decode(before[1] ?? "") < nowMs) return timedText("evt_", nowMs, "00000", random, 11);
  const time = decode(before[1] ?? "");
  const count = (decode(before[2] ?? "") + 1) % COUNT_END;
  return timedText("evt_", count === 0 ? time + 1 : time, encode(count, COUNT_LENGTH), random, 11);
}

const COUNT_LENGTH = 5;
const COUNT_END = 32 ** COUNT_LENGTH;

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
  return timedText(`wx1.${instanceId}.`, nowMs, ".", random, 26);
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

function encode(value: number, length: number): string {
  let text = "";
  for (let left = value; text.length < length; left = Math.floor(left / 32)) text = CROCKFORD.charAt(left % 32) + text;
  return text;
}

/** `length` random characters of five bits each. */
export function randomText(random: Random, length: number): string {
  const text = Buffer.allocUnsafe(length);
  putRandom(text, 0, random, length);
  return text.toString("latin1");
}

const TIME_LENGTH = 10;

/** `before`, ten characters of milliseconds, `between`, and `length` random characters: one text, made in one piece. */
function timedText(before: string, nowMs: number, between: string, random: Random, length: number): string {
  const timeAt = before.length;
  const randomAt = timeAt + TIME_LENGTH + between.length;
  const text = Buffer.allocUnsafe(randomAt + length);
  text.write(before, 0, "latin1");
  let left = nowMs;
  for (let index = timeAt + TIME_LENGTH - 1; index >= timeAt; index--) {
    text[index] = CROCKFORD_BYTES[left % 32] ?? 0;
    left = Math.floor(left / 32);
  }
  if (between !== "") text.write(between, timeAt + TIME_LENGTH, "latin1");
  putRandom(text, randomAt, random, length);
  return text.toString("latin1");
}

function putRandom(text: Buffer, at: number, random: Random, length: number): void {
  const bytes = random.bytes(length);
  for (let index = 0; index < length; index++) text[at + index] = CROCKFORD_BYTES[(bytes[index] ?? 0) & 31] ?? 0;
}
