/** The connector's settings: the interface's URL, how requests are addressed, and files uploaded before. */

export interface WhatsappSettings {
  /** `https://graph.facebook.com`, or the provider's URL. */
  graphUrl: string;
  /** `v25.0`. Always set, because Meta serves a path without a version with a version of its choice. */
  apiVersion: string;
  /** `Authorization` and `Bearer `; for 360dialog `D360-API-KEY` and an empty prefix. */
  authHeader: string;
  authPrefix: string;
  /** `graph`: `/{apiVersion}/{phoneNumberId}/messages`; `bare`: `/messages`. */
  pathStyle: "graph" | "bare";
  /** The app's secret, for numbers without their own. */
  appSecret?: string | null;
  /** The app and its configuration with which owners sign up at Meta. Null or absent: they enter a token. */
  appId?: string | null;
  signupConfigId?: string | null;
  /** `https://www.facebook.com`, without a slash at its end. */
  dialogUrl?: string;
  /** What the endpoint for marketing does with a message that it cannot optimize. Absent: it sends it all the same. */
  marketingPolicy?: "fallback" | "strict";
  /** Whether marketing messages share what people do with them. Absent, or `default`: as the account is set. */
  activitySharing?: "default" | "on" | "off";
}

/** Files already uploaded to Meta, found by their link. An id is valid for one number only. */
export interface Uploads {
  findMediaId(phoneNumberId: string, link: string): string | null;
  /** Meta refused the content of a message with this file's id: the id may have become invalid. */
  invalidate(phoneNumberId: string, link: string): void;
}
