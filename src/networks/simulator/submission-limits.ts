/**
 * What Meta takes when a template is created or corrected: the members of each part, and the limit of each. As `limits.ts`,
 * it shares nothing with what the API checks. Types and formats are in capitals. `from` names the page of Meta's
 * documentation, below `whatsapp/`.
 */
import { list, needed, object, optional, type Shape, UNLIMITED, words } from "./limits.ts";

const OVERVIEW = "templates/overview";
const COMPONENTS = "templates/components";
const CAROUSEL = "templates/marketing-templates/media-card-carousel-templates";
const OFFER = "templates/marketing-templates/limited-time-offer-templates";
const COUPON = "templates/marketing-templates/coupon-templates";
const LOGIN = "templates/authentication-templates/authentication-templates";
const FLOW = "flows/guides/sendingaflow";

const any: Shape = { is: "any", from: COMPONENTS };
const flag: Shape = { is: "flag" };
const word = (...taken: string[]): Shape => ({ is: "word", words: taken, from: COMPONENTS });
const of = (type: string) => ({ type: needed(word(type)) });
const text = (max: number, from = COMPONENTS) => needed(words(max, from));
const label = { text: text(25) };
const free = optional(words(UNLIMITED, COMPONENTS));

const handle = object(COMPONENTS, { header_handle: needed(list(COMPONENTS, 1, 1, words(UNLIMITED, COMPONENTS))) });
const shown = (format: string): [string, Shape] => [
  format,
  object(COMPONENTS, { ...of("HEADER"), format: needed(word(format)), example: needed(handle) }),
];
const bare = (format: string): [string, Shape] => [
  format,
  object(COMPONENTS, { ...of("HEADER"), format: needed(word(format)) }),
];

const header: Shape = {
  is: "variant",
  by: "format",
  of: Object.fromEntries([
    ...["IMAGE", "VIDEO", "GIF", "DOCUMENT"].map(shown),
    ...["LOCATION", "PRODUCT"].map(bare),
    [
      "TEXT",
      object(COMPONENTS, { ...of("HEADER"), format: needed(word("TEXT")), text: text(60), example: optional(any) }),
    ],
  ]),
};

function body(max: number): Shape {
  return object(COMPONENTS, {
    ...of("BODY"),
    text: optional(words(max, COMPONENTS)),
    example: optional(any),
    add_security_recommendation: optional(flag),
  });
}

const app = object(LOGIN, { package_name: text(UNLIMITED, LOGIN), signature_hash: text(UNLIMITED, LOGIN) });
const code: Shape = { ...words(20, COUPON), isAlphanumeric: true } as Shape;

const button: Shape = {
  is: "variant",
  by: "type",
  of: {
    QUICK_REPLY: object(COMPONENTS, { ...of("QUICK_REPLY"), ...label }),
    URL: object(COMPONENTS, {
      ...of("URL"),
      ...label,
      url: text(2_000),
      example: optional(list(COMPONENTS, 1, 1, words(UNLIMITED, COMPONENTS))),
    }),
    PHONE_NUMBER: object(COMPONENTS, { ...of("PHONE_NUMBER"), ...label, phone_number: text(20) }),
    COPY_CODE: object(COUPON, { ...of("COPY_CODE"), example: needed(code) }),
    OTP: object(LOGIN, {
      ...of("OTP"),
      otp_type: needed(word("COPY_CODE", "ONE_TAP", "ZERO_TAP")),
      text: optional(words(25, LOGIN)),
      autofill_text: optional(words(25, LOGIN)),
      supported_apps: optional(list(LOGIN, 1, 5, app)),
      package_name: free,
      signature_hash: free,
      zero_tap_terms_accepted: optional(flag),
    }),
    FLOW: object(
      FLOW,
      {
        ...of("FLOW"),
        ...label,
        flow_id: free,
        flow_name: free,
        flow_json: free,
        flow_action: free,
        navigate_screen: free,
      },
      ["flow_id", "flow_name", "flow_json"],
    ),
    CATALOG: object(COMPONENTS, { ...of("CATALOG"), ...label }),
    MPM: object(COMPONENTS, { ...of("MPM"), ...label }),
    SPM: object(COMPONENTS, { ...of("SPM"), ...label }),
    ORDER_DETAILS: object(COMPONENTS, { ...of("ORDER_DETAILS"), ...label }),
    VOICE_CALL: object(COMPONENTS, { ...of("VOICE_CALL"), ...label }),
    CALL_PERMISSION_REQUEST: object(COMPONENTS, of("CALL_PERMISSION_REQUEST")),
    REQUEST_CONTACT_INFO: object(COMPONENTS, of("REQUEST_CONTACT_INFO")),
  },
};

const buttons = (max: number, from: string): Shape =>
  object(from, { ...of("BUTTONS"), buttons: needed(list(from, 1, max, button)) });

const card = object(CAROUSEL, {
  components: needed(
    list(CAROUSEL, 1, 3, {
      is: "variant",
      by: "type",
      of: { HEADER: header, BODY: body(160), BUTTONS: buttons(2, CAROUSEL) },
    }),
  ),
});

/** `isOffer`: its body is shorter. */
export function submissionShape(isOffer: boolean): Shape {
  return object(OVERVIEW, {
    name: optional(words(512, OVERVIEW)),
    language: optional(words(15, OVERVIEW)),
    category: needed({ is: "word", words: ["MARKETING", "UTILITY", "AUTHENTICATION"], from: OVERVIEW }),
    parameter_format: optional(word("POSITIONAL", "NAMED")),
    components: needed(
      list(COMPONENTS, 1, 10, {
        is: "variant",
        by: "type",
        of: {
          HEADER: header,
          BODY: body(isOffer ? 600 : 1_024),
          FOOTER: object(COMPONENTS, {
            ...of("FOOTER"),
            text: optional(words(60, COMPONENTS)),
            code_expiration_minutes: optional({ is: "index", max: 90, from: LOGIN }),
          }),
          BUTTONS: buttons(10, COMPONENTS),
          CAROUSEL: object(CAROUSEL, { ...of("CAROUSEL"), cards: needed(list(CAROUSEL, 2, 10, card)) }),
          LIMITED_TIME_OFFER: object(OFFER, {
            ...of("LIMITED_TIME_OFFER"),
            limited_time_offer: needed(object(OFFER, { text: text(16, OFFER), has_expiration: optional(flag) })),
          }),
          CALL_PERMISSION_REQUEST: object(COMPONENTS, of("CALL_PERMISSION_REQUEST")),
        },
      }),
    ),
  });
}
