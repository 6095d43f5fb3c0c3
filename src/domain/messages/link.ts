/** Links to files that the network fetches when a message is sent: their schema, and what it cannot say. Pure. */
import { type TProperties, Type } from "@sinclair/typebox";
import type { FieldProblems } from "#src/core/fault.ts";
import { absent, inDocument, shownAs } from "#src/core/schema.ts";

const LINK_LENGTH_MAX = 2048;
const HTTPS_PATTERN = "^[Hh][Tt][Tt][Pp][Ss]://[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$";

export function Link(description: string, example: string) {
  const text = Type.String({ format: "uri", maxLength: LINK_LENGTH_MAX, description, examples: [example] });
  return inDocument(text, { pattern: HTTPS_PATTERN });
}

export function checkLink(fields: FieldProblems, path: string, link: string): void {
  if (fields[path] !== undefined) return;
  if (!/^https:\/\/[^\s\p{C}]+$/iu.test(link) || !URL.canParse(link)) {
    fields[path] = [{ rule: "format", sentence: "The link has to be a complete https address." }];
  }
}

const UploadId = Type.Integer({
  minimum: 1,
  description: "The id of an upload, as `POST /media` answers it.",
  examples: [1_000_000_042],
});

/**
 * A file by its link or by the id of an upload, exactly one of them; `more` are members of both. `$id`: of the whole, with
 * `ByLink` and `ById` of the two forms in the document.
 */
export function FileSource<More extends TProperties>(
  { $id, description }: { $id: string; description: string },
  link: ReturnType<typeof Link>,
  more: More,
) {
  const form = (own: TProperties, other: string, name: string) =>
    inDocument(Type.Object({ ...own, ...more }, { $id: name, additionalProperties: false, description }), {
      minProperties: 1,
      properties: { [other]: absent(`Not together with \`${Object.keys(own).join()}\`.`) },
    });
  const flat = Type.Object(
    { link: Type.Optional(link), id: Type.Optional(UploadId), ...more },
    { additionalProperties: false },
  );
  const forms = [form({ link }, "id", `${$id}ByLink`), form({ id: UploadId }, "link", `${$id}ById`)];
  return shownAs(flat, Type.Union(forms, { $id, description }));
}

/** A file goes by exactly one of the two. */
export function checkSource(fields: FieldProblems, { link, id }: { link?: string; id?: number }, at = "media"): void {
  if ((link === undefined) !== (id === undefined)) return;
  const sentence = "Give exactly one: link, or the id of an upload.";
  if (link === undefined) fields[`${at}.link`] ??= [{ rule: "required", sentence }];
  else for (const name of ["link", "id"]) fields[`${at}.${name}`] ??= [{ rule: "conflict", sentence }];
}

/** The last part of the link's path, as the phone shows it for a document without a name of its own. */
export function fileNameOf(link: string): string {
  const part =
    new URL(link).pathname
      .split("/")
      .filter((piece) => piece !== "")
      .at(-1) ?? "document.pdf";
  try {
    return decodeURIComponent(part);
  } catch {
    // A stray percent sign in the link is no reason to refuse the file.
    return part;
  }
}

/** In lower case; null if the link's path ends in none. */
export function extensionOf(link: string): string | null {
  return /\.([a-z0-9]{1,5})$/.exec(new URL(link).pathname.toLowerCase())?.[1] ?? null;
}
