/** Rules about a template as a whole: its name, language and category, and which parts it has. */
import { allButtons, has, isLogin, isLoose, listIn, type Part } from "./candidate.ts";
import { longer, type RuleTable, unless } from "./rule.ts";

const OVERVIEW = "templates/overview";
const COMPONENTS = "templates/components";
const TTL = "templates/time-to-live";
const MANAGEMENT = "templates/template-management";
const REVIEW = "templates/template-review";

const CATEGORIES = ["MARKETING", "UTILITY", "AUTHENTICATION"];

/** The codes that WhatsApp knows. */
export const templateLanguages: readonly string[] = (
  "af ar ar_AE ar_EG ar_LB ar_MA ar_QA az be_BY bg bn bn_IN ca cs da de de_AT de_CH el en en_AE en_AU en_CA en_GB en_GH " +
  "en_IE en_IN en_JM en_MY en_NZ en_QA en_SG en_UG en_US en_ZA es es_AR es_CL es_CO es_CR es_DO es_EC es_ES es_HN es_MX " +
  "es_PA es_PE es_UY et fa fi fil fr fr_BE fr_CA fr_CH fr_CI fr_MA ga gu ha he hi hr hu id it ja ka kk kn ko ky_KG lo lt " +
  "lv mk ml mr ms nb nl nl_BE pa pl prs_AF ps_AF pt_BR pt_PT ro ru rw_RW si_LK sk sl sq sr sv sw ta te th tr uk ur uz vi " +
  "zh_CN zh_HK zh_TW zu"
).split(" ");
const LANGUAGES = new Set(templateLanguages);

const TYPES = ["HEADER", "BODY", "FOOTER", "BUTTONS", "CAROUSEL", "LIMITED_TIME_OFFER", "CALL_PERMISSION_REQUEST"];

/** Seconds, by category. -1 is 30 days. */
const LIVES: Readonly<Record<string, { min: number; max: number; words: string }>> = {
  AUTHENTICATION: { min: 30, max: 900, words: "30 to 900, or -1" },
  UTILITY: { min: 30, max: 43_200, words: "30 to 43200, or -1" },
  MARKETING: { min: 43_200, max: 2_592_000, words: "43200 to 2592000" },
};

/** The members of each type of component and button, without `type`. Other rules name the types that are missing here. */
const PART_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  HEADER: ["format", "text", "example"],
  BODY: ["text", "example", "add_security_recommendation"],
  FOOTER: ["text", "code_expiration_minutes"],
  BUTTONS: ["buttons"],
  CAROUSEL: ["cards"],
  LIMITED_TIME_OFFER: ["limited_time_offer"],
  CALL_PERMISSION_REQUEST: [],
  QUICK_REPLY: ["text"],
  URL: ["text", "url", "example"],
  PHONE_NUMBER: ["text", "phone_number"],
};

/** Of a request. */
export const templateMembers: readonly string[] = [
  ...["name", "language", "category", "components", "parameter_format", "message_send_ttl_seconds"],
  ...["from", "sample_media", "library"],
];

/** At most this many unknown members are named. */
const UNKNOWN_MAX = 20;

const DUPLICATE_PARTS = ["BODY", "FOOTER"];

