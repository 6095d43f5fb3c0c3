/** Reads one template of Meta's library (`GET /message_template_library`). */
import type { LibraryEntry } from "#src/domain/templates/rules/candidate.ts";
import { asObject, idOf, type JsonObject, listOf, stringOf, textOf, writtenOf } from "./json.ts";

/** More than any template has. */
const ITEMS_MAX = 100;

/** Null for a row without a name, a language or words. */
export function readLibraryEntry(row: JsonObject): LibraryEntry | null {
  const name = textOf(row, "name");
  const language = textOf(row, "language");
  const body = writtenOf(row, "body");
  if (name === null || language === null || body === null) return null;
  return {
    ...{ id: idOf(row, "id") ?? "", name, language, body },
    category: (textOf(row, "category") ?? "UTILITY").toUpperCase(),
    topic: textOf(row, "topic"),
    useCase: textOf(row, "usecase"),
    industries: textsIn(row, "industry"),
    header: writtenOf(row, "header"),
    bodyValues: textsIn(row, "body_params"),
    bodyTypes: textsIn(row, "body_param_types"),
    buttons: listOf(row, "buttons").slice(0, ITEMS_MAX).map(readButton),
  };
}

function readButton(button: unknown): LibraryEntry["buttons"][number] {
  const given = asObject(button);
  return {
    type: (textOf(given, "type") ?? "").toUpperCase(),
    text: textOf(given, "text") ?? "",
    url: stringOf(given, "url")?.slice(0, 2_000) ?? null,
    phoneNumber: textOf(given, "phone_number"),
  };
}

/** A value that is not a text counts as an empty one, so that the others keep their places. */
function textsIn(row: JsonObject, member: string): string[] {
  return listOf(row, member)
    .slice(0, ITEMS_MAX)
    .map((one) => writtenOf({ one }, "one") ?? "");
}
