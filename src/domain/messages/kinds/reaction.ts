/** An emoji on a message. A later reaction of ours to the same message replaces it, and an empty one takes it away. Pure. */
import { type Static, Type } from "@sinclair/typebox";
import { MessageReference, NamedMessage, readReference } from "../reference.ts";
import { addFault } from "./check.ts";
import type { RequestedKind } from "./kind.ts";

/** More than any emoji has. */
const EMOJI_LENGTH_MAX = 64;

const emoji = Type.String({
  maxLength: EMOJI_LENGTH_MAX,
  description: "One emoji. Empty: takes the earlier reaction away.",
  examples: ["👍"],
});
const strict = { additionalProperties: false };
const Reaction = Type.Object(
  { emoji, to: MessageReference },
  { $id: "Reaction", ...strict, description: "A reaction to a message. It replaces an earlier one." },
);

export const KeptReaction = Type.Object(
  { reaction: Type.Object({ emoji: Type.String(), to: NamedMessage }) },
  { $id: "ReactionContent", description: "The reaction that was sent." },
);

export interface ReactionContent {
  type: "reaction";
  reaction: Static<typeof Reaction>;
}

export const reaction = {
  typeOf: () => "reaction",
  textOf: ({ reaction }) => reaction.emoji,
  keptOf: ({ reaction }) => ({ reaction }),
  form: {
    $id: "SendReaction",
    description: "Reacts to a message, within 24 hours of the recipient's last message.",
    members: { reaction: Reaction },
  },
  fitted: () => fitted,
  read(body, fields) {
    const { reaction: given } = body as { reaction: { emoji: string; to: unknown } };
    const to = readReference(given.to, "reaction.to", fields);
    if (given.emoji !== "" && !isOneEmoji(given.emoji)) {
      addFault(fields, "reaction.emoji", { rule: "format", sentence: "This has to be one emoji, or an empty text." });
    }
    return { type: "reaction", reaction: { emoji: given.emoji, to: to ?? { message: 0 } } };
  },
} as const satisfies RequestedKind<ReactionContent, Static<typeof KeptReaction>>;

/** The reference is read by hand, for better sentences. */
const fitted = Type.Object({ emoji, to: Type.Unknown() }, strict);

const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;

function isOneEmoji(text: string): boolean {
  return EMOJI.test(text) && [...new Intl.Segmenter().segment(text)].length === 1;
}
