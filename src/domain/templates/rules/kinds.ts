/** Rules about special kinds of templates: login codes, offers, carousels, products, and the category that each has. */
import {
  allButtons,
  buttonLists,
  buttonsOf,
  type Candidate,
  type Card,
  formatOf,
  has,
  isLogin,
  isLoose,
  listIn,
  type Part,
  partsOf,
  textIn,
} from "./candidate.ts";
import { type Finding, longer, type RuleTable, unless } from "./rule.ts";

const LOGIN = "templates/authentication-templates/authentication-templates";
const AUTOFILL = "templates/authentication-templates/autofill-button-authentication-templates";
const OFFER = "templates/marketing-templates/limited-time-offer-templates";
const CAROUSEL = "templates/marketing-templates/media-card-carousel-templates";
const PRODUCT = "templates/marketing-templates/product-card-carousel-templates";
const MARKETING = "templates/marketing-templates";

/** Which categories may have a component, or a button, of the type; the others may have it in each. */
const CATEGORIES: Readonly<Record<string, readonly string[]>> = {
  LIMITED_TIME_OFFER: ["MARKETING"],
  CAROUSEL: ["MARKETING"],
  COPY_CODE: ["MARKETING"],
  CATALOG: ["MARKETING"],
  MPM: ["MARKETING"],
  SPM: ["MARKETING"],
  CALL_PERMISSION_REQUEST: ["MARKETING", "UTILITY"],
  OTP: ["AUTHENTICATION"],
};

const CARD_BUTTONS = ["QUICK_REPLY", "URL", "PHONE_NUMBER", "SPM"];
const OTP_TYPES = ["COPY_CODE", "ONE_TAP", "ZERO_TAP"];

function otps(candidate: Candidate) {
  return isLogin(candidate) ? allButtons(candidate).filter(({ type }) => type === "OTP") : [];
}

function otpType({ given }: Part): string {
  return textIn(given, "otp_type").toUpperCase();
}

function offers(candidate: Candidate): { path: string; text: string }[] {
  return partsOf(candidate, "LIMITED_TIME_OFFER").map(({ path, given }) => ({
    path: `${path}.limited_time_offer.text`,
    text: textIn(isLoose(given.limited_time_offer) ? given.limited_time_offer : {}, "text"),
  }));
}

function cardHeader({ parts }: Card): string {
  const header = parts.find(({ type }) => type === "HEADER");
  return header === undefined ? "" : formatOf(header);
}

/** What all cards have to have alike: parts and the types of their buttons, in order. */
function likenessOf({ parts }: Card): string {
  const buttons = parts.filter(({ type }) => type === "BUTTONS").flatMap(buttonsOf);
  const header = parts.find(({ type }) => type === "HEADER");
  return JSON.stringify([
    parts.map(({ type }) => type).toSorted(),
    header === undefined ? null : formatOf(header),
    buttons.map(({ type }) => type),
  ]);
}

function inLogin(candidate: Candidate, type: string, isRight: (part: Part) => boolean, member = "type"): Finding[] {
  if (!isLogin(candidate)) return [];
  return partsOf(candidate, type).flatMap((part) => unless(isRight(part), `${part.path}.${member}`));
}

