/**
 * Consent: the states, who moves them, and which move is legal. Pure. The one rule above all: whoever is opted out stays
 * so until the person says otherwise; nothing that our side does lifts it.
 */
export const consents = [
  /** Nobody said anything. Any opt-in or opt-out ends it. */
  "unknown",
  /** Recorded by a send, an API call, an import, a hand in the console, or START. Ended by any opt-out. */
  "opted_in",
  /** The person (or somebody on their word) refused. Ended by the person's START, or the network's own resume. */
  "opted_out",
] as const;

export type Consent = (typeof consents)[number];

/** `inbound_message`: the person's own word, or the network's control that the person pressed. */
export const consentSources = ["inbound_message", "manual", "bulk", "import", "api"] as const;
export type ConsentSource = (typeof consentSources)[number];

/** What a contact's row says about its consent. */
export interface ConsentState {
  consent: Consent;
  consentSource: ConsentSource | null;
  /** When we recorded it, milliseconds. */
  consentAt: number | null;
  /** The network's times of the latest STOP and START, also of those that changed nothing. */
  stopSaidAt: number | null;
  startSaidAt: number | null;
}

export type ConsentMove =
  /** Somebody other than the person: an API call, a send, an import, a hand. */
  | { kind: "opt_in" }
  | { kind: "opt_out" }
  /** The person wrote it; `saidAt` is the network's time. */
  | { kind: "stop"; saidAt: number }
  | { kind: "start"; saidAt: number };

/** The state after the move, or null when it stays as it is (what was said is remembered all the same). */
export function decideConsent(state: ConsentState, move: ConsentMove): Consent | null {
  switch (move.kind) {
    case "opt_in":
      return state.consent === "unknown" ? "opted_in" : null;
    case "opt_out":
      return state.consent === "opted_out" ? null : "opted_out";
    case "stop":
      // A STOP beats whatever others recorded; of the person's own words the later one wins, at equality STOP.
      if (state.consent === "opted_out" || (state.startSaidAt ?? -1) > move.saidAt) return null;
      return "opted_out";
    case "start":
      return startLifts(state, move.saidAt) ? "opted_in" : null;
  }
}

/** The latest words after a move. */
export function latestCommandTimes(
  state: ConsentState,
  move: ConsentMove,
): Pick<ConsentState, "stopSaidAt" | "startSaidAt"> {
  const { stopSaidAt, startSaidAt } = state;
  if (move.kind === "stop") return { stopSaidAt: Math.max(stopSaidAt ?? 0, move.saidAt), startSaidAt };
  if (move.kind === "start") return { stopSaidAt, startSaidAt: Math.max(startSaidAt ?? 0, move.saidAt) };
  return { stopSaidAt, startSaidAt };
}

function startLifts(state: ConsentState, saidAt: number): boolean {
  if (state.consent !== "opted_out" || (state.stopSaidAt ?? -1) >= saidAt) return false;
  // An opt-out that others recorded: both times cut to whole seconds, for the network knows no finer ones.
  return state.consentSource === "inbound_message" || seconds(saidAt) >= seconds(state.consentAt ?? 0);
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
