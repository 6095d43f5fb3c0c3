/**
 * What a message can be beside text and files: buttons, a list, a link, a place, contact cards. What the user has typed of
 * each, what is wrong with it, and the member of the request that it becomes. Pure.
 */
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import { HTTP_PATTERN, limits } from "#src/domain/messages/kinds/limits.ts";
import { partStrings as strings } from "./composer-strings.ts";

interface Around {
  header: string;
  footer: string;
}

interface ButtonsPart extends Around {
  titles: string[];
}

interface ListSection {
  title: string;
  rows: { title: string; description: string }[];
}

interface ListPart extends Around {
  button: string;
  sections: ListSection[];
}

interface LinkPart extends Around {
  title: string;
  url: string;
}

interface PlacePart {
  latitude: string;
  longitude: string;
  name: string;
  address: string;
}

export interface Card {
  name: string;
  phone: string;
  /** Whether the card offers to write to the number. */
  isOnWhatsApp: boolean;
  email: string;
  company: string;
}

interface CardsPart {
  cards: Card[];
}

/** As typed. */
export interface Parts {
  buttons?: ButtonsPart;
  list?: ListPart;
  link?: LinkPart;
  location?: PlacePart;
  contacts?: CardsPart;
}
export type PartName = keyof Parts;

const AROUND: Around = { header: "", footer: "" };
export const NO_ROW = { title: "", description: "" };
export const NO_CARD: Card = { name: "", phone: "", isOnWhatsApp: true, email: "", company: "" };

const EMPTY: Required<Parts> = {
  buttons: { ...AROUND, titles: [""] },
  list: { ...AROUND, button: "", sections: [{ title: "", rows: [NO_ROW] }] },
  link: { ...AROUND, title: "", url: "" },
  location: { latitude: "", longitude: "", name: "", address: "" },
  contacts: { cards: [NO_CARD] },
};

/** What has been typed of it, or its empty form. */
export function partOf<Name extends PartName>(parts: Parts, name: Name): Required<Parts>[Name] {
  return (parts[name] as Required<Parts>[Name] | undefined) ?? EMPTY[name];
}

/** Whether the text of the composer is sent with it. */
export function takesText(name: PartName | null): boolean {
  return name !== "location" && name !== "contacts";
}

/** Whether a file of this kind is sent with it. */
export function takesFile(name: PartName | null, kind: string | null): boolean {
  if (name === null) return true;
  return (name === "buttons" || name === "link") && (kind === "image" || kind === "video" || kind === "document");
}

/** How long the text may be that is sent with it. */
export function textMax(name: PartName | null, hasFile: boolean): number {
  if (name === "list") return limits.listBody;
  if (name === null) return hasFile ? limits.caption : limits.text;
  return limits.body;
}

/** By the name of the request's member, as the server names it. */
export type Faults = Readonly<Record<string, string>>;

/** `text`: of the composer. Empty: the server is asked. */
export function faultsOf(name: PartName, parts: Parts, text: string): Faults {
  const faults: Record<string, string> = {};
  const need = (path: string, value: string, sentence: string) => {
    if (isBlank(value)) faults[path] ??= sentence;
  };
  if (takesText(name)) need("interactive.body", text, strings.bodyNeeded);
  checks[name](parts, need, faults);
  return faults;
}

type Need = (path: string, value: string, sentence: string) => void;
type Check = (parts: Parts, need: Need, faults: Record<string, string>) => void;

const checks: Readonly<Record<PartName, Check>> = {
  buttons(parts, need, faults) {
    const { titles } = partOf(parts, "buttons");
    const seen = new Set<string>();
    titles.forEach((title, index) => {
      const path = `interactive.buttons.${index}.title`;
      need(path, title, strings.buttonNeeded);
      if (seen.has(title.trim())) faults[path] ??= strings.buttonTwice;
      seen.add(title.trim());
    });
  },
  list(parts, need, faults) {
    const { button, sections } = partOf(parts, "list");
    need("interactive.list.button", button, strings.listButtonNeeded);
    const seen = new Set<string>();
    sections.forEach((section, index) => {
      const path = `interactive.list.sections.${index}`;
      if (sections.length > 1) need(`${path}.title`, section.title, strings.sectionNeeded);
      section.rows.forEach(({ title }, row) => {
        const at = `${path}.rows.${row}.title`;
        need(at, title, strings.rowNeeded);
        const id = rowId(section, title);
        if (seen.has(id)) faults[at] ??= strings.rowTwice;
        seen.add(id);
      });
    });
  },
  link(parts, need, faults) {
    const { title, url } = partOf(parts, "link");
    need("interactive.link.title", title, strings.buttonNeeded);
    const isAddress = new RegExp(HTTP_PATTERN).test(url.trim()) && URL.canParse(url.trim());
    if (!isAddress) faults["interactive.link.url"] = strings.urlNeeded;
  },
  location(parts, _, faults) {
    const { latitude, longitude } = partOf(parts, "location");
    if (degrees(latitude, 90) === null) faults["location.latitude"] = strings.latitudeNeeded;
    if (degrees(longitude, 180) === null) faults["location.longitude"] = strings.longitudeNeeded;
  },
  contacts(parts, need, faults) {
    partOf(parts, "contacts").cards.forEach(({ name, phone, isOnWhatsApp }, index) => {
      need(`contacts.${index}.name.formatted_name`, name, strings.nameNeeded);
      if (isBlank(phone) || !isOnWhatsApp || /^\s*\+[\d\s().-]{7,24}$/.test(phone)) return;
      faults[`contacts.${index}.phones.0.phone`] = strings.internationalNeeded;
    });
  },
};

