/** A template on its way to the network: as the request writes it, as it leaves, and as it is stored. Pure. */
import type { SubmittedRequest, TemplateComponent } from "./component.ts";
import { isLoose, type LibraryEntry, readCandidate } from "./rules/candidate.ts";
import { componentsFrom, libraryOf } from "./rules/library-content.ts";
import type { ListedTemplate } from "./sync.ts";
import type { Submission, Template } from "./table.ts";

/** An upload that is the sample of a header. */
interface NamedSample {
  /** Of the member that names it. */
  path: string;
  /** Of the header, in capitals. */
  format: string;
  /** Null: the header of the message itself. */
  card: number | null;
  id: number;
}

export interface Submitted {
  request: SubmittedRequest;
  samples: NamedSample[];
}

/** `body`: one that breaks no rule. `entry`: the template of the library that it names. */
export function networkFormat(body: Readonly<Record<string, unknown>>, entry: LibraryEntry | null = null): Submitted {
  const { name, language, category, format, cards, parts, given } = readCandidate(body);
  if (entry !== null && isLoose(given.library)) {
    const library = libraryOf(given.library);
    return { request: { name, language, category, components: componentsFrom(entry, library), library }, samples: [] };
  }
  const media = (given.sample_media ?? {}) as { header?: unknown; cards?: unknown[] };
  const named = [
    { path: "sample_media.header", card: null, id: media.header, parts },
    ...cards.map((one, card) => ({
      ...{ path: `sample_media.cards.${card}`, card, id: Array.isArray(media.cards) ? media.cards[card] : undefined },
      parts: one.parts,
    })),
  ];
  const samples = named.flatMap(({ path, card, id, parts: of }) => {
    const header = of.find(({ type }) => type === "HEADER");
    if (typeof id !== "number" || header === undefined) return [];
    return [{ path, card, id, format: String(header.given.format ?? "TEXT").toUpperCase() }];
  });
  const ttl = given.message_send_ttl_seconds;
  const request = {
    ...{ name, language, category },
    ...(given.parameter_format !== undefined || format === "NAMED" ? { parameter_format: format } : {}),
    components: given.components as SubmittedRequest["components"],
    ...(typeof ttl === "number" ? { message_send_ttl_seconds: ttl } : {}),
  };
  return { request, samples };
}

/** The same with the handle of each sample, where the network looks for it. */
export function withHandles(
  request: SubmittedRequest,
  handles: readonly (Pick<NamedSample, "card"> & { handle: string })[],
): SubmittedRequest {
  const put = (components: SubmittedRequest["components"], card: number | null): SubmittedRequest["components"] => {
    const handle = handles.find((one) => one.card === card)?.handle;
    return components.map((component) => {
      const type = String(component.type).toUpperCase();
      if (type === "HEADER" && handle !== undefined) return { ...component, example: { header_handle: [handle] } };
      if (type !== "CAROUSEL" || card !== null) return component;
      const cards = component.cards as { components: SubmittedRequest["components"] }[];
      return { ...component, cards: cards.map((one, index) => ({ ...one, components: put(one.components, index) })) };
    });
  };
  return { ...request, components: put(request.components, null) };
}

const CASELESS: readonly string[] = ["type", "format", "otp_type"];

/** As the network lists them: without samples, in one order, its own words in capitals. */
export function storedFormat(components: readonly Readonly<Record<string, unknown>>[]): TemplateComponent[] {
  return components.map((one) => normal(one) as TemplateComponent);
}

function normal(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => normal(item));
  if (typeof value === "string") return CASELESS.includes(name) ? value.toUpperCase() : value;
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value)
    .filter(([member]) => member !== "example")
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([member, of]) => [member, normal(of, member)]));
}

/** The entry that the network's list will have, as far as it is known. */
export function listedFrom({ name, language, request }: Submission, known: Template | undefined): ListedTemplate {
  if (request === null || language === null) throw new Error(`the submission of ${name} has no content`);
  return {
    id: known?.networkId ?? null,
    ...{ name, language, category: request.category, status: "PENDING", reason: null },
    quality: known?.quality ?? null,
    components: storedFormat(request.components),
    parameterFormat: request.parameter_format === "NAMED" ? "NAMED" : "POSITIONAL",
    isGenerated: false,
  };
}
