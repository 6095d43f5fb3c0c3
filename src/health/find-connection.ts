/**
 * Finds what is wrong with the connection of a number, by the rules about it. Pure. Each problem is found once: after one
 * that explains the others (an expired token, a host that cannot be reached), no further one is named. The first one is
 * the cause, and its next step is the first to take.
 */
import type { ConnectionFacts } from "#src/domain/numbers/connection-facts.ts";
import { accessRules } from "./access-rules.ts";
import { adviceRules } from "./advice-rules.ts";
import { configurationRules, versionRules } from "./configuration-rules.ts";
import { type ConnectionInput, type Finding, findAll, findFirst } from "./connection-rule.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import { receivingRules } from "./receiving-rules.ts";
import { findSending } from "./sending-rules.ts";

/** In the order in which they are to be solved. */
export function findConnection(input: ConnectionInput): Finding[] {
  const [blocking] = findFirst({ ...configurationRules, ...accessRules }, input);
  const refused = findFirst(receivingRules, input);
  if (blocking !== undefined) return [blocking, ...refused.filter(isSeparate(blocking)), ...announced(input)];
  const found = [
    ...findSending(input),
    ...refused,
    ...findAll(adviceRules, input),
    ...announced(input),
    ...findAll(versionRules, input),
  ];
  return found.toSorted((one, other) => Number(one.level !== "problem") - Number(other.level !== "problem"));
}

/** Refused callbacks are known without asking the network; the app secret itself may be the cause already. */
function isSeparate(blocking: Finding) {
  return ({ isCritical }: Finding): boolean => isCritical === true && blocking.isCritical !== true;
}

/** What the network said on its own. */
function announced({ number, state, notices }: ConnectionInput): Finding[] {
  const command = `waxwing number ready ${number.id}`;
  const said = [...(state?.notice == null ? [] : [{ kind: "notice", says: state.notice }]), ...notices];
  return said.map(({ kind, says }) => ({
    kind: `announced_${kind.replaceAll(/[^\w]+/g, "_").toLowerCase()}`,
    level: "warning",
    check: "announcement",
    says: `${number.phone}: ${says}`,
    next: `read what WhatsApp says in its dashboard; ${command} removes this entry`,
    ...{ command, console: "Read what WhatsApp says in its dashboard." },
  }));
}

interface Entered {
  facts: ConnectionFacts;
  /** The owner gave an app secret. */
  hasSecret: boolean;
  settings: ConnectionSettings;
  now: number;
}

/** The checks that need no number: what the others find is mended at a later step. */
const ENTERED: readonly string[] = ["configuration", "network", "token", "app secret", "callback signature"];

/** What is wrong with a token and an app secret that an owner entered, before any number is known. */
export function findEntered({ facts, hasSecret, settings, now }: Entered): Finding[] {
  const findings = findConnection({
    number: {
      ...{ id: 0, phone: "this connection", provider: "graph", apiUrl: null, accountId: "", phoneNumberId: "" },
      ...{ appSecret: hasSecret ? "entered" : null, ready: true, unreadyBy: null, unreadyReason: null },
    },
    ...{ facts, settings, now, state: null, notices: [], refused: null, unsigned: null, hasPaymentMethod: null },
    ...{ marketing: null, directSend: null, isPaymentRefused: false, sharing: null, silentSince: null },
    refusedCode: null,
  });
  return findings.filter(({ level, check }) => level === "problem" && ENTERED.includes(check));
}
