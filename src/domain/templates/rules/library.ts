/**
 * Rules about a template that is made of one of WhatsApp's library: the library has the words, and the request has what
 * its buttons and its body take. `context.library` is the library's template; the rules that compare with it are silent
 * while it was not asked for.
 */
import { type Candidate, isLoose, type LibraryButton, type LibraryEntry, listIn, textIn } from "./candidate.ts";
import { type Finding, type RuleTable, unless } from "./rule.ts";

const LIBRARY = "templates/template-library";
const LOGIN = "templates/authentication-templates/authentication-templates";

const MEMBERS = ["name", "buttons", "body"];
/** What the library has already, or what its templates do not take. */
const LEFT_OUT = ["components", "parameter_format", "sample_media", "message_send_ttl_seconds"];
const FLAGS = ["add_contact_number", "add_learn_more_link", "add_security_recommendation", "add_track_package_link"];
const MINUTES = "code_expiration_minutes";
/** The members of the input of each type of button. */
const INPUT_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  QUICK_REPLY: ["type"],
  URL: ["type", "url"],
  PHONE_NUMBER: ["type", "phone_number"],
  OTP: ["type", "otp_type", "supported_apps", "zero_tap_terms_accepted"],
};
const CODES = ["COPY_CODE", "ONE_TAP", "ZERO_TAP"];
const UNKNOWN_MAX = 20;
const URL_MAX = 2_000;
const MINUTES_MAX = 90;

interface Input {
  path: string;
  type: string;
  given: Readonly<Record<string, unknown>>;
}

function given({ given: { library } }: Candidate): Readonly<Record<string, unknown>> {
  return isLoose(library) ? library : {};
}

function uses({ given: { library } }: Candidate): boolean {
  return library !== undefined;
}

function inputsOf(candidate: Candidate, type?: string): Input[] {
  const all = listIn(given(candidate), "buttons").map((one, index): Input => {
    const input = isLoose(one) ? one : {};
    return { path: `library.buttons.${index}`, type: textIn(input, "type").toUpperCase(), given: input };
  });
  return type === undefined ? all : all.filter((one) => one.type === type);
}

/** Empty while the library was not asked. */
function buttonsOf({ context }: Candidate): readonly LibraryButton[] {
  return context.library?.buttons ?? [];
}

/** Whether the library's template needs an input for each of its buttons. */
function takesInputs({ buttons }: Pick<LibraryEntry, "buttons">): boolean {
  return buttons.some(({ type }) => type !== "QUICK_REPLY");
}

function urlOf({ given: input }: Input): { base: string; sample: string } {
  const url = isLoose(input.url) ? input.url : {};
  return { base: textIn(url, "base_url"), sample: textIn(url, "url_suffix_example") };
}

function unknownOf(members: Readonly<Record<string, unknown>>, known: readonly string[], path: string): Finding[] {
  const unknown = Object.keys(members).filter((name) => !known.includes(name));
  return unknown.slice(0, UNKNOWN_MAX).map((name) => ({ path: `${path}.${name}`, about: name.slice(0, 60) }));
}

