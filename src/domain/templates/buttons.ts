/**
 * The buttons of a template: what each takes when the template is sent, and the limits of what is given. Limits are
 * Meta's (`templates/components`, `coupon-templates`), unless they say so. Pure.
 */
import type { Fault } from "#src/core/fault.ts";
import { quote } from "#src/core/problem.ts";

/** `link`: the end of its address. `code`: what it copies. `payload`: what an answer brings. `flow`: the token of a form. */
type Takes = "link" | "code" | "payload" | "flow";

/** A button that takes a value in `variables.buttons`. */
export interface ValueButton {
  /** Among all buttons. */
  index: number;
  takes: Takes;
  /** What it says. */
  label: string;
  /** Of a link: the address with its placeholder; else empty. */
  url: string;
}

type ReadButton =
  /** It takes nothing. */
  | { is: "plain" }
  | { is: "value"; button: ValueButton }
  | { is: "code_of_login" | "catalog" | "products" | "order" }
  /** `reason`: why a template with it cannot be sent, in plain text. */
  | { is: "unknown"; reason: string };

const PLACEHOLDER = /\{\{[^{}]*\}\}/;

const kinds: Readonly<Record<string, Takes | "plain" | "catalog" | "products" | "order">> = {
  QUICK_REPLY: "payload",
  PHONE_NUMBER: "plain",
  REQUEST_CONTACT_INFO: "plain",
  VOICE_CALL: "plain",
  CALL_PERMISSION_REQUEST: "plain",
  URL: "link",
  COPY_CODE: "code",
  FLOW: "flow",
  CATALOG: "catalog",
  MPM: "products",
  // The product stands in the header.
  SPM: "plain",
  ORDER_DETAILS: "order",
};

/** One entry of a component's `buttons`, as the network lists it. `isLogin`: of an AUTHENTICATION template. */
export function readButton(given: unknown, index: number, isLogin: boolean): ReadButton {
  const { name, label, address } = textsIn(given);
  const hasPlaceholder = address.includes("{{");
  // Created as OTP, but listed by the network as a URL button with the code in its address.
  if (name === "OTP" || (isLogin && name === "URL" && hasPlaceholder)) return { is: "code_of_login" };
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (kind === undefined) return { is: "unknown", reason: `it has a button of type ${name || "unknown"}` };
  if (kind === "plain" || (kind === "link" && !hasPlaceholder)) return { is: "plain" };
  if (kind === "catalog" || kind === "products" || kind === "order") return { is: kind };
  return { is: "value", button: { index, takes: kind, label, url: kind === "link" ? address : "" } };
}

function textsIn(given: unknown): { name: string; label: string; address: string } {
  const { type, text, url } = (typeof given === "object" && given !== null ? given : {}) as Record<string, unknown>;
  const name = String(type ?? "").toUpperCase();
  return { name, label: typeof text === "string" && text !== "" ? text : name, address: String(url ?? "") };
}

/** Whether the template cannot be sent without the button's value. A quick reply has its words without one. */
export function isRequired({ takes }: ValueButton): boolean {
  return takes !== "payload";
}

/** What the button takes, in words, after "needs". */
export function describeValue({ takes, label }: ValueButton): string {
  switch (takes) {
    case "link":
      return `the end of the link of ${quote(label)}`;
    case "code":
      return "the code that the button copies";
    case "payload":
      return `the payload of ${quote(label)}`;
    case "flow":
      return `the flow token of ${quote(label)}`;
  }
}

const URL_LENGTH_MAX = 2_000;
const CODE_LENGTH_MAX = 20;
/** As of a reply button; Meta's pages about templates name none. */
const PAYLOAD_LENGTH_MAX = 256;
/** Of ours. */
const TOKEN_LENGTH_MAX = 256;

/** What may be given to a button. Stored with a value that is a contact's field, so that the field's content is held to it. */
export interface ValueLimit {
  /** In code points. */
  max: number;
  /** Letters and digits alone. */
  isCode?: true;
}

export function limitOf({ takes, url }: ValueButton): ValueLimit {
  switch (takes) {
    case "link":
      return { max: Math.max(0, URL_LENGTH_MAX - [...url.replace(PLACEHOLDER, "")].length) };
    case "code":
      return { max: CODE_LENGTH_MAX, isCode: true };
    case "payload":
      return { max: PAYLOAD_LENGTH_MAX };
    case "flow":
      return { max: TOKEN_LENGTH_MAX };
  }
}

export function fits({ max, isCode }: ValueLimit, text: string): boolean {
  return [...text].length <= max && (isCode !== true || /^[A-Za-z0-9]+$/.test(text));
}

/** What is wrong with a text for the button; null: nothing. */
export function findMisfit(button: ValueButton, text: string): Fault | null {
  const limit = limitOf(button);
  const { max } = limit;
  const length = [...text].length;
  if (length > max) {
    const sentence =
      button.takes === "link"
        ? `The whole address may have at most ${URL_LENGTH_MAX} characters, so ${describeValue(button)} may have ${max}; it has ${length}.`
        : `A value for this may have at most ${max} characters; it has ${length}.`;
    return { rule: "too_long", sentence, limit: max };
  }
  if (!fits(limit, text)) {
    return { rule: "format", sentence: "A code that a button copies has letters and digits only." };
  }
  const begins = button.url.split(PLACEHOLDER)[0] ?? "";
  if (begins !== "" && text.startsWith(begins)) {
    return { rule: "format", sentence: `The link begins with ${begins} already: give only what comes after it.` };
  }
  return null;
}
