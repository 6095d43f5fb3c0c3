/**
 * The simulated network's library of templates: few, in our own words, with every kind of button that a request fills in.
 * What Meta refuses of a template that is made of one is evaluated on the JSON as it left, by a table that shares nothing with
 * what the API checks.
 */
import type { LibraryButton, LibraryEntry } from "#src/domain/templates/rules/candidate.ts";
import type { TemplatePort } from "../network.ts";
import type { LibraryPage, LibraryQuery } from "../template-request.ts";
import type { JsonObject } from "../whatsapp/json.ts";
import { refuse } from "./evaluate.ts";
import { list, needed, object, optional, PARAMETER_UNKNOWN, type Shape, words } from "./limits.ts";
import type { Refusal } from "./refusal.ts";

const LIBRARY = "templates/template-library";

interface Written {
  name: string;
  topic: string;
  useCase: string;
  industry?: string;
  header?: string;
  body: string;
  /** A sample of each value, and its type. */
  values: readonly (readonly [sample: string, type: string])[];
  buttons?: LibraryButton[];
  category?: string;
}

const button = (type: string, text: string, more: Partial<LibraryButton> = {}): LibraryButton => ({
  ...{ type, text, url: null, phoneNumber: null },
  ...more,
});
const link = (text: string): LibraryButton => button("URL", text, { url: "https://www.example.com/{{1}}" });

const written: readonly Written[] = [
  {
    ...{ name: "parcel_sent", topic: "ORDER_MANAGEMENT", useCase: "SHIPMENT_CONFIRMATION", header: "Your parcel" },
    body: "Hello {{1}}, we have sent order {{2}}. It should arrive on {{3}}.",
    values: [
      ["Asha", "TEXT"],
      ["10042", "TEXT"],
      ["5 May", "DATE"],
    ],
    buttons: [link("Follow the parcel")],
  },
  {
    ...{ name: "parcel_missed", topic: "ORDER_MANAGEMENT", useCase: "DELIVERY_FAILED" },
    body: "We could not deliver order {{1}} today. Choose another time, or call us.",
    values: [["10042", "TEXT"]],
    buttons: [link("Choose a time"), button("PHONE_NUMBER", "Call us", { phoneNumber: "+15550100" })],
  },
  {
    ...{ name: "order_taken", topic: "ORDER_MANAGEMENT", useCase: "ORDER_CONFIRMATION" },
    body: "Thank you, {{1}}. We have your order {{2}} and tell you when it leaves.",
    values: [
      ["Asha", "TEXT"],
      ["10042", "TEXT"],
    ],
  },
  {
    ...{ name: "visit_tomorrow", topic: "EVENT_REMINDER", useCase: "APPOINTMENT_REMINDER", industry: "HEALTHCARE" },
    body: "This is a reminder of your appointment at {{1}} on {{2}}. Do you come?",
    values: [
      ["10:30", "TEXT"],
      ["5 May", "DATE"],
    ],
    buttons: [button("QUICK_REPLY", "I come"), button("QUICK_REPLY", "I cannot come")],
  },
  {
    ...{ name: "bill_due", topic: "PAYMENTS", useCase: "PAYMENT_DUE_REMINDER", industry: "FINANCIAL_SERVICES" },
    ...{ header: "Your bill", body: "Your bill of {{1}} is due on {{2}}. If you have paid it, thank you." },
    values: [
      ["EUR 40.00", "AMOUNT"],
      ["5 May", "DATE"],
    ],
    buttons: [link("Pay the bill"), button("QUICK_REPLY", "I have paid")],
  },
  {
    ...{ name: "sign_in_code", topic: "IDENTITY_VERIFICATION", useCase: "VERIFICATION_CODE" },
    ...{ category: "AUTHENTICATION", body: "{{1}} is your code." },
    values: [["123456", "TEXT"]],
    buttons: [button("OTP", "Copy code")],
  },
];

