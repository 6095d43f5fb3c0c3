/** An emoji on a message. Pure. */
import type { ReactionContent } from "#src/domain/messages/kinds/reaction.ts";
import type { NetworkKind } from "./kind.ts";

export const reaction: NetworkKind<ReactionContent> = {
  payload: ({ reaction: { emoji } }, { about }) => ({ type: "reaction", reaction: { message_id: about, emoji } }),
  namesAbout: true,
};
