/**
 * The kinds of configuration values. A kind converts a value from the file into its typed form, or describes a valid
 * value in one phrase. It also converts the text of an environment variable into the form used in the file, so that
 * values from both go through the same check.
 */

import { isIP, isIPv4, isIPv6 } from "node:net";
import { Cron } from "croner";
import { type Duration, readDuration } from "#src/core/duration.ts";
import { type QuietHours, readQuietHours } from "#src/core/quiet-hours.ts";

export interface Kind<T> {
  /** True for values that must not appear in messages. */
  readonly isSecret: boolean;
  /** The typed value, or what is wrong with it. Accepts anything that a TOML document can hold; never throws. */
  read(value: unknown): T | InvalidValue;
  /** Converts the text of an environment variable into the form used in the file. */
  fromText(text: string): unknown;
  /** What the value is the name of: it may be valid and lead to nothing. */
  readonly names?: "file" | "address";
}

/** A value that is not valid for its kind. */
export class InvalidValue {
  /** Completes "it must be …". */
  readonly advice: string;
  /** The index of the invalid list element; null if the whole value is invalid. */
  readonly element: number | null;

  constructor(advice: string, element: number | null = null) {
    this.advice = advice;
    this.element = element;
  }
}

/** The address to listen on, `::` for every one of both families; with port 0, the system chooses a port. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** An address range in the form that `BlockList.addSubnet` takes; a single address has the full prefix length. */
interface AddressRange {
  readonly address: string;
  readonly prefixLength: number;
  readonly family: "ipv4" | "ipv6";
}

const SECOND_MS = 1000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;
const DURATION_ADVICE = 'a duration with its unit, in quotes, such as "500ms", "10s", "5m", "2h" or "30 days"';

/** Values of this kind are names of something outside the configuration. */
function naming<T>(names: NonNullable<Kind<T>["names"]>, kind: Kind<T>): Kind<T> {
  return { ...kind, names };
}

/** A kind written as a string in the file. `convert` returns null for an invalid text. */
export function text<T>(advice: string, convert: (text: string) => T | null | InvalidValue, isSecret = false): Kind<T> {
  return {
    isSecret,
    fromText: (value) => value,
    read(value) {
      if (typeof value !== "string") return new InvalidValue(advice);
      return convert(value) ?? new InvalidValue(advice);
    },
  };
}

/** Like `kind`, but the empty string means "none": null. */
export function optional<T>(kind: Kind<T>): Kind<T | null> {
  return {
    ...kind,
    read(value) {
      if (value === "") return null;
      const read = kind.read(value);
      return read instanceof InvalidValue ? new InvalidValue(`${read.advice}, or "" for none`, read.element) : read;
    },
  };
}

/**
 * A list of `element`; `refuse` may check the list as a whole. In an environment variable, elements are separated by
 * commas.
 */
function list<T>(
  element: Kind<T>,
  advice: string,
  refuse: (elements: readonly T[]) => InvalidValue | null = () => null,
): Kind<readonly T[]> {
  return {
    isSecret: element.isSecret,
    fromText: (value) => (value.trim() === "" ? [] : value.split(",").map((part) => element.fromText(part.trim()))),
    read(value) {
      if (!Array.isArray(value)) return new InvalidValue(advice);
      const elements: T[] = [];
      for (const [index, item] of value.entries()) {
        const read = element.read(item);
        if (read instanceof InvalidValue) return new InvalidValue(read.advice, index);
        elements.push(read);
      }
      return refuse(elements) ?? elements;
    },
  };
}

/** A whole number within the bounds, both inclusive. */
export function wholeNumber(min: number, max: number): Kind<number> {
  const advice = `a whole number from ${min} to ${max}, without quotes`;
  return {
    isSecret: false,
    fromText: (value) => (/^[+-]?\d+$/.test(value.trim()) ? Number(value) : value),
    read: (value) =>
      typeof value === "number" && Number.isInteger(value) && value >= min && value <= max
        ? value
        : new InvalidValue(advice),
  };
}

