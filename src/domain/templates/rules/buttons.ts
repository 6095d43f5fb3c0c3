/** Rules about buttons: their labels, how many of each kind, in which order, and what each needs. */
import { allButtons, type Button, buttonLists, type Candidate, textIn } from "./candidate.ts";
import { type Finding, longer, type RuleTable, unless } from "./rule.ts";
import { countEmoji, hasFormatting, hasLineBreak, placeholdersIn } from "./text.ts";

const COMPONENTS = "templates/components";
const FLOWS = "flows/guides/sendingaflow";
const LABEL_ERROR = "support/error-codes (2388060)";
const GUIDELINES = "message-templates/guidelines";

interface Kind {
  /** In one list; absent: the limit of all buttons. */
  max?: number;
  /** Its label is the caller's. */
  isLabelled: boolean;
}

const KINDS: Readonly<Record<string, Kind>> = {
  QUICK_REPLY: { isLabelled: true },
  URL: { max: 2, isLabelled: true },
  PHONE_NUMBER: { max: 1, isLabelled: true },
  COPY_CODE: { max: 1, isLabelled: false },
  OTP: { max: 1, isLabelled: false },
  FLOW: { max: 1, isLabelled: true },
  CATALOG: { max: 1, isLabelled: false },
  MPM: { max: 1, isLabelled: false },
  SPM: { max: 1, isLabelled: false },
  ORDER_DETAILS: { max: 1, isLabelled: false },
  VOICE_CALL: { max: 1, isLabelled: true },
  CALL_PERMISSION_REQUEST: { max: 1, isLabelled: false },
  REQUEST_CONTACT_INFO: { max: 1, isLabelled: false },
};

function kindOf({ type }: Button): Kind | undefined {
  return Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
}

/** Labels that are given, whether they have to be or not. */
function labels(candidate: Candidate): { path: string; text: string }[] {
  return allButtons(candidate)
    .filter(({ given }) => given.text !== undefined)
    .map(({ path, text }) => ({ path: `${path}.text`, text }));
}

function links(candidate: Candidate): { path: string; url: string }[] {
  return ofKind(candidate, "URL").map(({ path, given }) => ({ path: `${path}.url`, url: textIn(given, "url") }));
}

function ofKind(candidate: Candidate, type: string): Button[] {
  return allButtons(candidate).filter((button) => button.type === type);
}

