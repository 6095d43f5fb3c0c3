/** The simulator, as the server's JSON has it. */
import type { Consent } from "../contacts/contact-view.ts";
import type { ConversationItem } from "../messages/message-view.ts";

export interface SimulatedNumber {
  id: number;
  phone: string;
  name: string;
  ready: boolean;
  unready_reason: string | null;
}

export interface Phone {
  phone: string;
  name: string | null;
  consent: Consent;
  last: ConversationItem;
}

export interface SimulatorState {
  numbers: SimulatedNumber[];
  phones: Phone[];
}
