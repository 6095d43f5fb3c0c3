/** The part of a text around what was found, in pieces: those that match are marked. */
import type { Static } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import { findPhrases, type Phrase } from "./words.ts";

export const SnippetPiece = Type.Object({
  text: Type.String(),
  match: Type.Boolean({ description: "Whether the piece is one of the words that were searched for." }),
});
type Snippet = Static<typeof SnippetPiece>[];

const BEFORE = 60;
const LENGTH = 200;

/** Cut pieces begin or end with `…`. Empty for a text without any of the words. */
export function snippetOf(text: string, phrases: readonly Phrase[]): Snippet {
  const found = findPhrases(text, phrases);
  const first = found[0];
  if (first === undefined) return [];
  const from = whole(text, Math.max(0, first[0] - BEFORE));
  const to = whole(text, Math.min(text.length, Math.max(from + LENGTH, first[1])));
  const pieces: Snippet = [];
  let at = from;
  for (const [start, end] of found) {
    if (end > to) break;
    pieces.push({ text: text.slice(at, start), match: false }, { text: text.slice(start, end), match: true });
    at = end;
  }
  pieces.push({ text: text.slice(at, to), match: false });
  if (from > 0) pieces.unshift({ text: "…", match: false });
  if (to < text.length) pieces.push({ text: "…", match: false });
  return pieces.filter((piece) => piece.text !== "");
}

/** Not between the two halves of one character. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}