function hostOf(url: string): string {
  return (
    /^https?:\/\/([^/?#:]+)/i
      .exec(url)?.[1]
      ?.toLowerCase()
      .replace(/^www\./, "") ?? ""
  );
}

/** Groups of neighbours: quick replies, and all other buttons. */
function countGroups(buttons: readonly Button[]): number {
  const isReply = (button: Button | undefined): boolean => button?.type === "QUICK_REPLY";
  return buttons.filter((button, index) => index === 0 || isReply(button) !== isReply(buttons[index - 1])).length;
}

const SHORTENERS = ["bit.ly", "tinyurl.com", "goo.gl", "t.co", "ow.ly", "is.gd", "buff.ly", "cutt.ly", "rebrand.ly"];
const CHAT_HOSTS = ["wa.me", "api.whatsapp.com", "chat.whatsapp.com"];

export const buttonRules = {
  buttons_missing: {
    from: COMPONENTS,
    says: "A component of the type BUTTONS has at least one button.",
    find: (candidate) =>
      buttonLists(candidate).flatMap(({ path, buttons }) => unless(buttons.length > 0, `${path}.buttons`)),
  },
  buttons_too_many: {
    from: COMPONENTS,
    limit: 10,
    says: "A template has at most %limit buttons; this one has %count.",
    find: (candidate, limit) =>
      buttonLists(candidate).flatMap(({ path, buttons, isCard }) =>
        unless(isCard || buttons.length <= limit, `${path}.buttons`, { count: buttons.length }),
      ),
  },
  card_buttons_too_many: {
    from: "templates/marketing-templates/media-card-carousel-templates",
    limit: 2,
    says: "A card has at most %limit buttons; this one has %count.",
    find: (candidate, limit) =>
      buttonLists(candidate).flatMap(({ path, buttons, isCard }) =>
        unless(!isCard || buttons.length <= limit, `${path}.buttons`, { count: buttons.length }),
      ),
  },
  button_unknown: {
    from: COMPONENTS,
    says: `A button is of the type ${Object.keys(KINDS).join(", ")}.`,
    find: (candidate) =>
      allButtons(candidate).flatMap((button) => unless(kindOf(button) !== undefined, `${button.path}.type`)),
  },
  button_kind_too_many: {
    from: COMPONENTS,
    says: "There are too many buttons of the type %about: at most %count.",
    find: (candidate): Finding[] =>
      buttonLists(candidate).flatMap(({ buttons }) =>
        buttons.flatMap((button, index) => {
          const max = kindOf(button)?.max ?? Number.POSITIVE_INFINITY;
          const before = buttons.slice(0, index).filter(({ type }) => type === button.type).length;
          return unless(before < max, `${button.path}.type`, { about: button.type, count: max });
        }),
      ),
  },
  quick_replies_apart: {
    from: COMPONENTS,
    says: "Quick replies stand together, before or after all other buttons.",
    find: (candidate) =>
      buttonLists(candidate).flatMap(({ path, buttons }) => unless(countGroups(buttons) <= 2, `${path}.buttons`)),
  },
  button_text_missing: {
    from: COMPONENTS,
    says: "This button needs a label (text).",
    find: (candidate) =>
      allButtons(candidate).flatMap((button) =>
        unless(kindOf(button)?.isLabelled !== true || button.text.trim() !== "", `${button.path}.text`),
      ),
  },
  button_text_too_long: {
    from: COMPONENTS,
    limit: 25,
    says: "A label has at most %limit characters; this one has %count.",
    find: (candidate, limit) => labels(candidate).flatMap(({ path, text }) => longer(text, limit, path)),
  },
  button_text_placeholder: {
    from: LABEL_ERROR,
    says: "A label has no placeholder.",
    find: (candidate) => labels(candidate).flatMap(({ path, text }) => unless(placeholdersIn(text).length === 0, path)),
  },
  button_text_emoji: {
    from: LABEL_ERROR,
    says: "A label has no emoji.",
    find: (candidate) => labels(candidate).flatMap(({ path, text }) => unless(countEmoji(text) === 0, path)),
  },
  button_text_form: {
    from: LABEL_ERROR,
    says: "A label is one line without formatting.",
    find: (candidate) =>
      labels(candidate).flatMap(({ path, text }) => unless(!hasLineBreak(text) && !hasFormatting(text), path)),
  },
  button_text_repeated: {
    from: COMPONENTS,
    says: "Two buttons have the same label: %about.",
    find: (candidate) =>
      buttonLists(candidate).flatMap(({ buttons }) =>
        buttons
          .filter(({ text }, index) => text !== "" && buttons.findIndex((one) => one.text === text) < index)
          .map(({ path, text }) => ({ path: `${path}.text`, about: text.slice(0, 60) })),
      ),
  },
  url_form: {
    from: COMPONENTS,
    says: "A link is a complete address that begins with https://.",
    find: (candidate) =>
      links(candidate).flatMap(({ path, url }) =>
        unless(/^https?:\/\/[^\s/?#]\S*$/i.test(url) && URL.canParse(url) && !hostOf(url).includes("{"), path),
      ),
  },
  url_too_long: {
    from: COMPONENTS,
    limit: 2_000,
    says: "A link has at most %limit characters; this one has %count.",
    find: (candidate, limit) => links(candidate).flatMap(({ path, url }) => longer(url, limit, path)),
  },
  url_placeholders: {
    from: COMPONENTS,
    limit: 1,
    says: "A link has at most %limit placeholder; this one has %count.",
    find: (candidate, limit) =>
      links(candidate).flatMap(({ path, url }) => {
        const count = placeholdersIn(url).length;
        return unless(count <= limit, path, { count });
      }),
  },
  url_placeholder_inside: {
    from: COMPONENTS,
    says: "The placeholder of a link stands at its end.",
    find: (candidate) =>
      links(candidate).flatMap(({ path, url }) => {
        const last = placeholdersIn(url).at(-1);
        return unless(last === undefined || last.end === url.length, path);
      }),
  },
  url_of_whatsapp: {
    from: GUIDELINES,
    says: "A button has no direct link to WhatsApp: the conversation is open already.",
    find: (candidate) => links(candidate).flatMap(({ path, url }) => unless(!CHAT_HOSTS.includes(hostOf(url)), path)),
  },
  url_shortened: {
    from: GUIDELINES,
    says: "WhatsApp rejects short links (%about), because they hide where they lead: give the whole address.",
    find: (candidate) =>
      links(candidate).flatMap(({ path, url }) =>
        unless(!SHORTENERS.includes(hostOf(url)), path, { about: hostOf(url) }),
      ),
  },
  phone_number_form: {
    from: COMPONENTS,
    limit: 20,
    says: "phone_number is a number with its country code, digits only, at most %limit characters.",
    find: (candidate, limit) =>
      ofKind(candidate, "PHONE_NUMBER").flatMap(({ path, given }) => {
        const phone = textIn(given, "phone_number");
        return unless(/^\+?[1-9]\d{6,}$/.test(phone) && phone.length <= limit, `${path}.phone_number`);
      }),
  },
  flow_missing: {
    from: FLOWS,
    says: "A FLOW button names its form by exactly one of flow_id, flow_name and flow_json.",
    find: (candidate) =>
      ofKind(candidate, "FLOW").flatMap(({ path, given }) => {
        const named = ["flow_id", "flow_name", "flow_json"].filter((name) => given[name] !== undefined);
        return unless(named.length === 1, `${path}.flow_id`);
      }),
  },
  flow_action_unknown: {
    from: FLOWS,
    says: "flow_action is navigate or data_exchange.",
    find: (candidate) =>
      ofKind(candidate, "FLOW").flatMap(({ path, given: { flow_action: action } }) =>
        unless(action === undefined || /^(navigate|data_exchange)$/i.test(String(action)), `${path}.flow_action`),
      ),
  },
} as const satisfies RuleTable;
