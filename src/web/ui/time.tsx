/**
 * Shows a time: relative within a day, a date otherwise; the exact time with its timezone on hover and for screen
 * readers.
 */
import { useEffect, useState } from "react";

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `at`: ISO 8601. `zone`: the workspace's timezone; the browser's if absent. */
export function Time({ at, zone }: { at: string; zone?: string }) {
  useMinutes();
  const now = Date.now();
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={exact(ms, zone)}>
      {formatRelative(ms, now, zone)}
    </time>
  );
}

const lengths = {
  minute: new Intl.NumberFormat("en", { style: "unit", unit: "minute", unitDisplay: "short" }),
  hour: new Intl.NumberFormat("en", { style: "unit", unit: "hour", unitDisplay: "long" }),
  day: new Intl.NumberFormat("en", { style: "unit", unit: "day", unitDisplay: "long" }),
};

/** How long it is since a time: `42 min`, `3 hours`, `2 days`. Whole units, never more than have passed, except below one minute. */
export function Length({ since, zone }: { since: string; zone?: string }) {
  useMinutes();
  const ms = Date.parse(since);
  return (
    <time dateTime={since} title={exact(ms, zone)}>
      {formatLength(Date.now() - ms)}
    </time>
  );
}

function formatLength(ms: number): string {
  if (ms < HOUR_MS) return lengths.minute.format(Math.max(1, Math.floor(ms / MINUTE_MS)));
  return ms < 2 * DAY_MS ? lengths.hour.format(Math.floor(ms / HOUR_MS)) : lengths.day.format(Math.floor(ms / DAY_MS));
}

export function ExactTime({ at, zone }: { at: string; zone?: string }) {
  return <time dateTime={at}>{exact(Date.parse(at), zone)}</time>;
}

export function exact(ms: number, zone?: string): string {
  return new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "medium",
    ...(zone === undefined ? {} : { timeZone: zone }),
  })
    .format(ms)
    .concat(zone === undefined ? "" : ` ${zone}`);
}

function formatRelative(ms: number, now: number, zone: string | undefined): string {
  const away = ms - now;
  const distance = Math.abs(away);
  // The server's clock may be slightly ahead of the browser's.
  if (distance < 45_000) return away > 3_000 ? "in a moment" : "just now";
  if (distance < HOUR_MS) return relative.format(Math.round(away / MINUTE_MS), "minute");
  if (distance < DAY_MS) return relative.format(Math.round(away / HOUR_MS), "hour");
  const isThisYear = new Date(ms).getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    ...(isThisYear ? {} : { year: "numeric" }),
    ...(zone === undefined ? {} : { timeZone: zone }),
  }).format(ms);
}

/** Re-renders every half minute, so that "just now" does not go stale. */
export function useMinutes(): void {
  const [, setCount] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setCount((count) => count + 1), 30_000);
    return () => clearInterval(timer);
  }, []);
}
