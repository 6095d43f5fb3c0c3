/** A template of the network's library as the components of the template that is made of it. Pure. */
import { isLoose, type LibraryEntry, listIn, textIn } from "./candidate.ts";

/** The template of the network's library that a new one is made of, with what its buttons and its body take. */
export interface SubmittedLibrary {
  name: string;
  buttons?: readonly Readonly<Record<string, unknown>>[];
  body?: Readonly<Record<string, unknown>>;
}

type Component = Readonly<Record<string, unknown>>;

/** `given`: one that breaks no rule. */
export function libraryOf(given: Readonly<Record<string, unknown>>): SubmittedLibrary {
  const buttons = listIn(given, "buttons").filter(isLoose);
  return {
    name: textIn(given, "name"),
    ...(buttons.length === 0 ? {} : { buttons }),
    ...(isLoose(given.body) ? { body: given.body } : {}),
  };
}

/** With samples of the values, as a request that writes the words itself has them. */
export function componentsFrom(
  entry: LibraryEntry,
  { buttons: inputs = [], body = {} }: SubmittedLibrary,
): Component[] {
  const { header, body: text, bodyValues, buttons } = entry;
  const minutes = body.code_expiration_minutes;
  return [
    ...(header === null ? [] : [{ type: "HEADER", format: "TEXT", text: header }]),
    {
      ...{ type: "BODY", text },
      ...(bodyValues.length === 0 ? {} : { example: { body_text: [bodyValues] } }),
      ...(body.add_security_recommendation === true ? { add_security_recommendation: true } : {}),
    },
    ...(typeof minutes === "number" ? [{ type: "FOOTER", code_expiration_minutes: minutes }] : []),
    ...(buttons.length === 0
      ? []
      : [{ type: "BUTTONS", buttons: buttons.map((one, index) => filled(one, inputs[index])) }]),
  ];
}

function filled({ type, text, url, phoneNumber }: LibraryEntry["buttons"][number], input: Component = {}): Component {
  const given = isLoose(input.url) ? input.url : {};
  const base = textIn(given, "base_url") || (url ?? "");
  const sample = textIn(given, "url_suffix_example");
  switch (type) {
    case "URL":
      return { type, text, url: base, ...(sample === "" ? {} : { example: [sample] }) };
    case "PHONE_NUMBER":
      return { type, text, phone_number: textIn(input, "phone_number") || (phoneNumber ?? "") };
    case "OTP": {
      const { type: _, ...code } = input;
      return { type, text, ...code };
    }
    default:
      return { type, text };
  }
}
