/**
 * A request compared with the template that the network approved: what it has to bring, what it must not, and the lengths
 * once the values are filled in. It shares nothing with the code that fills a template in, so that a mistake in either is
 * found. Lengths are in code points. Pure.
 */
import { isLonger } from "#src/core/text-limits.ts";
import type { JsonObject } from "../whatsapp/json.ts";
import { type Refusal, tooLong } from "./refusal.ts";

export interface ApprovedTemplate {
  category: string;
  components: readonly { type: string; [member: string]: unknown }[];
}

/** Meta's codes: wrong count of values, too long once filled in, a part of another format, a missing parameter. */
const COUNT_DIFFERS = "132000";
const FILLED_TOO_LONG = "132005";
const FORMAT_DIFFERS = "132012";
const PARAMETER_MISSING = "131008";

const HEADER_MAX = 60;
const BODY_MAX = 1_024;
const OFFER_BODY_MAX = 600;
const CARD_BODY_MAX = 160;
const URL_MAX = 2_000;

interface Parameter {
  type: string;
  text?: string;
  parameter_name?: string;
}

/** What a request brings for the message itself, or for one card. */
interface Brought {
  type: string;
  sub_type?: string;
  index?: string | number;
  parameters?: Parameter[];
  cards?: { components: Brought[] }[];
}

type Listed = ApprovedTemplate["components"][number];

export function refuseAgainst(request: JsonObject, approved: ApprovedTemplate): Refusal | null {
  const { components = [] } = request.template as { components?: Brought[] };
  const has = (type: string): boolean => approved.components.some((one) => typeOf(one) === type);
  const bodyMax = has("LIMITED_TIME_OFFER") ? OFFER_BODY_MAX : BODY_MAX;
  const isLogin = approved.category === "AUTHENTICATION";
  return (
    refuseParts(components, approved.components, { bodyMax, isLogin, at: "" }) ??
    refuseOffer(components, approved.components) ??
    refuseCards(components, approved.components)
  );
}

interface Place {
  bodyMax: number;
  isLogin: boolean;
  /** Begins the message of a refusal. */
  at: string;
}

function refuseParts(brought: readonly Brought[], listed: readonly Listed[], place: Place): Refusal | null {
  for (const component of listed) {
    const type = typeOf(component);
    const refusal =
      type === "HEADER"
        ? refuseHeader(brought, component, place)
        : type === "BODY"
          ? refuseBody(brought, component, place)
          : type === "BUTTONS"
            ? refuseButtons(brought, component, place)
            : null;
    if (refusal !== null) return refusal;
  }
  return null;
}

function refuseHeader(brought: readonly Brought[], component: Listed, { at }: Place): Refusal | null {
  const format = String(component.format ?? "TEXT").toLowerCase();
  const parameters = find(brought, "header")?.parameters ?? [];
  if (format !== "text") {
    const given = parameters[0]?.type ?? "unknown";
    if (given === format) return null;
    const message = `${at}header: expected ${format.toUpperCase()}, received ${given.toUpperCase()}.`;
    return { code: FORMAT_DIFFERS, message };
  }
  const text = String(component.text ?? "");
  return refuseCount(text, parameters, `${at}header`) ?? refuseLength(text, parameters, `${at}header`, HEADER_MAX);
}

function refuseBody(brought: readonly Brought[], component: Listed, { at, bodyMax, isLogin }: Place): Refusal | null {
  const parameters = find(brought, "body")?.parameters ?? [];
  // Meta has the words of a login code itself.
  const text = typeof component.text === "string" ? component.text : isLogin ? "{{1}}" : "";
  return refuseCount(text, parameters, `${at}body`) ?? refuseLength(text, parameters, `${at}body`, bodyMax);
}

function refuseButtons(brought: readonly Brought[], { buttons }: Listed, place: Place): Refusal | null {
  for (const [index, button] of (Array.isArray(buttons) ? (buttons as JsonObject[]) : []).entries()) {
    const refusal = refuseButton(brought, button, index, place);
    if (refusal !== null) return refusal;
  }
  return null;
}

