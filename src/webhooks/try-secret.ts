/** Asks a receiver whether it accepts events that an old and a new secret have signed. */
import type { AttemptResult } from "#src/domain/webhooks/attempt.ts";
import { beginTrial, recordTrial, type SecretTrial } from "#src/domain/webhooks/secret-overlap.ts";
import { type DeliveryOptions, postSigned, toResult } from "./deliver.ts";

interface TriedSecret {
  trial: SecretTrial;
  deliveryId: number;
  result: AttemptResult;
}

export type TrialOptions = Pick<DeliveryOptions, "store" | "clock" | "realClock" | "box" | "poster">;

/** Makes one attempt and records it. The new secret is stored nowhere: the caller adopts it if the receiver accepted. */
export async function trySecret(options: TrialOptions, workspaceId: number, id: number): Promise<TriedSecret> {
  const { store, clock, box } = options;
  const trial = await store.write((tx) => beginTrial(tx, box, workspaceId, id));
  const attemptedAt = clock.now();
  const result = toResult(trial.url, attemptedAt, await postSigned(options, trial, trial.secrets));
  const deliveryId = await store.write((tx) => recordTrial(tx, trial, result));
  return { trial, deliveryId, result };
}

/** Why the secret stays as it is, for a person. */
export function describeRefusal({ statusCode, error }: AttemptResult): string {
  const answer = statusCode === null ? `gave no answer (${error?.replace(/\.$/, "")})` : `answered ${statusCode}`;
  return `The receiver was sent an event that the old and the new secret have signed, and ${answer}. Nothing was changed.`;
}

export const MEANWHILE = "The address or its secret was changed meanwhile. Nothing was changed.";
export const ACCEPT_ANY =
  "Let the receiver accept the event if any v1 of the Service-Signature header fits its secret, then try again.";