export const kindRules = {
  category_of_part: {
    from: MARKETING,
    says: "%about: choose that category, or leave the part out.",
    find: (candidate): Finding[] =>
      [...candidate.parts, ...allButtons(candidate)].flatMap(({ type, path }) => {
        const may = Object.hasOwn(CATEGORIES, type) ? CATEGORIES[type] : undefined;
        const isRight = may === undefined || candidate.category === "" || may.includes(candidate.category);
        return unless(isRight, `${path}.type`, { about: `Only ${may?.join(" and ")} templates have a ${type}` });
      }),
  },
  login_parts: {
    from: LOGIN,
    says: "A login code has a BODY, a FOOTER and BUTTONS only: no header, no carousel.",
    find: (candidate) =>
      isLogin(candidate)
        ? candidate.parts.flatMap(({ type, path }) =>
            unless(["", "BODY", "FOOTER", "BUTTONS"].includes(type), `${path}.type`),
          )
        : [],
  },
  login_body: {
    from: LOGIN,
    says: "The words of a login code are WhatsApp's: leave text out; add_security_recommendation (true or false) is all that it takes.",
    find: (candidate) =>
      inLogin(
        candidate,
        "BODY",
        ({ given }) => given.text === undefined && isSwitch(given.add_security_recommendation),
        "text",
      ),
  },
  login_footer: {
    from: LOGIN,
    says: "The footer of a login code has no text: code_expiration_minutes says how long the code works.",
    find: (candidate) => inLogin(candidate, "FOOTER", ({ given }) => given.text === undefined, "text"),
  },
  login_expiry: {
    from: LOGIN,
    limit: 90,
    says: "code_expiration_minutes is a whole number from 1 to %limit.",
    find: (candidate, limit) =>
      inLogin(
        candidate,
        "FOOTER",
        ({ given: { code_expiration_minutes: minutes } }) =>
          Number.isInteger(minutes) && Number(minutes) >= 1 && Number(minutes) <= limit,
        "code_expiration_minutes",
      ),
  },
  login_button: {
    from: LOGIN,
    says: "A login code has exactly one button, of the type OTP.",
    find: (candidate) => {
      if (!isLogin(candidate)) return [];
      const buttons = allButtons(candidate);
      const at = buttonLists(candidate)[0]?.path;
      return unless(
        buttons.length === 1 && buttons[0]?.type === "OTP",
        at === undefined ? "components" : `${at}.buttons`,
      );
    },
  },
  otp_type_unknown: {
    from: LOGIN,
    says: `otp_type is one of ${OTP_TYPES.join(", ")}.`,
    find: (candidate) =>
      otps(candidate).flatMap((one) => unless(OTP_TYPES.includes(otpType(one)), `${one.path}.otp_type`)),
  },
  otp_app_missing: {
    from: AUTOFILL,
    says: "A code that fills itself in names the app: supported_apps, each with package_name and signature_hash.",
    find: (candidate) =>
      otps(candidate)
        .filter((one) => ["ONE_TAP", "ZERO_TAP"].includes(otpType(one)))
        .flatMap(({ path, given }) => {
          const apps = listIn(given, "supported_apps");
          const isApp = (app: unknown): boolean =>
            isLoose(app) && textIn(app, "package_name") !== "" && textIn(app, "signature_hash") !== "";
          return unless(apps.length > 0 ? apps.every(isApp) : isApp(given), `${path}.supported_apps`);
        }),
  },
  zero_tap_terms: {
    from: "templates/authentication-templates/zero-tap-authentication-templates",
    says: "A ZERO_TAP button needs zero_tap_terms_accepted: true.",
    find: (candidate) =>
      otps(candidate)
        .filter((one) => otpType(one) === "ZERO_TAP")
        .flatMap(({ path, given }) =>
          unless(given.zero_tap_terms_accepted === true, `${path}.zero_tap_terms_accepted`),
        ),
  },
  login_member_elsewhere: {
    from: LOGIN,
    says: "Only AUTHENTICATION templates have %about.",
    find: (candidate): Finding[] => {
      if (isLogin(candidate)) return [];
      const members = ["add_security_recommendation", "code_expiration_minutes"];
      return candidate.parts.flatMap(({ path, given }) =>
        members.filter((name) => given[name] !== undefined).map((name) => ({ path: `${path}.${name}`, about: name })),
      );
    },
  },
  offer_text_missing: {
    from: OFFER,
    says: "A limited-time offer needs a text.",
    find: (candidate) => offers(candidate).flatMap(({ path, text }) => unless(text.trim() !== "", path)),
  },
  offer_text_too_long: {
    from: OFFER,
    limit: 16,
    says: "The text of a limited-time offer has at most %limit characters; this one has %count.",
    find: (candidate, limit) => offers(candidate).flatMap(({ path, text }) => longer(text, limit, path)),
  },
  offer_header: {
    from: OFFER,
    says: "A limited-time offer has an image or a video at the top, or nothing.",
    find: (candidate) =>
      has(candidate, "LIMITED_TIME_OFFER")
        ? partsOf(candidate, "HEADER").flatMap((part) =>
            unless(["IMAGE", "VIDEO"].includes(formatOf(part)), `${part.path}.format`),
          )
        : [],
  },
  offer_footer: {
    from: OFFER,
    says: "A limited-time offer has no footer.",
    find: (candidate) =>
      has(candidate, "LIMITED_TIME_OFFER")
        ? partsOf(candidate, "FOOTER").map(({ path }) => ({ path: `${path}.type` }))
        : [],
  },
  offer_buttons: {
    from: OFFER,
    says: "A limited-time offer has a link, and before it, if wished, a code to copy; no other button.",
    find: (candidate) => {
      if (!has(candidate, "LIMITED_TIME_OFFER")) return [];
      const types = allButtons(candidate).map(({ type }) => type);
      const isRight = ["URL", "COPY_CODE,URL"].includes(types.join(","));
      const list = buttonLists(candidate)[0];
      return unless(isRight, list === undefined ? "components" : `${list.path}.buttons`);
    },
  },
  cards_count: {
    from: CAROUSEL,
    limit: 10,
    says: "A carousel has 2 to %limit cards; this one has %count.",
    find: (candidate, limit) =>
      partsOf(candidate, "CAROUSEL").flatMap(({ path, given }) => {
        const count = listIn(given, "cards").length;
        return unless(count >= 2 && count <= limit, `${path}.cards`, { count });
      }),
  },
  card_header: {
    from: CAROUSEL,
    says: "Each card has an image, a video or a product at the top.",
    find: ({ cards }) =>
      cards.flatMap((card) =>
        unless(["IMAGE", "VIDEO", "PRODUCT"].includes(cardHeader(card)), `${card.path}.components`),
      ),
  },
  card_parts: {
    from: CAROUSEL,
    says: "A card has a HEADER, a BODY and BUTTONS only.",
    find: ({ cards }) =>
      cards.flatMap(({ parts }) =>
        parts.flatMap(({ type, path }) => unless(["HEADER", "BODY", "BUTTONS"].includes(type), `${path}.type`)),
      ),
  },
  card_button_kind: {
    from: CAROUSEL,
    says: "The button of a card is a quick reply, a link or a phone number; of a product, SPM or a link.",
    find: (candidate) =>
      buttonLists(candidate)
        .filter(({ isCard }) => isCard)
        .flatMap(({ buttons }) =>
          buttons.flatMap(({ type, path }) => unless(CARD_BUTTONS.includes(type), `${path}.type`)),
        ),
  },
  cards_differ: {
    from: CAROUSEL,
    says: "All cards have the same parts: the same kind of header, a text each or none, the same buttons in the same order.",
    find: ({ cards }) => {
      const [first] = cards;
      if (first === undefined) return [];
      return cards.flatMap((card) => unless(likenessOf(card) === likenessOf(first), `${card.path}.components`));
    },
  },
  carousel_parts: {
    from: CAROUSEL,
    says: "A carousel has a BODY above its cards, and nothing else: header, footer and buttons stand on the cards.",
    find: (candidate) =>
      has(candidate, "CAROUSEL")
        ? candidate.parts.flatMap(({ type, path }) => unless(["", "BODY", "CAROUSEL"].includes(type), `${path}.type`))
        : [],
  },
  product_button: {
    from: PRODUCT,
    says: "An SPM button stands below a product: the header has the format PRODUCT.",
    find: (candidate) => {
      const own = partsOf(candidate, "HEADER").some((part) => formatOf(part) === "PRODUCT");
      const lists = [{ parts: candidate.parts, isProduct: own }].concat(
        candidate.cards.map((card) => ({ parts: card.parts, isProduct: cardHeader(card) === "PRODUCT" })),
      );
      return lists.flatMap(({ parts, isProduct }) =>
        parts
          .filter(({ type }) => type === "BUTTONS")
          .flatMap(buttonsOf)
          .flatMap(({ type, path }) => unless(type !== "SPM" || isProduct, `${path}.type`)),
      );
    },
  },
} as const satisfies RuleTable;

function isSwitch(value: unknown): boolean {
  return value === undefined || typeof value === "boolean";
}
