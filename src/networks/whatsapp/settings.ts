/** What the connector is given: where the interface is, how requests are addressed, and files that were uploaded before. */

export interface WhatsappSettings {
  /** `https://graph.facebook.com`, or the provider's own. */
  graphUrl: string;
  /** `v23.0`; always named, for a path without one is served by whatever version Meta thinks right. */
  apiVersion: string;
  /** `Authorization` and `Bearer `; at 360dialog `D360-API-KEY` and nothing. */
  authHeader: string;
  authPrefix: string;
  /** `graph`: `/{apiVersion}/{phoneNumberId}/messages`; `bare`: `/messages`. */
  pathStyle: "graph" | "bare";
}

/** Files that lie at Meta already, found by their link: their ids belong to one number. */
export interface Uploads {
  findMediaId(phoneNumberId: string, link: string): string | null;
  /** A message with the file's id was refused for its content: the id may be no good any more. */
  invalidate(phoneNumberId: string, link: string): void;
}
