/** The URL and headers of every request to Meta, or to a provider with the same interface. */
import type { Sender } from "../network.ts";
import type { WhatsappSettings } from "./settings.ts";

/**
 * `/v23.0/<owner>/<edge>`. 360dialog and similar providers derive number and account from the key, and have neither
 * version nor owner in the path.
 */
export function urlOf(settings: WhatsappSettings, owner: string, edge: string): string {
  const base = settings.graphUrl.replace(/\/+$/, "");
  if (settings.pathStyle === "bare") return `${base}/${edge}`;
  const path = [settings.apiVersion, owner].map(encodeURIComponent).join("/");
  return edge === "" ? `${base}/${path}` : `${base}/${path}/${edge}`;
}

/** Null without a token, or if the token cannot be part of a header (a line break, a letter beyond Latin-1). */
export function findHeaders(settings: WhatsappSettings, accessToken: Sender["accessToken"]): Headers | null {
  if (accessToken === null || accessToken.trim() === "") return null;
  try {
    return new Headers({ [settings.authHeader]: settings.authPrefix + accessToken });
  } catch {
    return null;
  }
}
