/** What is wrong with a token and an app secret that an owner entered, before any number is known. Pure. */
import type { ConnectionFacts } from "#src/domain/numbers/connection-facts.ts";
import { findIssues } from "./connection-issues.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { Issue } from "./issue.ts";

interface Entered {
  facts: ConnectionFacts;
  /** The owner gave an app secret. */
  hasSecret: boolean;
  settings: ConnectionSettings;
  now: number;
}

/** The checks that need no number: what the others find is mended at a later step. */
const CHECKS: readonly string[] = ["configuration", "network", "token", "app secret", "callback signature"];

export function enteredIssues({ facts, hasSecret, settings, now }: Entered): Issue[] {
  const issues = findIssues({
    number: {
      ...{ id: 0, phone: "this connection", provider: "graph", apiUrl: null, accountId: "", phoneNumberId: "" },
      ...{ appSecret: hasSecret ? "entered" : null, ready: true, unreadyBy: null, unreadyReason: null },
    },
    ...{ facts, settings, now },
    ...{
      state: null,
      notices: [],
      refused: null,
      unsigned: null,
      hasPaymentMethod: null,
      marketing: null,
      directSend: null,
      isPaymentRefused: false,
    },
    ...{ sharing: null, silentSince: null },
    refusedCode: null,
  });
  return issues.filter(({ level, check }) => level === "problem" && CHECKS.includes(check));
}
