/**
 * The settings of a workspace, one row each. Their columns, their checks, and the options and reports of `waxwing
 * workspace` follow from this list; a new setting is a row here and a column in a migration.
 */
import { isTimeZone } from "#src/core/instant.ts";
import { isCountry } from "#src/core/phone.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { readQuietHours } from "#src/core/quiet-hours.ts";
import { SHOWS_NOTHING, trimShown } from "#src/core/shown-text.ts";
import { COMMAND_LENGTH_MAX, cutText, isLonger } from "#src/core/text-limits.ts";
import { CONSENT_TERMS_MAX } from "./consent-terms.ts";
import { normalizeCommand } from "./normalize-command.ts";
import { findHoursProblem, isClosedDay, normalizeHours } from "./opening-hours.ts";
import { findContradiction } from "./read-command.ts";
import { RETENTIONS } from "./retention.ts";

/** What a setting holds. A count that is null is no limit. */
export interface SettingValues {
  text: string;
  /** Several lines. */
  paragraph: string;
  /** One of the setting's `choices`. */
  choice: string;
  count: number | null;
  words: string[];
}
export type SettingKind = keyof SettingValues;

/** Where the console's form shows a setting. */
export const settingGroups = ["workspace", "sending", "consent", "inbox", "retention"] as const;

interface Setting<Kind extends SettingKind> {
  kind: Kind;
  group: (typeof settingGroups)[number];
  /** For a workspace that is created without it. Absent: it must be given. */
  initial?: SettingValues[Kind];
  /** The option's placeholder and description in the help. */
  placeholder: string;
  description: string;
  /** Of a choice: what may be chosen, with what the console calls it. */
  choices?: Readonly<Record<string, string>>;
  /** The setting's name in the console, and what it changes. */
  label: string;
  effect: string;
  /** Describes in a sentence what is wrong with a value; null if it is valid. */
  findProblem(given: SettingValues[Kind]): string | null;
  /** The value as it is stored. Absent: as it was given. */
  normalize?(given: SettingValues[Kind]): SettingValues[Kind];
}

const NAME_LENGTH_MAX = 191;
const READ_RECEIPTS = {
  off: "Never",
  opened: "When a colleague opens the conversation",
  answered: "When it is answered",
};
/** The network's limit of a text. */
export const PARAGRAPH_LENGTH_MAX = 4_096;
/** Of ours, in UTF-16 units: it shares a caption, of 1,024, with the caption's own words. */
const AI_NOTICE_LENGTH_MAX = 500;

