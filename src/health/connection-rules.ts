/** What may be wrong with the connection of a number to WhatsApp: see `connection-issues.ts`, which finds it. */
import type { Rule } from "./rule.ts";

export const connectionRules = {
  number_restricted: { severity: "critical", check: "connection", of: "ID", when: "WhatsApp restricts a number" },
  callbacks_refused: {
    severity: "critical",
    check: "connection",
    of: "ID",
    when: "callbacks of the last day have a wrong signature, and none was accepted since; or Meta does not accept the app secret",
  },
  connection: {
    severity: "either",
    check: "connection",
    of: "KIND",
    when: "what is wrong with the connection to WhatsApp, or of one number (`connection:KIND:ID`): see below",
  },
} as const satisfies Record<string, Rule>;