const entries: readonly LibraryEntry[] = written.map(
  ({ values, industry = "E_COMMERCE", buttons = [], header = null, category = "UTILITY", ...one }, index) => ({
    ...{ id: `sim.library.${index + 1}`, language: "en_US", category, header, ...one },
    ...{ industries: [industry], buttons },
    ...{ bodyValues: values.map(([sample]) => sample), bodyTypes: values.map(([, type]) => type) },
  }),
);

/** `after`: the number of entries before the page. */
export function searchLibrary(query: LibraryQuery): LibraryPage {
  const searched = query.search?.toLowerCase() ?? "";
  const found = entries.filter(
    (one) =>
      [one.name, one.body, one.topic, one.useCase].some((text) => text?.toLowerCase().includes(searched)) &&
      one.name.includes(query.name ?? "") &&
      (query.language === undefined || one.language === query.language) &&
      (query.topic === undefined || one.topic === query.topic) &&
      (query.usecase === undefined || one.useCase === query.usecase) &&
      (query.industry === undefined || one.industries.includes(query.industry)),
  );
  const start = Number(query.after ?? 0) || 0;
  const end = start + query.limit;
  return { entries: found.slice(start, end), next: end < found.length ? String(end) : null };
}

export const simulatedLibrary: Pick<TemplatePort, "listLibrary"> = {
  listLibrary: (_sender, query) => Promise.resolve({ ok: true, value: searchLibrary(query), at: null }),
};

const text = (max: number) => needed(words(max, LIBRARY));
const flag = optional({ is: "flag" });
const of = (type: string) => ({ type: needed({ is: "word", words: [type], from: LIBRARY } as Shape) });

const request = object(LIBRARY, {
  ...{ name: text(512), language: text(15), library_template_name: text(512) },
  category: needed({ is: "word", words: ["MARKETING", "UTILITY", "AUTHENTICATION"], from: LIBRARY }),
  library_template_button_inputs: optional(
    list(LIBRARY, 1, 10, {
      is: "variant",
      by: "type",
      of: {
        QUICK_REPLY: object(LIBRARY, of("QUICK_REPLY")),
        URL: object(LIBRARY, {
          ...of("URL"),
          url: needed(object(LIBRARY, { base_url: text(2_000), url_suffix_example: optional(words(2_000, LIBRARY)) })),
        }),
        PHONE_NUMBER: object(LIBRARY, { ...of("PHONE_NUMBER"), phone_number: text(20) }),
        OTP: object(LIBRARY, {
          ...of("OTP"),
          otp_type: needed({ is: "word", words: ["COPY_CODE", "ONE_TAP", "ZERO_TAP"], from: LIBRARY }),
          supported_apps: optional(
            list(LIBRARY, 1, 5, object(LIBRARY, { package_name: text(224), signature_hash: text(11) })),
          ),
          zero_tap_terms_accepted: flag,
        }),
      },
    }),
  ),
  library_template_body_inputs: optional(
    object(LIBRARY, {
      ...{ add_contact_number: flag, add_learn_more_link: flag },
      ...{ add_security_recommendation: flag, add_track_package_link: flag },
      code_expiration_minutes: optional({ is: "index", max: 90, from: LIBRARY }),
    }),
  ),
});

interface Named {
  name: string;
  language: string;
  category: string;
  buttons: readonly { type: string }[];
}

/** `known`: the templates of the library that the request may name. */
export function evaluateLibrary(given: JsonObject, known: readonly Named[] = entries): Refusal | null {
  const refusal = refuse(given, request, "template");
  if (refusal !== null) return refusal;
  const of = known.find(({ name, language }) => name === given.library_template_name && language === given.language);
  if (of === undefined) return wrong("library_template_name names no template of the library in this language.");
  if (of.category !== given.category) return wrong("category is not that of the template of the library.");
  const inputs = (given.library_template_button_inputs ?? []) as JsonObject[];
  const isFilled = of.buttons.every(({ type }, index) => type === "QUICK_REPLY" || inputs[index]?.type === type);
  return isFilled && inputs.length <= of.buttons.length
    ? null
    : wrong("library_template_button_inputs are not those of the template's buttons.");
}

function wrong(message: string): Refusal {
  return { code: PARAMETER_UNKNOWN, message };
}
