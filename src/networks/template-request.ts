/** Requests about templates, in Meta's format, and what comes of them. */

export interface CorrectionRequest {
  category: string;
  components: readonly Readonly<Record<string, unknown>>[];
  message_send_ttl_seconds?: number;
}

export interface NewTemplateRequest extends CorrectionRequest {
  name: string;
  language: string;
  parameter_format?: string;
}

export interface ReviewedTemplate {
  networkId: string | null;
  /** The network's own words, in capitals. */
  status: string;
  category: string;
}

/** What came of a request about a template. `at`: the network's own time, milliseconds; null if the answer had none. */
export type Submitted<T> =
  | { kind: "accepted"; value: T; at: number | null }
  /** `message`: in the network's own words, where it gave any. */
  | { kind: "refused"; code: string; message: string }
  /** Nothing was done; a later attempt may succeed. */
  | { kind: "later"; message: string; retryAfterMs: number | null }
  /** The network may have it. */
  | { kind: "unknown"; message: string };
