/** A group as the API and the console's routes show it. */
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
  /** Why its filter can no longer be read. */
  filter_error: string | null;
}