/** By the column's name in the code. */
export const settings = {
  name: {
    kind: "text",
    group: "workspace",
    placeholder: "NAME",
    description: "The customer's name",
    label: "Name",
    effect: "The name that your team sees, and that e-mails of this server name.",
    findProblem: (name) =>
      SHOWS_NOTHING.test(name) || [...name.trim()].length > NAME_LENGTH_MAX
        ? `A name has 1 to ${NAME_LENGTH_MAX} characters.`
        : null,
    normalize: (name) => name.trim(),
  },
  /** ISO 3166 code in capitals. */
  country: {
    kind: "text",
    group: "workspace",
    placeholder: "CC",
    description: "Country, such as IN; numbers without a country code belong to it",
    label: "Country",
    effect: "Phone numbers without a country code are read as numbers of this country, from now on.",
    findProblem: (code) => (isCountry(code.toUpperCase()) ? null : `"${code}" is not a country code such as IN or BR.`),
    normalize: (code) => code.toUpperCase(),
  },
  /** IANA name; every time in the API is expressed in it. */
  timezone: {
    kind: "text",
    group: "workspace",
    placeholder: "TZ",
    description: "Timezone of all times, such as Asia/Kolkata",
    label: "Timezone",
    effect:
      "Every time is shown in it, and quiet hours and birthdays follow it. Scheduled broadcasts keep their moment.",
    findProblem: (name) => (isTimeZone(name) ? null : `"${name}" is not a timezone such as Asia/Kolkata.`),
  },
  dailyCap: {
    kind: "count",
    group: "sending",
    initial: null,
    placeholder: "N",
    description: "Maximum number of people sent a template within 24 hours; none: no limit",
    label: "Daily cap",
    effect: "At most so many people are sent a template within 24 hours. Empty: no limit.",
    findProblem: (count) =>
      count !== null && (!Number.isSafeInteger(count) || count < 1)
        ? "The daily cap is a whole number of people, at least 1."
        : null,
  },
  stopWords: {
    kind: "words",
    group: "consent",
    initial: [],
    placeholder: "A,B",
    description: "Opt-out words beside STOP and its translations, separated by commas",
    label: "Opt-out words",
    effect: "A person who writes one of them, and nothing else, is opted out, as with STOP and its translations.",
    findProblem: findUselessWord,
    normalize: ownWords,
  },
  startWords: {
    kind: "words",
    group: "consent",
    initial: [],
    placeholder: "A,B",
    description: "Opt-in words beside START, UNSTOP and SUBSCRIBE, separated by commas",
    label: "Opt-in words",
    effect: "A person who writes one of them, and nothing else, is opted in, as with START, UNSTOP and SUBSCRIBE.",
    findProblem: findUselessWord,
    normalize: ownWords,
  },
  /** By weekday, as `opening-hours.ts` reads them. */
  openingHours: {
    kind: "text",
    group: "inbox",
    initial: "",
    placeholder: "HOURS",
    description: 'Opening hours, such as "mon-fri 10:00-19:00; sat closed"; empty: always open',
    label: "Opening hours",
    effect:
      "Outside these hours of your timezone, a person who writes gets the away message, once a day. For example: mon-fri 09:00-13:00, 15:00-19:00; sat 10:00-14:00. A day that is not named is closed. Empty: always open.",
    findProblem: findHoursProblem,
    normalize: normalizeHours,
  },
  /** `YYYY-MM-DD`, or `MM-DD` of every year. */
  closedDays: {
    kind: "words",
    group: "inbox",
    initial: [],
    placeholder: "A,B",
    description: "Dates without opening hours, such as 2026-12-26, or 12-25 for that day of every year",
    label: "Closed days",
    effect: "Dates on which you are closed, such as 2026-12-26, or 12-25 for that day of every year.",
    findProblem: (days) => {
      const wrong = days.map((day) => day.trim()).find((day) => day !== "" && !isClosedDay(day));
      return wrong === undefined ? null : `"${cutText(wrong, 40)}" is not a date such as 2026-12-26 or 12-25.`;
    },
    normalize: (days) => [...new Set(ownWords(days))].toSorted(),
  },
  awayMessage: {
    kind: "paragraph",
    group: "inbox",
    initial: "",
    placeholder: "TEXT",
    description: "What a person who writes outside the opening hours is answered, once a day; empty: nothing",
    label: "Away message",
    effect:
      "Answers a person who writes outside the opening hours, at most once a day. The conversation still waits for your answer. Empty: nothing is sent.",
    findProblem: (text) =>
      [...text].length > PARAGRAPH_LENGTH_MAX ? `A message has at most ${PARAGRAPH_LENGTH_MAX} characters.` : null,
    normalize: trimShown,
  },
  /** Empty: the server's. */
  quiet: {
    kind: "text",
    group: "sending",
    initial: "",
    placeholder: "HOURS",
    description: "Quiet hours, such as 21:00-08:00, in which marketing waits; off: none; empty: those of the server",
    label: "Quiet hours",
    effect:
      "In these hours of your timezone, such as 21:00-08:00, scheduled messages of marketing templates wait for the end, and so does a marketing broadcast that is more than an hour late. A broadcast that starts at its time is sent. Write off for none. Empty: those of this server.",
    findProblem: (text) =>
      ["", "off"].includes(readQuiet(text)) || readQuietHours(readQuiet(text)) !== null
        ? null
        : `"${cutText(text, 40)}" is neither two different times of day, such as 21:00-08:00, nor off.`,
    normalize: readQuiet,
  },
  /** `messages/ai-notice.ts` says which messages carry it. */
  aiNotice: {
    kind: "paragraph",
    group: "sending",
    initial: "",
    placeholder: "TEXT",
    description: "First paragraph of the first message that an AI's key sends a person in a window; empty: none",
    label: "AI notice",
    effect:
      "The first paragraph of the first message that an AI sends a person, such as: This answer was written by an AI. Write PERSON to reach one of us. It is repeated when the person writes again after 24 hours of silence. It concerns keys that are marked as an AI's; templates say it in their own words. Empty: nothing is added.",
    findProblem: (text) =>
      isLonger(trimShown(text), AI_NOTICE_LENGTH_MAX)
        ? `An AI notice has at most ${AI_NOTICE_LENGTH_MAX} characters, because it shares a message with the AI's own words.`
        : null,
    normalize: trimShown,
  },
  readReceipts: {
    kind: "choice",
    group: "inbox",
    initial: "off",
    choices: READ_RECEIPTS,
    placeholder: "WHEN",
    description: "When people see that their messages were read: off, opened or answered in the console",
    label: "Read receipts",
    effect:
      "When people see on their phone that you have read what they wrote. While a colleague types, they see that too, unless it is never: WhatsApp shows typing only with the receipt.",
    findProblem: (choice) =>
      Object.hasOwn(READ_RECEIPTS, choice) ? null : `"${cutText(choice, 40)}" is not off, opened or answered.`,
  },
  /** What the person agreed to; an opt-in that names neither purpose nor notice is recorded with both. */
  purpose: {
    kind: "text",
    group: "consent",
    initial: "",
    placeholder: "TEXT",
    description: "What people agree to; recorded with each new opt-in that names neither",
    label: "Purpose of consent",
    effect:
      "What people agree to, such as offers and news by WhatsApp. It is recorded with each new opt-in, by the API, the console or a file, that names neither purpose nor notice. Opt-ins of the past stay as they are.",
    findProblem: (text) =>
      [...text].length > CONSENT_TERMS_MAX.purpose
        ? `A purpose has at most ${CONSENT_TERMS_MAX.purpose} characters.`
        : null,
    normalize: trimShown,
  },
  /** The text that people are shown when they agree, or its version. */
  notice: {
    kind: "paragraph",
    group: "consent",
    initial: "",
    placeholder: "TEXT",
    description: "The text that people are shown when they agree, or its version; recorded likewise",
    label: "Notice of consent",
    effect:
      "The text that people are shown when they agree, or its version. It is recorded together with the purpose, as evidence.",
    findProblem: (text) =>
      [...text].length > CONSENT_TERMS_MAX.notice
        ? `A notice has at most ${CONSENT_TERMS_MAX.notice} characters.`
        : null,
    normalize: trimShown,
  },
  messageRetention: {
    ...retention("messages sent to one person"),
    label: "Messages to one person",
    effect:
      "Messages to one person that are older are deleted, with their texts; balance and figures stay. Recipients of broadcasts are kept as the server's operator says.",
  },
  inboundRetention: {
    ...retention("what people wrote"),
    label: "What people write",
    effect:
      "Texts that are older are deleted, those that a phone on the number sent, too. Consent and its evidence stay.",
  },
  mediaRetention: {
    ...retention("files that people sent"),
    label: "Files that people send",
    effect: "Files that are older are deleted.",
  },
} satisfies Record<string, { [Kind in SettingKind]: Setting<Kind> }[SettingKind]>;