/** A number within the bounds, both inclusive. */
export function fraction(min: number, max: number): Kind<number> {
  const advice = `a number from ${min} to ${max}, without quotes`;
  return {
    isSecret: false,
    fromText: (value) => (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(value.trim()) ? Number(value) : value),
    read: (value) => (typeof value === "number" && value >= min && value <= max ? value : new InvalidValue(advice)),
  };
}

export const yesOrNo: Kind<boolean> = {
  isSecret: false,
  fromText: (value) => (value === "true" ? true : value === "false" ? false : value),
  read: (value) => (typeof value === "boolean" ? value : new InvalidValue("true or false, without quotes")),
};

export function oneOf<const T extends string>(...choices: readonly T[]): Kind<T> {
  const advice = `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
  return text(advice, (value) => choices.find((choice) => choice === value) ?? null);
}

export const path: Kind<string> = naming(
  "file",
  text("a path, in quotes", (value) => (value.trim() === "" || value.includes("\0") ? null : value)),
);

/** A path on disk. SQLite's name for a database in memory is refused with what there is instead. */
export const diskPath: Kind<string> = naming(
  "file",
  text("a path on disk, in quotes; for temporary data, run waxwing dev without --data", (value) =>
    value.trim() === "" || value.includes("\0") || value.trim() === ":memory:" ? null : value,
  ),
);

/** A secret: visible ASCII characters, at least one, never shown in a message. */
export const secretText: Kind<string> = text(
  "a text in quotes, without spaces or line breaks",
  (value) => (/^[\x21-\x7e]+$/.test(value) ? value : null),
  true,
);

/** A duration in milliseconds. Months are rejected, because they have no fixed length. */
export function duration(minMs: number, maxMs: number): Kind<number> {
  const advice = `${DURATION_ADVICE}, from ${showMs(minMs)} to ${showMs(maxMs)}`;
  return text(advice, (value) => {
    const read = readDuration(value);
    if (read?.kind === "months") return new InvalidValue(`${advice}; a month has no fixed length; use days`);
    return read !== null && read.ms >= minMs && read.ms <= maxMs ? read.ms : null;
  });
}

/** How long data is kept: months are allowed, zero is not. */
export const retentionPeriod: Kind<Duration> = text(`${DURATION_ADVICE} or "18 months", longer than zero`, (value) => {
  const read = readDuration(value);
  if (read === null) return null;
  return (read.kind === "months" ? read.months : read.ms) > 0 ? read : null;
});

/** Retry times, counted from the first attempt: each must be later than the previous one. */
export const retryTimes: Kind<readonly number[]> = list(
  duration(1, 30 * DAY_MS),
  'a list of durations, such as ["1m", "5m", "30m"]',
  (times) => {
    const early = times.findIndex((time, index) => index > 0 && time <= (times[index - 1] ?? 0));
    return early === -1
      ? null
      : new InvalidValue("later than the previous one, because all count from the first attempt", early);
  },
);

export const listenAddress: Kind<ListenAddress> = naming(
  "address",
  text(
    'HOST:PORT, such as "127.0.0.1:8080", "[::1]:8080" or ":8080" for every interface of both families; ports are 0 to 65535',
    (value) => {
      const parts = /^(?:\[([^\]]+)\]|([A-Za-z0-9._-]*)):(\d{1,5})$/.exec(value);
      const port = Number(parts?.[3]);
      if (parts === null || port > 65_535) return null;
      const [, bracketed, plain] = parts;
      if (bracketed !== undefined) return isIPv6(bracketed) ? { host: bracketed, port } : null;
      // Digits and dots that are not an address would be resolved as a name and fail much later with a confusing message.
      if (plain === undefined || (/^[\d.]+$/.test(plain) && !isIPv4(plain))) return null;
      return { host: plain === "" ? "::" : plain, port };
    },
  ),
);

/** A public host name, in lower case: no address, no wildcard, at least one dot. */
export const domainName: Kind<string> = text(
  'a domain name such as "wa.example.com", without https:// or a port',
  (value) => {
    const name = value.toLowerCase();
    const labels = name.split(".");
    const isName = labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
    return isName && name.length <= 253 && labels.length > 1 && !/^\d+$/.test(labels.at(-1) ?? "") ? name : null;
  },
);

export const addressRanges: Kind<readonly AddressRange[]> = list(
  text('an IP address or a range of them, such as "10.0.0.1", "10.0.0.0/8" or "fd00::/8"', (value) => {
    const [address = "", length, ...rest] = value.split("/");
    const version = isIP(address);
    // A zone (fe80::1%eth0) names an interface of this machine, which a forwarded address never contains.
    if (version === 0 || address.includes("%") || rest.length > 0) return null;
    const prefixLengthMax = version === 4 ? 32 : 128;
    if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > prefixLengthMax)) return null;
    return {
      address,
      prefixLength: Number(length ?? prefixLengthMax),
      family: version === 4 ? "ipv4" : "ipv6",
    } as const;
  }),
  'a list of IP addresses or ranges, such as ["127.0.0.1", "10.0.0.0/8"]',
);

/** An http or https URL without a query, returned without trailing slashes, to which browsers go and the server does not. */
export const linkAddress: Kind<string> = text(
  'an address such as "https://messages.example.com", without user, query or "#"',
  (value) => {
    // URL would silently repair white space and backslashes; the operator should see them.
    if (!/^https?:\/\/[^\s\\?#@]+$/i.test(value) || !URL.canParse(value)) return null;
    return new URL(value).href.replace(/\/+$/, "");
  },
);

/** Such a URL that the server itself requests or is reached at. */
export const httpAddress: Kind<string> = naming("address", linkAddress);

/** The whole address of a call, with its query. It often contains a token, so it is a secret. */
export const callAddress: Kind<string> = naming(
  "address",
  text(
    'an address such as "https://alerts.example.com/waxwing"',
    (value) => (/^https?:\/\/[^\s\\#@]+$/i.test(value) && URL.canParse(value) ? new URL(value).href : null),
    true,
  ),
);

export const emailAddress: Kind<string> = text('an e-mail address such as "ops@example.com"', (value) =>
  /^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(value) ? value : null,
);

export const emailAddresses: Kind<readonly string[]> = list(
  emailAddress,
  'a list of e-mail addresses, such as ["ops@example.com"]',
);

export const graphVersion: Kind<string> = text('a version of the Graph API, such as "v25.0"', (value) =>
  /^v\d{1,3}\.\d{1,2}$/.test(value) ? value : null,
);

export const metaId: Kind<string> = text("an ID of Meta's, 5 to 30 digits in quotes", (value) =>
  /^\d{5,30}$/.test(value) ? value : null,
);

export const headerName: Kind<string> = text('the name of an HTTP header, such as "Authorization"', (value) =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(value) ? value : null,
);

/** The text before the token in the header; it may be empty, and a trailing space counts. */
export const headerPrefix: Kind<string> = text("printable ASCII text in quotes; it may be empty", (value) =>
  /^[\x20-\x7e]*$/.test(value) ? value : null,
);

export const quietHours: Kind<QuietHours> = text(
  'two different times of day, HH:MM-HH:MM, such as "21:00-08:00"',
  readQuietHours,
);

/** Five fields (no seconds) describing a time that occurs at all. */
export const cronExpression: Kind<string> = text(
  'a cron expression of five fields, such as "0 3 * * *" for every night at 3',
  (value) => {
    try {
      // The 30th of February is well-formed and would mean a backup that silently never runs. The start of the search
      // does not matter; a fixed date avoids the clock.
      const next = new Cron(value, { mode: "5-part", paused: true }).nextRun(new Date(0));
      return next === null ? new InvalidValue("a cron expression that matches some time") : value;
    } catch {
      return null;
    }
  },
);

function showMs(ms: number): string {
  for (const [unit, size] of [
    [" days", DAY_MS],
    ["h", 3600 * SECOND_MS],
    ["m", 60 * SECOND_MS],
    ["s", SECOND_MS],
  ] as const) {
    if (ms >= size && ms % size === 0 && (size < DAY_MS || ms > DAY_MS)) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}
