/** Rules about samples: WhatsApp reviews a template with an example of every value and file. */
import {
  allButtons,
  type Candidate,
  formatOf,
  isLogin,
  isLoose,
  listIn,
  type Part,
  partsOf,
  textIn,
} from "./candidate.ts";
import { type Finding, type RuleTable, unless } from "./rule.ts";
import { namesIn, placeholdersIn } from "./text.ts";

const COMPONENTS = "templates/components";
const UPLOAD = "graph-api/guides/upload";
const CAROUSEL = "templates/marketing-templates/media-card-carousel-templates";

const MEDIA = ["IMAGE", "VIDEO", "GIF", "DOCUMENT"];

/** Headers that show a file, with whether a file was given as their sample. */
function mediaHeaders(candidate: Candidate): { part: Part; isGiven: boolean; path: string }[] {
  const own = partsOf(candidate, "HEADER").map((part) => ({
    part,
    isGiven: candidate.samples.header,
    path: "sample_media.header",
  }));
  const ofCards = candidate.cards.flatMap(({ parts }, index) =>
    parts
      .filter(({ type }) => type === "HEADER")
      .map((part) => ({ part, isGiven: candidate.samples.cards[index] === true, path: `sample_media.cards.${index}` })),
  );
  return [...own, ...ofCards].filter(({ part }) => MEDIA.includes(formatOf(part)));
}

function exampleOf({ given }: Part): Record<string, unknown> {
  return isLoose(given.example) ? given.example : {};
}

function handleOf(part: Part): unknown {
  return listIn(exampleOf(part), "header_handle")[0];
}

interface Sampled {
  /** Of the example. */
  path: string;
  names: string[];
  /** One text for each placeholder, in their order; undefined where there is none. */
  samples: unknown[];
  /** How many were given. */
  count: number;
}

/** The texts with placeholders, with their samples. */
function sampledTexts(candidate: Candidate): Sampled[] {
  const bodies = isLogin(candidate) ? [] : partsOf(candidate, "BODY");
  const headers = partsOf(candidate, "HEADER").filter((part) => formatOf(part) === "TEXT");
  const ofCards = candidate.cards.flatMap(({ parts }) => parts.filter(({ type }) => type === "BODY"));
  const all = [
    ...headers.map((part) => ({ part, kind: "header_text" })),
    ...[...bodies, ...ofCards].map((part) => ({ part, kind: "body_text" })),
  ];
  return all.flatMap(({ part, kind }) => {
    const names = namesIn(textIn(part.given, "text"));
    return names.length === 0 ? [] : [sampled(candidate, part, kind, names)];
  });
}

function sampled({ format }: Candidate, part: Part, kind: string, names: string[]): Sampled {
  const example = exampleOf(part);
  if (format === "NAMED") {
    const member = `${kind}_named_params`;
    const rows = listIn(example, member).filter(isLoose);
    const samples = names.map((name) => rows.find((row) => row.param_name === name)?.example);
    return { path: `${part.path}.example.${member}`, names, samples, count: rows.length };
  }
  const given = example[kind];
  const first: unknown = Array.isArray(given) ? given[0] : given;
  // Of a body, a list of lists; a single value may also stand alone.
  const row = Array.isArray(first) ? first : Array.isArray(given) ? given : given === undefined ? [] : [given];
  return {
    path: `${part.path}.example.${kind}`,
    names,
    samples: names.map((_, index): unknown => row[index]),
    count: row.length,
  };
}

function isSample(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function linkButtons(candidate: Candidate) {
  return allButtons(candidate).filter(
    ({ type, given }) => type === "URL" && placeholdersIn(textIn(given, "url")).length > 0,
  );
}

function codeButtons(candidate: Candidate) {
  return allButtons(candidate).filter(({ type }) => type === "COPY_CODE");
}

/** Meta's pages give it as a text; WhatsApp lists it as a list. */
function codeIn({ given: { example } }: Part): string {
  const code: unknown = Array.isArray(example) ? example[0] : example;
  return typeof code === "string" ? code : "";
}

export const sampleRules = {
  media_sample_missing: {
    from: COMPONENTS,
    says: "A header that shows a file needs a sample: upload one with POST /media and give its id here.",
    find: (candidate) =>
      mediaHeaders(candidate).flatMap(({ part, isGiven, path }) =>
        unless(isGiven || handleOf(part) !== undefined, path),
      ),
  },
  media_sample_form: {
    from: UPLOAD,
    says: "A header's sample is a handle of Meta's upload (4:…), never an address; sample_media takes the id of an upload.",
    find: (candidate) =>
      mediaHeaders(candidate).flatMap(({ part }) => {
        const handle = handleOf(part);
        const isHandle = typeof handle === "string" && handle !== "" && !/^[a-z]+:\/\//i.test(handle);
        return unless(handle === undefined || isHandle, `${part.path}.example.header_handle`);
      }),
  },
  sample_media_unused: {
    from: COMPONENTS,
    says: "No header here shows a file, so no sample is needed.",
    find: (candidate): Finding[] => {
      const taken = mediaHeaders(candidate).map(({ path }) => path);
      const header = candidate.samples.header ? ["sample_media.header"] : [];
      const given = [...header, ...candidate.samples.cards.map((_, index) => `sample_media.cards.${index}`)];
      return given.flatMap((path) => unless(taken.includes(path), path));
    },
  },
  card_samples: {
    from: CAROUSEL,
    says: "sample_media.cards has one upload for each card: %count.",
    find: ({ samples, cards }) =>
      unless(samples.cards.length === 0 || samples.cards.length === cards.length, "sample_media.cards", {
        count: cards.length,
      }),
  },
  value_sample_missing: {
    from: COMPONENTS,
    says: "Each placeholder needs a sample value: {{%about}} has none.",
    find: (candidate) =>
      sampledTexts(candidate).flatMap(({ path, names, samples }) => {
        const missing = names.find((_, index) => !isSample(samples[index]));
        return missing === undefined ? [] : [{ path, about: missing }];
      }),
  },
  value_samples_too_many: {
    from: COMPONENTS,
    says: "There are more sample values than placeholders: %about are needed, and there are %count.",
    find: (candidate) =>
      sampledTexts(candidate).flatMap(({ path, names, count }) =>
        unless(count <= names.length, path, { count, about: String(names.length) }),
      ),
  },
  link_sample_missing: {
    from: COMPONENTS,
    says: "A link with a placeholder needs a sample: the whole address, or what stands for the placeholder.",
    find: (candidate) =>
      linkButtons(candidate).flatMap(({ path, given }) =>
        unless(isSample(listIn(given, "example")[0]), `${path}.example`),
      ),
  },
  code_sample_missing: {
    from: "templates/marketing-templates/coupon-templates",
    says: "A button that copies a code needs a sample code.",
    find: (candidate) => codeButtons(candidate).flatMap((one) => unless(codeIn(one) !== "", `${one.path}.example`)),
  },
  code_sample_form: {
    from: "changelog (3 December 2025)",
    limit: 20,
    says: "A code has 1 to %limit letters and digits.",
    find: (candidate, limit) =>
      codeButtons(candidate).flatMap((one) => {
        const code = codeIn(one);
        return unless(code === "" || (/^[A-Za-z0-9]+$/.test(code) && code.length <= limit), `${one.path}.example`);
      }),
  },
} as const satisfies RuleTable;
