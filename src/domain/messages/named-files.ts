/** The uploads that a request names for a template: at its top, and on the cards of a carousel. */
import type { FieldProblems } from "#src/core/fault.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findNamedUpload } from "../media/send-upload.ts";
import type { HeaderFile } from "./header-file.ts";
import type { TemplateParts } from "./template-parts.ts";

interface NamingFiles {
  media: HeaderFile | null;
  parts?: TemplateParts;
}

/** Whether any file goes by the id of an upload. */
export function namesUploads({ media, parts }: NamingFiles): boolean {
  return [media, ...(parts?.cards ?? []).map((card) => card.media)].some((file) => file?.id !== undefined);
}

/** The same with what each upload is. Reports an id that is unknown, by its path. */
export function findFiles<Input extends NamingFiles>(
  tx: ReadTx,
  workspaceId: number,
  input: Input,
  fields: FieldProblems,
): Input {
  if (!namesUploads(input)) return input;
  const find = (file: HeaderFile | null, path: string): HeaderFile | null => {
    const found = findNamedUpload(tx, workspaceId, file?.id, `${path}.id`, fields);
    return file === null || found === null ? file : { ...file, upload: found.named };
  };
  const media = find(input.media, "media");
  const { parts } = input;
  if (parts?.cards === undefined) return { ...input, media };
  const cards = parts.cards.map((card, index) => ({ ...card, media: find(card.media, `cards.${index}.media`) }));
  return { ...input, media, parts: { ...parts, cards } };
}
