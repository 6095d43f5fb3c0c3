/**
 * The content of a draft: the body of `POST /templates` in Meta's format, as far as it is filled in. Every field of the
 * studio is a path in it, by which a rule names what is wrong. What the studio has no field for stays as it is. Pure.
 */
import { isLoose, listIn, textIn } from "#src/domain/templates/rules/candidate.ts";
import { namesIn } from "#src/domain/templates/rules/text.ts";

export type Content = Readonly<Record<string, unknown>>;

/** In the order in which WhatsApp shows them. */
const ORDER = ["HEADER", "LIMITED_TIME_OFFER", "BODY", "FOOTER", "BUTTONS", "CAROUSEL", "CALL_PERMISSION_REQUEST"];

export function at(content: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, step) => {
    if (Array.isArray(value)) return value[Number(step)];
    return isLoose(value) ? value[step] : undefined;
  }, content);
}

export function textAt(content: unknown, path: string): string {
  const value = at(content, path);
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** `undefined` takes the member out. */
export function put(content: Content, path: string, value: unknown): Content {
  return putIn(content, path.split("."), value) as Content;
}

function putIn(whole: unknown, [step = "", ...rest]: string[], value: unknown): unknown {
  const isListStep = /^\d+$/.test(step);
  if (Array.isArray(whole) || (whole === undefined && isListStep)) {
    const list = [...((whole as unknown[] | undefined) ?? [])];
    const index = Number(step);
    if (rest.length === 0 && value === undefined) return list.toSpliced(index, 1);
    list[index] = rest.length === 0 ? value : putIn(list[index], rest, value);
    return list;
  }
  const object = isLoose(whole) ? whole : {};
  if (rest.length > 0) return { ...object, [step]: putIn(object[step], rest, value) };
  if (value !== undefined) return { ...object, [step]: value };
  const { [step]: _, ...others } = object;
  return others;
}

export function move(content: Content, list: string, from: number, to: number): Content {
  const all = at(content, list);
  if (!Array.isArray(all) || to < 0 || to >= all.length) return content;
  const moved: unknown = all[from];
  return put(content, list, all.toSpliced(from, 1).toSpliced(to, 0, moved));
}

export function typeOf(part: unknown): string {
  return isLoose(part) ? textIn(part, "type").toUpperCase() : "";
}

/** The path of the first part of the type; null if the list has none. */
export function findPart(content: Content, list: string, type: string): string | null {
  const index = partsAt(content, list).findIndex((part) => typeOf(part) === type);
  return index < 0 ? null : `${list}.${index}`;
}

export function partsAt(content: Content, list: string): readonly unknown[] {
  const parts = at(content, list);
  return Array.isArray(parts) ? parts : [];
}

/** Puts a part in its place, before the first that WhatsApp shows later. */
export function addPart(content: Content, list: string, part: Content): Content {
  const parts = partsAt(content, list);
  const rank = ORDER.indexOf(typeOf(part));
  const later = parts.findIndex((one) => ORDER.indexOf(typeOf(one)) > rank);
  return put(content, list, parts.toSpliced(later < 0 ? parts.length : later, 0, part));
}

/** A path that stays the same when another part is added or removed: it has the type of a part instead of its index. */
export function lasting(content: Content, path: string): string {
  const steps = path.split(".");
  return steps
    .map((step, index) =>
      steps[index - 1] === "components" ? typeOf(at(content, steps.slice(0, index + 1).join("."))) || step : step,
    )
    .join(".");
}

// Texts with placeholders, and the sample of each.

/** The lists of parts: of the message, and of each card. */
function listsIn(content: Content): string[] {
  const carousel = findPart(content, "components", "CAROUSEL");
  const cards = carousel === null ? [] : partsAt(content, `${carousel}.cards`);
  return ["components", ...cards.map((_, index) => `${carousel}.cards.${index}.components`)];
}

/** Texts that may have placeholders. */
function sampledParts(content: Content): string[] {
  return listsIn(content).flatMap((list) =>
    partsAt(content, list).flatMap((part, index) =>
      ["HEADER", "BODY"].includes(typeOf(part)) && isLoose(part) && typeof part.text === "string"
        ? [`${list}.${index}`]
        : [],
    ),
  );
}

function kindOf(content: Content, part: string): "header_text" | "body_text" {
  return typeOf(at(content, part)) === "HEADER" ? "header_text" : "body_text";
}

/** By the name of the placeholder. */
export function samplesOf(content: Content, part: string): ReadonlyMap<string, string> {
  const kind = kindOf(content, part);
  const example = at(content, `${part}.example`);
  if (!isLoose(example)) return new Map();
  const rows = listIn(example, `${kind}_named_params`).filter(isLoose);
  if (rows.length > 0) return new Map(rows.map((row) => [textIn(row, "param_name"), textIn(row, "example")]));
  const given = example[kind];
  const first: unknown = Array.isArray(given) ? given[0] : given;
  const row = Array.isArray(first) ? first : Array.isArray(given) ? given : [given];
  return new Map(
    numbered(placeholdersOf(content, part)).map((name, index) => [
      name,
      typeof row[index] === "string" ? row[index] : "",
    ]),
  );
}

/** The order of numbered placeholders' samples is that of their numbers. */
function numbered(names: readonly string[]): string[] {
  return names.toSorted((one, other) => Number(one) - Number(other));
}

export function placeholdersOf(content: Content, part: string): string[] {
  return namesIn(textAt(content, `${part}.text`));
}

const isNumber = (name: string): boolean => /^\d+$/.test(name);

/** Changes a text, a sample or a name, and writes all samples as the placeholders then need them. */
function rewritten(content: Content, act: (samples: Map<string, Map<string, string>>) => Content): Content {
  const samples = new Map(sampledParts(content).map((part) => [part, new Map(samplesOf(content, part))]));
  const { parameter_format: _, ...changed } = act(samples);
  const parts = sampledParts(changed);
  const isNamed = parts.some((part) => placeholdersOf(changed, part).some((name) => !isNumber(name)));
  return parts.reduce<Content>((whole, part) => {
    const names = placeholdersOf(whole, part);
    const known = samples.get(part) ?? new Map<string, string>();
    return put(whole, `${part}.example`, exampleOf(kindOf(whole, part), names, known, isNamed));
  }, changed);
}

function exampleOf(
  kind: "header_text" | "body_text",
  names: readonly string[],
  samples: ReadonlyMap<string, string>,
  isNamed: boolean,
): unknown {
  const given = names.filter((name) => (samples.get(name) ?? "") !== "");
  if (given.length === 0) return undefined;
  if (isNamed) {
    return { [`${kind}_named_params`]: given.map((name) => ({ param_name: name, example: samples.get(name) })) };
  }
  const row = numbered(names).map((name) => samples.get(name) ?? "");
  return { [kind]: kind === "header_text" ? row : [row] };
}

export function setText(content: Content, part: string, text: string): Content {
  return rewritten(content, () => put(content, `${part}.text`, text));
}

export function setSample(content: Content, part: string, name: string, sample: string): Content {
  return rewritten(content, (samples) => {
    samples.get(part)?.set(name, sample);
    return content;
  });
}

/** Of one text, everywhere in it. */
export function rename(content: Content, part: string, name: string, to: string): Content {
  return rewritten(content, (samples) => {
    const known = samples.get(part);
    const sample = known?.get(name);
    if (sample !== undefined) known?.set(to, sample);
    const text = textAt(content, `${part}.text`).replace(/\{\{([^{}]*)\}\}/g, (whole, inside: string) =>
      inside.trim() === name ? `{{${to}}}` : whole,
    );
    return put(content, `${part}.text`, text);
  });
}

/** The next placeholder of a text: a number, or a name where the texts have names. */
export function nextPlaceholder(content: Content, part: string): string {
  const names = placeholdersOf(content, part);
  const isNamed = sampledParts(content).some((one) => placeholdersOf(content, one).some((name) => !isNumber(name)));
  for (let number = 1; ; number += 1) {
    const name = isNamed ? `value_${number}` : String(number);
    if (!names.includes(name)) return `{{${name}}}`;
  }
}

/** A text with its samples in the places of the placeholders. */
export function filled(content: Content, part: string): string {
  const samples = samplesOf(content, part);
  return textAt(content, `${part}.text`).replace(/\{\{([^{}]*)\}\}/g, (whole, inside: string) => {
    const sample = samples.get(inside.trim());
    return sample === undefined || sample === "" ? whole : sample;
  });
}

// Categories.

const LOGIN: readonly Content[] = [
  { type: "BODY", add_security_recommendation: true },
  { type: "BUTTONS", buttons: [{ type: "OTP", otp_type: "COPY_CODE" }] },
];

/** What the studio begins with. */
export function firstContent(category: string): Content {
  return { category, components: category === "AUTHENTICATION" ? LOGIN : [{ type: "BODY", text: "" }] };
}

/** The words of a login code are WhatsApp's: parts without a text change with the category; a text stays. */
export function setCategory(content: Content, category: string): Content {
  const body = findPart(content, "components", "BODY");
  const hasText = body !== null && textAt(content, `${body}.text`) !== "";
  const isLogin = content.category === "AUTHENTICATION";
  const changes = !hasText && isLogin !== (category === "AUTHENTICATION");
  return { ...content, category, ...(changes ? { components: firstContent(category).components } : {}) };
}

/** Samples of files: that of the header, and one for each card. */
export function setSampleFile(content: Content, path: string, part: string, id: number | null): Content {
  const plain = put(content, `${part}.example`, undefined);
  if (path === "sample_media.header") return tidied(put(plain, path, id ?? undefined));
  const index = Number(path.split(".").at(-1));
  const carousel = findPart(content, "components", "CAROUSEL") ?? "";
  const ids = partsAt(content, `${carousel}.cards`).map((_, card) => at(content, `sample_media.cards.${card}`) ?? null);
  return tidied(put(plain, "sample_media.cards", ids.with(index, id)));
}

/** Without members that say nothing. */
export function tidied(content: Content): Content {
  const { header, cards } = isLoose(content.sample_media) ? content.sample_media : {};
  const hasCards = Array.isArray(cards) && cards.some((id) => typeof id === "number");
  const media = { ...(header === undefined ? {} : { header }), ...(hasCards ? { cards } : {}) };
  return put(content, "sample_media", Object.keys(media).length === 0 ? undefined : media);
}