export const libraryRules = {
  library_form: {
    from: LIBRARY,
    says: "library is an object with the name of one of the library's templates: GET /templates/library lists them.",
    find: (candidate) => {
      if (!uses(candidate)) return [];
      return isLoose(candidate.given.library)
        ? unless(textIn(given(candidate), "name") !== "", "library.name")
        : [{ path: "library" }];
    },
  },
  library_member_unknown: {
    from: LIBRARY,
    says: "%about is not a member here. Omit it.",
    find: (candidate) => {
      const { body } = given(candidate);
      return [
        ...unknownOf(given(candidate), MEMBERS, "library"),
        ...(isLoose(body) ? unknownOf(body, [...FLAGS, MINUTES], "library.body") : []),
        ...inputsOf(candidate).flatMap(({ type, path, given: input }) =>
          INPUT_MEMBERS[type] === undefined ? [] : unknownOf(input, INPUT_MEMBERS[type], path),
        ),
      ].slice(0, UNKNOWN_MAX);
    },
  },
  library_has_it: {
    from: LIBRARY,
    says: "Omit %about: the library has the words of this template.",
    find: (candidate) =>
      uses(candidate)
        ? LEFT_OUT.filter((name) => candidate.given[name] !== undefined).map((name) => ({ path: name, about: name }))
        : [],
  },
  library_new_only: {
    from: LIBRARY,
    says: "Only a new template is made of one of the library. Give components to correct this one.",
    find: (candidate) => unless(!uses(candidate) || candidate.context.corrected == null, "library"),
  },
  library_name_unknown: {
    from: LIBRARY,
    says: "WhatsApp's library has no template of this name in this language: GET /templates/library lists them.",
    find: (candidate) =>
      unless(
        !uses(candidate) || candidate.context.library !== null || textIn(given(candidate), "name") === "",
        "library.name",
      ),
  },
  library_category: {
    from: LIBRARY,
    says: "The library's template has the category %about, and so has what is made of it.",
    find: ({ category, context: { library } }) =>
      unless(library == null || library.category === category, "category", { about: library?.category ?? "" }),
  },
  library_button_manual: {
    from: LIBRARY,
    says: "This template has a button of the type %about, which only WhatsApp Manager fills in: create it there.",
    find: (candidate) =>
      buttonsOf(candidate)
        .filter(({ type }) => INPUT_MEMBERS[type] === undefined)
        .slice(0, 1)
        .map(({ type }) => ({ path: "library.name", about: type })),
  },
  library_buttons_form: {
    from: LIBRARY,
    says: "buttons is a list with an object for each button of the library's template, in its order.",
    find: (candidate) => {
      const { buttons } = given(candidate);
      if (buttons === undefined) return [];
      if (!Array.isArray(buttons)) return [{ path: "library.buttons" }];
      return listIn(given(candidate), "buttons").flatMap((one, index) =>
        unless(isLoose(one), `library.buttons.${index}`),
      );
    },
  },
  library_buttons_count: {
    from: LIBRARY,
    says: "Give an input for each button of the library's template, in its order: it has %about.",
    find: (candidate) => {
      const { library } = candidate.context;
      if (library == null || (given(candidate).buttons === undefined && !takesInputs(library))) return [];
      const about = library.buttons.length === 0 ? "no buttons" : library.buttons.map(({ type }) => type).join(", ");
      return unless(inputsOf(candidate).length === library.buttons.length, "library.buttons", { about });
    },
  },
  library_button_type: {
    from: LIBRARY,
    says: "The library's template has a button of the type %about in this place.",
    find: (candidate) =>
      inputsOf(candidate).flatMap(({ path, type }, index) => {
        const about = buttonsOf(candidate)[index]?.type ?? type;
        return unless(type === about, `${path}.type`, { about });
      }),
  },
  library_url_form: {
    from: LIBRARY,
    says: "url.base_url is an address of at most 2,000 characters that begins with https:// or http://; {{1}} at its end stands for what each message adds.",
    find: (candidate) =>
      inputsOf(candidate, "URL").flatMap((input) => {
        const { base } = urlOf(input);
        const isAddress =
          /^https?:\/\/[^\s/{}][^\s{}]*$/.test(base.replace(/\{\{1\}\}$/, "")) && base.length <= URL_MAX;
        return unless(isAddress, `${input.path}.url.base_url`);
      }),
  },
  library_url_sample_missing: {
    from: LIBRARY,
    says: "An address that ends with {{1}} needs url.url_suffix_example: the whole address with a sample at its end.",
    find: (candidate) =>
      inputsOf(candidate, "URL").flatMap((input) => {
        const { base, sample } = urlOf(input);
        const start = base.replace(/\{\{1\}\}$/, "");
        const isShown = sample.startsWith(start) && sample.length > start.length && sample.length <= URL_MAX;
        return unless(start === base || isShown, `${input.path}.url.url_suffix_example`);
      }),
  },
  library_phone_form: {
    from: LIBRARY,
    says: "phone_number is a number with its country code, such as +442079460100.",
    find: (candidate) =>
      inputsOf(candidate, "PHONE_NUMBER").flatMap(({ path, given: input }) =>
        unless(/^\+?[1-9]\d{6,14}$/.test(textIn(input, "phone_number")), `${path}.phone_number`),
      ),
  },
  library_code_form: {
    from: LOGIN,
    says: `otp_type is ${CODES.join(", ")}; the last two need supported_apps, 1 to 5 objects with package_name and signature_hash, and ZERO_TAP needs zero_tap_terms_accepted: true.`,
    find: (candidate) =>
      inputsOf(candidate, "OTP").flatMap(({ path, given: input }) => {
        const type = textIn(input, "otp_type").toUpperCase();
        const apps = listIn(input, "supported_apps");
        const areNamed = apps.every(
          (one) => isLoose(one) && textIn(one, "package_name") !== "" && textIn(one, "signature_hash") !== "",
        );
        const isRight =
          type === "COPY_CODE"
            ? input.supported_apps === undefined
            : CODES.includes(type) && apps.length > 0 && apps.length <= 5 && areNamed;
        const isAgreed = type !== "ZERO_TAP" || input.zero_tap_terms_accepted === true;
        return unless(isRight && isAgreed, `${path}.otp_type`);
      }),
  },
  library_body_form: {
    from: LIBRARY,
    says: `The members of body are true or false; ${MINUTES} is a whole number of 1 to ${MINUTES_MAX}.`,
    find: (candidate) => {
      const { body } = given(candidate);
      if (body === undefined) return [];
      if (!isLoose(body)) return [{ path: "library.body" }];
      const minutes = body[MINUTES];
      const isTime = Number.isInteger(minutes) && Number(minutes) >= 1 && Number(minutes) <= MINUTES_MAX;
      return [
        ...FLAGS.flatMap((name) =>
          unless(body[name] === undefined || typeof body[name] === "boolean", `library.body.${name}`),
        ),
        ...unless(minutes === undefined || isTime, `library.body.${MINUTES}`),
      ];
    },
  },
} as const satisfies RuleTable;
