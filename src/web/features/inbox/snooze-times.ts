/** The times until which a conversation is usually snoozed, on the clock of the workspace. Pure. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const EVENING = 18;
const MORNING = "09:00";

type SnoozeName = "hour" | "evening" | "tomorrow" | "monday";

/** `until`: ISO 8601; without an offset, on the workspace's clock, as the server reads it. */
interface SnoozeTime {
  name: SnoozeName;
  until: string;
}

/** `now` in milliseconds. In the evening, "this evening" is not among them; on a Sunday, tomorrow is Monday. */
export function snoozeTimes(now: number, zone: string): SnoozeTime[] {
  const local = localTime(now, zone);
  const today = local.slice(0, 10);
  const weekday = new Date(`${today}T00:00:00Z`).getUTCDay();
  const inDays = (days: number) =>
    new Date(Date.parse(`${today}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
  const untilMonday = (8 - weekday) % 7 || 7;
  const hour = { name: "hour" as const, until: new Date(now + HOUR_MS).toISOString() };
  const evening = { name: "evening" as const, until: `${today}T${EVENING}:00` };
  const tomorrow = { name: "tomorrow" as const, until: `${inDays(1)}T${MORNING}` };
  const monday = { name: "monday" as const, until: `${inDays(untilMonday)}T${MORNING}` };
  const isEvening = Number(local.slice(11, 13)) >= EVENING - 1;
  return [hour, ...(isEvening ? [] : [evening]), tomorrow, ...(untilMonday === 1 ? [] : [monday])];
}

/** `2026-11-27T10:00`: local time in the zone. */
export function localTime(now: number, zone: string): string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
  return format.format(now).replace(" ", "T");
}

/** `Sat 28 Nov, 09:00`, on the workspace's clock. */
export function shortTime({ until }: Pick<SnoozeTime, "until">, zone: string): string {
  const isLocal = /T\d\d:\d\d$/.test(until);
  const format = new Intl.DateTimeFormat("en-GB", {
    ...{ weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
    timeZone: isLocal ? "UTC" : zone,
  });
  return format.format(Date.parse(isLocal ? `${until}Z` : until));
}
