/** Requests about templates, in Meta's format, and what comes of them. */
import type { LibraryEntry } from "#src/domain/templates/rules/candidate.ts";

export interface CorrectionRequest {
  category: string;
  components: readonly Readonly<Record<string, unknown>>[];
  message_send_ttl_seconds?: number;
}

export interface NewTemplateRequest extends CorrectionRequest {
  name: string;
  language: string;
  parameter_format?: string;
  /** The template of the network's library that it is made of: its own words, and not `components`, count. */
  library?: {
    name: string;
    buttons?: readonly Readonly<Record<string, unknown>>[];
    body?: Readonly<Record<string, unknown>>;
  };
}

/** The JSON of a new template, as it leaves. */
export function newTemplateJson({ library, ...request }: NewTemplateRequest): Record<string, unknown> {
  if (library === undefined) return { ...request };
  const { name, language, category } = request;
  return {
    ...{ name, language, category, library_template_name: library.name },
    ...(library.buttons === undefined ? {} : { library_template_button_inputs: library.buttons }),
    ...(library.body === undefined ? {} : { library_template_body_inputs: library.body }),
  };
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

/** What of the library is asked for: words, or the names that the network gives its topics, uses, industries. */
export interface LibraryQuery {
  search?: string;
  name?: string;
  language?: string;
  topic?: string;
  usecase?: string;
  industry?: string;
  /** At most 100. */
  limit: number;
  /** The cursor of the page before. */
  after?: string;
}

export interface LibraryPage {
  entries: LibraryEntry[];
  /** The cursor of the next page; null: this is the last one. */
  next: string | null;
}