type Settings = typeof settings;
export type SettingName = keyof Settings;
export type SettingKindOf<Name extends SettingName> = Settings[Name]["kind"];
export type WorkspaceSettings = { [Name in SettingName]: SettingValues[SettingKindOf<Name>] };

type Optional = { [Name in SettingName]: Settings[Name] extends { initial: unknown } ? Name : never }[SettingName];
/** Settings with an initial value may be omitted. */
export type NewWorkspace = Omit<WorkspaceSettings, Optional> & Partial<Pick<WorkspaceSettings, Optional>>;

export const settingNames = Object.keys(settings) as SettingName[];

/** The setting's name in JSON and in problems: `daily_cap`. */
export function settingKey(name: SettingName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Validates and normalises settings. Throws `invalid_request` with the key of each wrong setting. */
export function requireSettings(given: NewWorkspace): WorkspaceSettings {
  const fields: Record<string, string[]> = {};
  const checked: Partial<Record<SettingName, unknown>> = {};
  for (const [name, setting] of Object.entries(settings) as [SettingName, Setting<SettingKind>][]) {
    const value = given[name] ?? setting.initial ?? null;
    const problem = setting.findProblem(value);
    if (problem !== null) fields[settingKey(name)] = [problem];
    checked[name] = setting.normalize?.(value) ?? value;
  }
  // Each setting has passed the check of its kind.
  const valid = checked as WorkspaceSettings;
  const both = findContradiction(valid);
  if (both !== null) fields.stop_words ??= [`"${both}" cannot both stop and start.`];
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  return valid;
}

/** What the three settings of retention have in common. */
function retention(of: string) {
  const periods = Object.keys(RETENTIONS);
  return {
    kind: "choice",
    group: "retention",
    initial: "server",
    choices: RETENTIONS,
    placeholder: "TIME",
    description: `Retention of ${of}, such as 90 days or 1 year; server: as configured`,
    findProblem: (choice: string) =>
      Object.hasOwn(RETENTIONS, choice) ? null : `"${cutText(choice, 40)}" is not one of ${periods.join(", ")}.`,
  } as const;
}

function readQuiet(text: string): string {
  const quiet = text.trim().toLowerCase();
  return quiet === "none"
    ? "off"
    : quiet
        .replace(/ ?- ?/, "-")
        .replace(/^\d:/, "0$&")
        .replace(/-(\d:)/, "-0$1");
}

/** Drops empty entries, as left by two adjacent commas. */
function ownWords(given: string[]): string[] {
  return given.map((word) => word.trim()).filter((word) => word !== "");
}

function findUselessWord(given: string[]): string | null {
  const useless = ownWords(given).find((word) => normalizeCommand(word) === "");
  if (useless === undefined) return null;
  const shown = cutText(useless, COMMAND_LENGTH_MAX);
  return `"${shown}" has no letter or digit, or more than ${COMMAND_LENGTH_MAX} characters.`;
}
