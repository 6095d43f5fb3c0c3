/** Conversations, as the server's JSON has them. */
import type { Entry, Output } from "../../data/api.ts";

export type ConversationRow = Entry<"GET /w/{workspace}/inbox">;

export type Conversation = Output<"GET /w/{workspace}/inbox/{contact}">;
