/**
 * The life of a medium: a picture, video, voice message, sticker or document that a person sent. The network keeps it for
 * a few days, so a job fetches it at once and tries again until the network no longer has it.
 */
export const mediaStates = ["pending", "stored", "failed", "expired", "erased"] as const;
export type MediaState = (typeof mediaStates)[number];

/**
 * - `pending`: the inbound arrived and a job will fetch the file. The job ends the state.
 * - `stored`: the file is on disk. Retention or an erasure ends the state.
 * - `failed`: the file cannot be had; `media.failed` said why.
 * - `expired`: the file was deleted because its retention is over.
 * - `erased`: the person was erased, and everything that the row said about the file with them. Final.
 */
const moves: Readonly<Record<MediaState, readonly MediaState[]>> = {
  pending: ["stored", "failed", "erased"],
  stored: ["expired", "erased"],
  failed: ["erased"],
  expired: ["erased"],
  erased: [],
};

/** The states from which a medium may enter this one: the condition of every statement that changes the state. */
export function sourcesOf(state: MediaState): MediaState[] {
  return mediaStates.filter((from) => moves[from].includes(state));
}

export const failureReasons = [
  /** Larger than this server accepts. */
  "too_large",
  /** The network no longer has it, or never had it. */
  "not_found",
  /** The network gave it neither at once nor later, until it no longer had it. */
  "unavailable",
  /** There was no room for it until the network no longer had it. */
  "no_room",
  /** The number was removed before the file was fetched. */
  "number_removed",
] as const;
export type FailureReason = (typeof failureReasons)[number];

/** How long the network keeps a file that a person sent. */
export const NETWORK_KEEPS_MS = 7 * 24 * 60 * 60_000;
/** How long a link works. */
export const LINK_LIFE_MS = 7 * 24 * 60 * 60_000;
/** Waiting for room: how often it is tried again. */
export const ROOM_RETRY_MS = 10 * 60_000;

const FIRST_RETRY_MS = 2_000;
const RETRY_MAX_MS = 60 * 60_000;
const RETRY_FACTOR = 3;

/** The wait before the next attempt. `hintMs`: what the network asked for. `fraction`: random, from 0 to 1. */
export function retryDelay(attemptCount: number, hintMs: number | null, fraction: number): number {
  const delayMs = Math.min(FIRST_RETRY_MS * RETRY_FACTOR ** Math.min(attemptCount, 20), RETRY_MAX_MS);
  return Math.max(Math.round(delayMs * (0.9 + 0.2 * fraction)), Math.min(hintMs ?? 0, RETRY_MAX_MS));
}

/** How much of the quota is kept free for workspaces that use less than their share of it. */
const SHARED_FRACTION = 0.8;

export interface Usage {
  /** Bytes of all workspaces, with those that are being fetched. */
  total: number;
  /** Bytes of the workspace, with those that are being fetched. */
  workspace: number;
  workspaceCount: number;
}

/**
 * Whether `bytes` more fit. A workspace within its share of the quota (the quota divided by the number of workspaces) may
 * use all that is free; one beyond it leaves a fifth of the quota to the others.
 */
export function hasRoom(bytes: number, quotaBytes: number, { total, workspace, workspaceCount }: Usage): boolean {
  const isWithinShare = workspace + bytes <= quotaBytes / Math.max(1, workspaceCount);
  return total + bytes <= (isWithinShare ? quotaBytes : quotaBytes * SHARED_FRACTION);
}
