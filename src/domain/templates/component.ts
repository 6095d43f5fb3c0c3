/** The parts of a template as the network lists them. Pure. */

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
  components: Readonly<Record<string, unknown>>[];
  message_send_ttl_seconds?: number;
}
