import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Consent,
  type ConsentMove,
  type ConsentState,
  consents,
  decideConsent,
} from "#src/domain/contacts/consent.ts";

const T = Date.parse("2026-11-21T08:00:00Z");

/** `saidAt`: when the contact's own STOP or START was written; null if others recorded the consent. */
function state(consent: Consent, saidAt: number | null, recordedAt: number | null = T): ConsentState {
  const bySaying = saidAt === null ? "api" : "inbound_message";
  return {
    consent,
    consentSource: consent === "unknown" ? null : bySaying,
    consentAt: recordedAt,
    stopSaidAt: consent === "opted_out" ? saidAt : null,
    startSaidAt: consent === "opted_in" ? saidAt : null,
    mayWantToStopSince: null,
    mayWantToStopSaidAt: null,
  };
}

const table: [name: string, from: ConsentState, move: ConsentMove, to: Consent | null][] = [
  ["our side opts in a person who said nothing", state("unknown", null), { kind: "opt_in" }, "opted_in"],
  [
    "our side never opts in a person who may want to stop",
    { ...state("unknown", null), mayWantToStopSince: T, mayWantToStopSaidAt: T },
    { kind: "opt_in" },
    null,
  ],
  ["our side opts in once more", state("opted_in", null), { kind: "opt_in" }, null],
  ["our side never lifts an opt-out", state("opted_out", null), { kind: "opt_in" }, null],
  ["our side never lifts a STOP", state("opted_out", T), { kind: "opt_in" }, null],
  ["our side opts out a person who said nothing", state("unknown", null), { kind: "opt_out" }, "opted_out"],
  ["our side opts out who had opted in", state("opted_in", null), { kind: "opt_out" }, "opted_out"],
  ["our side opts out who had written START", state("opted_in", T), { kind: "opt_out" }, "opted_out"],
  ["opting out twice changes nothing", state("opted_out", null), { kind: "opt_out" }, null],
  ["STOP from a stranger", state("unknown", null), { kind: "stop", saidAt: T }, "opted_out"],
  [
    "STOP beats an opt-in by others, however old it is",
    state("opted_in", null),
    { kind: "stop", saidAt: 0 },
    "opted_out",
  ],
  ["STOP later than START", state("opted_in", T), { kind: "stop", saidAt: T + 1_000 }, "opted_out"],
  ["STOP at the time of START", state("opted_in", T), { kind: "stop", saidAt: T }, "opted_out"],
  ["STOP older than START", state("opted_in", T), { kind: "stop", saidAt: T - 1_000 }, null],
  ["START from a stranger changes nothing", state("unknown", null), { kind: "start", saidAt: T }, null],
  ["START from who had opted in changes nothing", state("opted_in", null), { kind: "start", saidAt: T }, null],
  ["START later than STOP", state("opted_out", T), { kind: "start", saidAt: T + 1_000 }, "opted_in"],
  ["START at the time of STOP", state("opted_out", T), { kind: "start", saidAt: T }, null],
  ["START older than STOP", state("opted_out", T), { kind: "start", saidAt: T - 1_000 }, null],
  [
    "START later than an opt-out by others",
    state("opted_out", null, T),
    { kind: "start", saidAt: T + 1_000 },
    "opted_in",
  ],
  [
    "START in the second of an opt-out by others",
    state("opted_out", null, T + 999),
    { kind: "start", saidAt: T },
    "opted_in",
  ],
  ["START older than an opt-out by others", state("opted_out", null, T + 1_000), { kind: "start", saidAt: T }, null],
];

for (const [name, from, move, to] of table) {
  test(`${name}: ${to ?? "nothing changes"}`, () => {
    expect(decideConsent(from, move)).toBe(to);
  });
}

test("no sequence of changes without a START ends an opt-out", () => {
  const move = fc.oneof(
    fc.constant<ConsentMove>({ kind: "opt_in" }),
    fc.constant<ConsentMove>({ kind: "opt_out" }),
    fc.nat().map((saidAt): ConsentMove => ({ kind: "stop", saidAt })),
  );
  const from = fc.record({
    consent: fc.constantFrom(...consents),
    consentSource: fc.constant("api" as const),
    consentAt: fc.nat(),
    stopSaidAt: fc.option(fc.nat()),
    startSaidAt: fc.option(fc.nat()),
    mayWantToStopSince: fc.option(fc.nat()),
    mayWantToStopSaidAt: fc.option(fc.nat()),
  });
  fc.assert(
    fc.property(from, move, (before, one) => {
      if (before.consent === "opted_out") expect(decideConsent(before, one)).toBeNull();
    }),
  );
});
