/** A template as the network sends it, for the simulator, which keeps no templates of its own. */
import type { ReadTx } from "#src/db/transaction.ts";
import { findByPhoneNumberId } from "../numbers/read.ts";
import { listLanguages } from "../templates/read.ts";
import { type FilledTexts, fillTexts } from "../templates/template.ts";
import { shapeOf } from "../templates/view.ts";
import type { Content, PlaceholderValue } from "./content.ts";

/** `phoneNumberId`: of the sending number. Null for a text, and if the number or the template no longer exists. */
export function readFilledTexts(tx: ReadTx, phoneNumberId: string, content: Content): FilledTexts | null {
  if (content.type !== "template") return null;
  const number = findByPhoneNumberId(tx, phoneNumberId);
  if (number === undefined) return null;
  const languages = listLanguages(tx, number.workspaceId, number.accountId, content.name);
  const template = languages.find(({ language }) => language === content.language);
  if (template === undefined) return null;
  const header = content.header?.type === "text" ? content.header.values : [];
  return fillTexts(shapeOf(template), header.map(textOf), content.body.map(textOf));
}

function textOf({ text }: PlaceholderValue): string {
  return text;
}
