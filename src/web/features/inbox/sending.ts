/** What an answer to a message that was sent means for the form that sent it. */
import { useQueryClient } from "@tanstack/react-query";
import { ApiError } from "../../data/api.ts";

/** The message was stored before it was refused. */
export function isShownInConversation(error: unknown): boolean {
  return error instanceof ApiError && error.code === "whatsapp_error";
}

/** It is known what became of it: the same again would be another message. */
export function isAnswered(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 503 && error.status !== 500;
}

/** Shows in the list and in the conversation what was sent. */
export function useRefresh(workspaceId: number, contactId: number): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ["conversation", workspaceId, String(contactId)] }),
      client.invalidateQueries({ queryKey: ["conversations", workspaceId] }),
    ]);
}
