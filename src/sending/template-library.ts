/** Asks the network for templates of its own library, in the account of a number. Nothing of it is stored. */
import { Problem } from "#src/core/problem.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import type { LibraryEntry } from "#src/domain/templates/rules/candidate.ts";
import { senderOf } from "#src/networks/credentials.ts";
import type { RequestFailure, TemplatePort } from "#src/networks/network.ts";
import type { LibraryPage, LibraryQuery } from "#src/networks/template-request.ts";

/** The network may find a name within others, so others may stand before it. */
const NAMED_MAX = 100;

interface LibraryOptions {
  box: SecretBox;
  portOf: (network: SendingNumber["network"]) => Pick<TemplatePort, "listLibrary"> | undefined;
}

/** Throws `whatsapp_error` if the account may not use the library, `unavailable` if the network cannot be asked now. */
export async function listLibrary(
  { box, portOf }: LibraryOptions,
  number: SendingNumber,
  query: LibraryQuery,
): Promise<LibraryPage> {
  const port = portOf(number.network);
  if (port === undefined) throw new Error(`${number.network} takes no templates`);
  const answer = await port.listLibrary(senderOf(box, number), query);
  if (answer.ok) return answer.value;
  throw problemOf(answer.failure);
}

function problemOf({ kind, code, message }: RequestFailure): Problem {
  if (kind === "later") {
    return new Problem("unavailable", `WhatsApp's template library cannot be read now: ${message} Try again.`, {
      outcome: "not_sent",
    });
  }
  const says = `WhatsApp does not show its template library to this account: ${message} A template with components of your own needs no library.`;
  return new Problem("whatsapp_error", says, { whatsappCode: code, outcome: "not_sent", isKeyUnused: true });
}

/** The template of the library that a request names. Null: there is none; undefined: the request names none. */
export async function findLibraryEntry(
  options: LibraryOptions,
  number: SendingNumber,
  body: Readonly<Record<string, unknown>> | null,
): Promise<LibraryEntry | null | undefined> {
  const { library, language } = body ?? {};
  const name = typeof library === "object" && library !== null ? (library as { name?: unknown }).name : undefined;
  if (typeof name !== "string" || typeof language !== "string" || name === "" || language === "") return undefined;
  const named = { name: name.slice(0, 512), language: language.slice(0, 20), limit: NAMED_MAX };
  const { entries } = await listLibrary(options, number, named);
  return entries.find((one) => one.name === name && one.language === language) ?? null;
}
