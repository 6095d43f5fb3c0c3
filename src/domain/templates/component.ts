/** The parts of a template as the network lists them. Pure. */
import type { SubmittedLibrary } from "./rules/library-content.ts";

/** One entry of the network's `components`, unchanged, including unknown members. */
export interface TemplateComponent {
  type: string;
  [member: string]: unknown;
}

/** A text with its placeholders, in the order of their values. */
export interface PlaceholderText {
  text: string;
  placeholders: string[];
}

/** What is submitted to the network, in its format. */
export interface SubmittedRequest {
  name: string;
  language: string;
  category: string;
  parameter_format?: string;
  /** Of a template of the library: as the library shows it. They do not leave. */
  components: Readonly<Record<string, unknown>>[];
  library?: SubmittedLibrary;
  message_send_ttl_seconds?: number;
}
