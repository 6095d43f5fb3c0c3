/** A group, as the JSON of the API and the console has it. */
import type { Consent } from "../contacts/contact-view.ts";

export interface Group {
  id: number;
  name: string;
  type: "static" | "dynamic";
  count: number;
}

export interface SamplePerson {
  phone: string;
  name: string | null;
  consent: Consent;
}

export interface GroupDetail extends Group {
  filter: unknown;
  created_at: string;
  sample: SamplePerson[];
  /** Why the filter is no longer valid; null if it is. */
  filter_error: string | null;
}