/** The fields at which something can be said. */
export function pathsOf(name: PartName, parts: Parts): string[] {
  const around = ["interactive.body", "interactive.header", "interactive.footer"];
  switch (name) {
    case "buttons":
      return [...around, ...partOf(parts, name).titles.map((_, index) => `interactive.buttons.${index}.title`)];
    case "list": {
      const rows = partOf(parts, name).sections.flatMap((section, index) => {
        const path = `interactive.list.sections.${index}`;
        const ofRow = (_: unknown, row: number) => [`${path}.rows.${row}.title`, `${path}.rows.${row}.description`];
        return [`${path}.title`, ...section.rows.flatMap(ofRow)];
      });
      return [...around, "interactive.list.button", ...rows];
    }
    case "link":
      return [...around, "interactive.link.title", "interactive.link.url"];
    case "location":
      return Object.keys(partOf(parts, name)).map((member) => `location.${member}`);
    case "contacts":
      return partOf(parts, name).cards.flatMap((_, index) =>
        ["name.formatted_name", "phones.0.phone", "emails.0.email", "org.company"].map(
          (member) => `contacts.${index}.${member}`,
        ),
      );
  }
}

/** What the server says of a field whose value is made of another one. */
export function shownFaults(fields: Readonly<Record<string, readonly string[]>>): Faults {
  return Object.fromEntries(
    Object.entries(fields).map(([path, sentences]) => [
      path.replace(/\.id$/, ".title").replace(/\.wa_id$/, ".phone"),
      sentences.join(" "),
    ]),
  );
}

/** An upload at the top. */
interface HeaderFile {
  type: "image" | "video" | "document";
  id: number;
}

/** The member of the request. It holds no fault that `faultsOf` names. */
export function bodyOf(name: PartName, parts: Parts, text: string, file: HeaderFile | null): object {
  const around = ({ header, footer }: Around) => ({
    body: text,
    ...(file === null ? unlessBlank({ header }) : { header: file }),
    ...unlessBlank({ footer }),
  });
  switch (name) {
    case "buttons": {
      const part = partOf(parts, name);
      const buttons = part.titles.map((title) => ({ id: title.trim(), title: title.trim() }));
      return { interactive: { ...around(part), buttons } };
    }
    case "list": {
      const { button, sections, ...part } = partOf(parts, name);
      const list = {
        button: button.trim(),
        sections: sections.map((section) => ({
          ...unlessBlank({ title: section.title }),
          rows: section.rows.map(({ title, description }) => ({
            id: rowId(section, title),
            title: title.trim(),
            ...unlessBlank({ description }),
          })),
        })),
      };
      return { interactive: { ...around(part), list } };
    }
    case "link": {
      const { title, url, ...part } = partOf(parts, name);
      return { interactive: { ...around(part), link: { title: title.trim(), url: url.trim() } } };
    }
    case "location": {
      const { latitude, longitude, ...labels } = partOf(parts, name);
      const place = { latitude: degrees(latitude, 90), longitude: degrees(longitude, 180) };
      return { location: { ...place, ...unlessBlank(labels) } };
    }
    case "contacts":
      return { contacts: partOf(parts, name).cards.map(cardOf) };
  }
}

function cardOf({ name, phone, isOnWhatsApp, email, company }: Card): object {
  const onWhatsApp = isOnWhatsApp ? { wa_id: phone.replace(/\D/g, "") } : {};
  return {
    name: { formatted_name: name.trim() },
    ...(isBlank(phone) ? {} : { phones: [{ phone: phone.trim(), ...onWhatsApp }] }),
    ...(isBlank(email) ? {} : { emails: [{ email: email.trim() }] }),
    ...(isBlank(company) ? {} : { org: { company: company.trim() } }),
  };
}

/** The same words may stand in several sections. */
function rowId({ title: section }: ListSection, title: string): string {
  return isBlank(section) ? title.trim() : `${section.trim()}: ${title.trim()}`;
}

/** Null: it is not such a number. */
function degrees(text: string, max: number): number | null {
  const value = /^\s*[+-]?\d{1,3}([.,]\d+)?\s*$/.test(text) ? Number(text.trim().replace(",", ".")) : Number.NaN;
  return Math.abs(value) <= max ? value : null;
}

/** Both, of a text as maps copy it: `12.9716, 77.5946`. Null: it is not such a pair. */
export function coordinatesIn(text: string): { latitude: string; longitude: string } | null {
  const [, latitude, longitude] = /^\s*([+-]?\d{1,3}\.\d+)\s*[,;\s]\s*([+-]?\d{1,3}\.\d+)\s*$/.exec(text) ?? [];
  return latitude === undefined || longitude === undefined ? null : { latitude, longitude };
}

export function isBlank(text: string): boolean {
  return SHOWS_NOTHING.test(text);
}

function unlessBlank<Names extends string>(texts: Record<Names, string>): Partial<Record<Names, string>> {
  const shown = Object.entries<string>(texts).filter(([, text]) => !isBlank(text));
  return Object.fromEntries(shown.map(([name, text]) => [name, text.trim()])) as Partial<Record<Names, string>>;
}
