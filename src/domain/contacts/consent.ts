/**
 * Consent: the states, the moves between them, and which moves are legal. Pure. An opted-out person stays opted out
 * until that person lifts it; nothing that the customer does lifts it.
 */
export const consents = [
  /** Neither opt-in nor opt-out is known. Any opt-in or opt-out ends it. */
  "unknown",
  /** Recorded by a send, an API call, an import, the console, or START. Any opt-out ends it. */
  "opted_in",
  /**
   * The person refused, or the customer recorded a refusal. Ended by the person's START, or by the network's resume.
   */
  "opted_out",
] as const;

export type Consent = (typeof consents)[number];

/** `inbound_message`: the person wrote STOP or START, or used the network's marketing control. */
export const consentSources = ["inbound_message", "manual", "bulk", "import", "api"] as const;
export type ConsentSource = (typeof consentSources)[number];

/** The consent columns of a contact. */
export interface ConsentState {
  consent: Consent;
  consentSource: ConsentSource | null;
  /** When it was recorded, in milliseconds. */
  consentAt: number | null;
  /** The network's times of the latest STOP and START, including those that changed nothing. */
  stopSaidAt: number | null;
  startSaidAt: number | null;
  /** Since when the person may want to stop; while that lasts, only a stated opt-in is recorded. */
  mayWantToStopSince: number | null;
  mayWantToStopSaidAt: number | null;
}

export type ConsentMove =
  /**
   * Not recorded by the person: an API call, a send, an import, the console. `isStated`: the caller says that the person
   * agreed, so it is recorded while there is a doubt too, and the doubt stays.
   */
  | { kind: "opt_in"; isStated?: true }
  | { kind: "opt_out" }
  /** The person wrote it; `saidAt` is the network's time. */
  | { kind: "stop"; saidAt: number }
  | { kind: "start"; saidAt: number };

/**
 * Returns the state after the move, or null if it does not change. `latestCommandTimes` records the time either way.
 */
export function decideConsent(state: ConsentState, move: ConsentMove): Consent | null {
  switch (move.kind) {
    case "opt_in":
      if (state.consent !== "unknown") return null;
      return state.mayWantToStopSince === null || move.isStated === true ? "opted_in" : null;
    case "opt_out":
      return state.consent === "opted_out" ? null : "opted_out";
    case "stop":
      // A STOP overrides whatever the customer recorded. Between STOP and START the later one wins; STOP wins a tie.
      if (state.consent === "opted_out" || (state.startSaidAt ?? -1) > move.saidAt) return null;
      return "opted_out";
    case "start":
      return startLifts(state, move.saidAt) ? "opted_in" : null;
  }
}

/** The times of the latest STOP and START after the move. */
export function latestCommandTimes(
  state: ConsentState,
  move: ConsentMove,
): Pick<ConsentState, "stopSaidAt" | "startSaidAt"> {
  const { stopSaidAt, startSaidAt } = state;
  if (move.kind === "stop") return { stopSaidAt: Math.max(stopSaidAt ?? 0, move.saidAt), startSaidAt };
  if (move.kind === "start") return { stopSaidAt, startSaidAt: Math.max(startSaidAt ?? 0, move.saidAt) };
  return { stopSaidAt, startSaidAt };
}

/**
 * Since when the person may want to stop, after the move and the consent that it led to. An opt-out settles the doubt.
 * START ends it, but not a doubt that the person raised later.
 */
export function doubtAfter(state: ConsentState, move: ConsentMove, consent: Consent): number | null {
  const { mayWantToStopSince: since, mayWantToStopSaidAt: saidAt } = state;
  if (consent === "opted_out") return null;
  if (move.kind !== "start") return since;
  return saidAt !== null && saidAt >= move.saidAt ? (since ?? saidAt) : null;
}

function startLifts(state: ConsentState, saidAt: number): boolean {
  if (state.consent !== "opted_out" || (state.stopSaidAt ?? -1) >= saidAt) return false;
  // For an opt-out recorded by the customer, compare whole seconds: the network's times have no finer resolution.
  return state.consentSource === "inbound_message" || seconds(saidAt) >= seconds(state.consentAt ?? 0);
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