export const generalRules = {
  member_unknown: {
    from: OVERVIEW,
    says: "%about is not a member of a template.",
    find: ({ given }) =>
      Object.keys(given)
        .filter((name) => !templateMembers.includes(name))
        .slice(0, UNKNOWN_MAX)
        .map((name) => ({ path: name, about: name.slice(0, 60) })),
  },
  name_format: {
    from: OVERVIEW,
    says: "A name has lower-case letters, digits and underscores only, such as order_shipped.",
    find: ({ name }) => unless(/^[a-z0-9_]+$/.test(name), "name"),
  },
  name_too_long: {
    from: OVERVIEW,
    limit: 512,
    says: "A name has at most %limit characters; this one has %count.",
    find: ({ name }, limit) => longer(name, limit, "name"),
  },
  name_taken: {
    from: "business-management-api/message-templates (error 2388024)",
    says: "The account has a template of this name in this language: correct that one, or take another name.",
    find: ({ context }) => unless(context.isTaken !== true, "name"),
  },
  name_blocked: {
    from: MANAGEMENT,
    says: "An approved template of this name was deleted less than 30 days ago: take another name until then.",
    find: ({ context }) => unless(context.isBlocked !== true, "name"),
  },
  language_unknown: {
    from: "templates/supported-languages",
    says: "WhatsApp has no such language: write it as en, en_US or pt_BR.",
    find: ({ language }) => unless(LANGUAGES.has(language), "language"),
  },
  category_unknown: {
    from: OVERVIEW,
    says: "The category is MARKETING, UTILITY or AUTHENTICATION.",
    find: ({ category }) => unless(CATEGORIES.includes(category), "category"),
  },
  category_fixed: {
    from: MANAGEMENT,
    says: "The category of an approved template cannot be changed: keep %about, or write a new template.",
    find: ({ category, context: { corrected } }) =>
      unless(corrected?.status !== "APPROVED" || corrected.category === category, "category", {
        about: corrected?.category ?? "",
      }),
  },
  correction_status: {
    from: MANAGEMENT,
    says: "Only a template that is approved, rejected or paused can be corrected; this one is %about.",
    find: ({ context: { corrected } }) =>
      unless(corrected == null || ["APPROVED", "REJECTED", "PAUSED"].includes(corrected.status), "components", {
        about: corrected?.status ?? "",
      }),
  },
  corrected_today: {
    from: MANAGEMENT,
    limit: 1,
    says: "An approved template can be corrected once in 24 hours, and it was: try again tomorrow.",
    find: ({ context: { corrected } }, limit) =>
      unless(corrected?.status !== "APPROVED" || corrected.today < limit, "components"),
  },
  corrected_month: {
    from: MANAGEMENT,
    limit: 10,
    says: "An approved template can be corrected %limit times in 30 days, and it was: write a new one.",
    find: ({ context: { corrected } }, limit) =>
      unless(corrected?.status !== "APPROVED" || corrected.month < limit, "components"),
  },
  parameter_format_unknown: {
    from: OVERVIEW,
    says: "parameter_format is POSITIONAL ({{1}}) or NAMED ({{first_name}}); it may be absent.",
    find: ({ given: { parameter_format: format } }) =>
      unless(format === undefined || format === "POSITIONAL" || format === "NAMED", "parameter_format"),
  },
  ttl_range: {
    from: TTL,
    says: "The time to live of this category is a whole number of seconds: %about.",
    find: ({ category, given: { message_send_ttl_seconds: ttl } }) => {
      const life = LIVES[category];
      if (ttl === undefined || life === undefined) return [];
      const isRange = Number.isInteger(ttl) && Number(ttl) >= life.min && Number(ttl) <= life.max;
      const isDefault = ttl === -1 && category !== "MARKETING";
      return unless(isRange || isDefault, "message_send_ttl_seconds", { about: life.words });
    },
  },
  components_missing: {
    from: COMPONENTS,
    says: "The components are a list in Meta's format, with at least a BODY.",
    find: ({ given }) => unless(listIn(given, "components").length > 0 || given.library !== undefined, "components"),
  },
  component_form: {
    from: COMPONENTS,
    says: "Each component is an object that names its type, such as BODY.",
    find: ({ given, parts }) =>
      listIn(given, "components").flatMap((one, index) =>
        unless(isLoose(one) && typeof one.type === "string", `${parts[index]?.path}.type`),
      ),
  },
  component_unknown: {
    from: COMPONENTS,
    says: `A template has components of the types ${TYPES.join(", ")}.`,
    find: ({ parts }) => parts.flatMap(({ type, path }) => unless(type === "" || TYPES.includes(type), `${path}.type`)),
  },
  component_member_unknown: {
    from: COMPONENTS,
    says: "%about is not a member of this part. Omit it.",
    find: (candidate) =>
      [...candidate.parts, ...candidate.cards.flatMap(({ parts }) => parts), ...allButtons(candidate)]
        .flatMap(({ type, path, given }) => {
          const members = PART_MEMBERS[type];
          const unknown = Object.keys(given).filter((name) => name !== "type" && members?.includes(name) === false);
          return unknown.map((name) => ({ path: `${path}.${name}`, about: name.slice(0, 60) }));
        })
        .slice(0, UNKNOWN_MAX),
  },
  component_repeated: {
    from: COMPONENTS,
    says: "A template has one %about only.",
    find: ({ parts, cards }) => [...repeatedIn(parts), ...cards.flatMap((card) => repeatedIn(card.parts))],
  },
  body_missing: {
    from: COMPONENTS,
    says: "A template needs a component of the type BODY.",
    find: (candidate) => unless(candidate.parts.length === 0 || has(candidate, "BODY"), "components"),
  },
  content_repeated: {
    from: REVIEW,
    says: "The template %about has the same body and footer: WhatsApp rejects a second one with the same words.",
    find: (candidate) => {
      if (isLogin(candidate)) return [];
      const own = wordsOf(candidate.parts.map(({ type, given }) => ({ ...given, type })));
      const same = candidate.context.known?.find(
        (known) => known.category !== "AUTHENTICATION" && wordsOf(known.components) === own,
      );
      const body = candidate.parts.find(({ type }) => type === "BODY");
      return body === undefined || same === undefined ? [] : [{ path: `${body.path}.text`, about: same.name }];
    },
  },
} as const satisfies RuleTable;

function repeatedIn(parts: readonly Part[]) {
  return parts
    .filter(({ type }, index) => type !== "" && parts.findIndex((one) => one.type === type) < index)
    .map(({ type, path }) => ({ path: `${path}.type`, about: type }));
}

/** Body and footer, as WhatsApp compares them. */
function wordsOf(components: readonly { type?: unknown; text?: unknown }[]): string {
  return JSON.stringify(
    DUPLICATE_PARTS.map((name) => components.find(({ type }) => String(type).toUpperCase() === name)?.text ?? null),
  );
}
