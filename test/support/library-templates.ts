/** Templates that are made of the library of `graph-account.ts`: right inputs, and requests that a rule stops. */
export const BUTTONS = [
  {
    type: "URL",
    url: { base_url: "https://shop.example/p/{{1}}", url_suffix_example: "https://shop.example/p/10042" },
  },
  { type: "PHONE_NUMBER", phone_number: "+442079460100" },
  { type: "QUICK_REPLY" },
];

const [url, phone, reply] = BUTTONS;
const of = (library: unknown, more: object = {}) => ({ library, ...more });
const buttons = (...all: unknown[]) => of({ name: "parcel_sent", buttons: all });
const code = (input: object) =>
  of({ name: "sign_in_code", buttons: [{ type: "OTP", ...input }] }, { category: "AUTHENTICATION" });
export const body = (given: unknown) => of({ name: "parcel_sent", buttons: BUTTONS, body: given });
export const link = (base: unknown, sample?: unknown) =>
  buttons({ type: "URL", url: { base_url: base, url_suffix_example: sample } }, phone, reply);
export const address = (length: number) => `https://shop.example/${"a".repeat(length - 21)}`;

/** The rule, the member that breaks it, and what is wrong in the request. */
export const wrongOfLibrary: readonly (readonly [rule: string, path: string, more: object])[] = [
  ["library_form", "library", of("parcel_sent")],
  ["library_form", "library.name", of({})],
  ["library_member_unknown", "library.header", of({ name: "parcel_sent", buttons: BUTTONS, header: "A" })],
  ["library_member_unknown", "library.body.add_name", body({ add_name: true })],
  ["library_member_unknown", "library.buttons.0.text", buttons({ ...url, text: "A" }, phone, reply)],
  ["library_has_it", "components", { components: [{ type: "BODY", text: "A lamp is here." }] }],
  ["library_has_it", "sample_media", { sample_media: {} }],
  ["library_has_it", "parameter_format", { parameter_format: "POSITIONAL" }],
  ["library_has_it", "message_send_ttl_seconds", { message_send_ttl_seconds: 60 }],
  ["library_name_unknown", "library.name", of({ name: "nothing" })],
  ["library_name_unknown", "library.name", { language: "de" }],
  ["library_category", "category", { category: "MARKETING" }],
  ["library_button_manual", "library.name", of({ name: "parcel_missed_form", buttons: [{ type: "FLOW" }] })],
  ["library_buttons_form", "library.buttons", of({ name: "parcel_sent", buttons: {} })],
  ["library_buttons_form", "library.buttons.1", buttons(url, "phone", reply)],
  ["library_buttons_count", "library.buttons", of({ name: "parcel_sent" })],
  ["library_buttons_count", "library.buttons", buttons(url, phone)],
  ["library_buttons_count", "library.buttons", buttons(...BUTTONS, reply)],
  ["library_buttons_count", "library.buttons", of({ name: "order_taken", buttons: [reply] })],
  ["library_button_type", "library.buttons.0.type", buttons(phone, url, reply)],
  ["library_url_form", "library.buttons.0.url.base_url", link(undefined)],
  ["library_url_form", "library.buttons.0.url.base_url", link("shop.example")],
  [
    "library_url_form",
    "library.buttons.0.url.base_url",
    link("https://shop.example/{{1}}/p", "https://shop.example/1"),
  ],
  ["library_url_form", "library.buttons.0.url.base_url", link(address(2_001))],
  ["library_url_sample_missing", "library.buttons.0.url.url_suffix_example", link("https://shop.example/{{1}}")],
  [
    "library_url_sample_missing",
    "library.buttons.0.url.url_suffix_example",
    link("https://shop.example/{{1}}", "10042"),
  ],
  ["library_phone_form", "library.buttons.1.phone_number", buttons(url, { type: "PHONE_NUMBER" }, reply)],
  ["library_phone_form", "library.buttons.1.phone_number", buttons(url, { ...phone, phone_number: "0207" }, reply)],
  ["library_code_form", "library.buttons.0.otp_type", code({})],
  ["library_code_form", "library.buttons.0.otp_type", code({ otp_type: "ONE_TAP" })],
  [
    "library_code_form",
    "library.buttons.0.otp_type",
    code({ otp_type: "ZERO_TAP", supported_apps: [{ package_name: "a.b", signature_hash: "12345678901" }] }),
  ],
  ["library_body_form", "library.body", body([])],
  ["library_body_form", "library.body.add_contact_number", body({ add_contact_number: "yes" })],
  ["library_body_form", "library.body.code_expiration_minutes", body({ code_expiration_minutes: 91 })],
  ["library_body_form", "library.body.code_expiration_minutes", body({ code_expiration_minutes: 0 })],
  ["name_format", "name", { name: "Parcel" }],
  ["language_unknown", "language", { language: "xx" }],
];