function refuseButton(brought: readonly Brought[], button: JsonObject, index: number, { at }: Place): Refusal | null {
  const type = String(button.type ?? "").toUpperCase();
  const url = String(button.url ?? "");
  const given = brought.find((one) => one.type === "button" && Number(one.index) === index);
  const takes = (type === "URL" && url.includes("{{")) || NEEDY.includes(type);
  if (given === undefined) {
    if (!takes) return null;
    return { code: PARAMETER_MISSING, message: `${at}Button at index ${index} of type ${type} requires a parameter.` };
  }
  if (given.sub_type?.toLowerCase() !== SUB_TYPES[type] || (type === "URL" && !takes)) {
    const message = `${at}Button at index ${index} takes no ${given.sub_type} parameter: it is of type ${type}.`;
    return { code: FORMAT_DIFFERS, message };
  }
  const address = url.replace(/\{\{[^{}]*\}\}/, () => given.parameters?.[0]?.text ?? "");
  return type === "URL" && isLonger(address, URL_MAX)
    ? tooLong(FILLED_TOO_LONG, `${at}address of button ${index}`, URL_MAX)
    : null;
}

/** Buttons that Meta refuses to send without a parameter. */
const NEEDY: readonly string[] = ["COPY_CODE", "FLOW", "MPM", "ORDER_DETAILS", "OTP"];

const SUB_TYPES: Readonly<Record<string, string>> = {
  URL: "url",
  OTP: "url",
  COPY_CODE: "copy_code",
  QUICK_REPLY: "quick_reply",
  FLOW: "flow",
  CATALOG: "catalog",
  MPM: "mpm",
  ORDER_DETAILS: "order_details",
};

function refuseOffer(brought: readonly Brought[], listed: readonly Listed[]): Refusal | null {
  const offer = listed.find((one) => typeOf(one) === "LIMITED_TIME_OFFER")?.limited_time_offer as
    | JsonObject
    | undefined;
  const isGiven = find(brought, "limited_time_offer") !== undefined;
  if (offer !== undefined && offer.has_expiration !== false && !isGiven) {
    return { code: PARAMETER_MISSING, message: "The limited-time offer needs its expiration time." };
  }
  if (isGiven && offer === undefined) {
    return { code: FORMAT_DIFFERS, message: "The template has no limited-time offer." };
  }
  return null;
}

function refuseCards(brought: readonly Brought[], listed: readonly Listed[]): Refusal | null {
  const approved = listed.find((one) => typeOf(one) === "CAROUSEL")?.cards as { components: Listed[] }[] | undefined;
  const given = find(brought, "carousel")?.cards;
  if (approved === undefined) {
    return given === undefined ? null : { code: FORMAT_DIFFERS, message: "The template is no carousel." };
  }
  const first = approved[0]?.components.find((one) => typeOf(one) === "HEADER");
  const isOpen = String(first?.format ?? "").toUpperCase() === "PRODUCT";
  if (given === undefined || (!isOpen && given.length !== approved.length)) {
    return { code: COUNT_DIFFERS, message: `The carousel has ${approved.length} cards.` };
  }
  for (const [index, { components }] of given.entries()) {
    const card = approved[index] ?? approved.at(-1);
    const place = { bodyMax: CARD_BODY_MAX, isLogin: false, at: `Card ${index}: ` };
    const refusal = refuseParts(components, card?.components ?? [], place);
    if (refusal !== null) return refusal;
  }
  return null;
}

function refuseCount(text: string, parameters: readonly Parameter[], part: string): Refusal | null {
  const names = new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((match) => match[1]));
  if (names.size === parameters.length) return null;
  const message = `${part}: number of localizable_params (${parameters.length}) does not match the expected number of params (${names.size}).`;
  return { code: COUNT_DIFFERS, message };
}

function refuseLength(text: string, parameters: readonly Parameter[], part: string, max: number): Refusal | null {
  const filled = text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => {
    const found = parameters.find((one) => one.parameter_name === name) ?? parameters[Number(name) - 1];
    return found?.text ?? whole;
  });
  return isLonger(filled, max) ? tooLong(FILLED_TOO_LONG, part, max) : null;
}

function find(brought: readonly Brought[], type: string): Brought | undefined {
  return brought.find((one) => one.type === type);
}

function typeOf({ type }: Listed): string {
  return type.toUpperCase();
}
