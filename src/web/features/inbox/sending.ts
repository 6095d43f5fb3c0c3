/** What the answer to a send request means for the form that sent it. */
import { useQueryClient } from "@tanstack/react-query";
import { ApiError } from "../../data/api.ts";

/** The message was stored before it was refused, so the conversation shows it. */
export function isShownInConversation(error: unknown): boolean {
  return error instanceof ApiError && error.code === "whatsapp_error";
}

/** The outcome is known, so sending again is a new message. */
export function isAnswered(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 503 && error.status !== 500;
}

/** Refreshes the list and the conversation after sending. */
export function useRefresh(workspaceId: number, contactId: number): () => Promise<unknown> {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ["conversation", workspaceId, String(contactId)] }),
      client.invalidateQueries({ queryKey: ["conversations", workspaceId] }),
    ]);
}
