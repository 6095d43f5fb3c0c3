/**
 * Uploads that arrive in pieces, in their order, so that a lost line costs one piece at most. What has arrived is on disk,
 * and what is known about it in memory: a restart of the server ends it, and its browser begins again. It is given up an hour after its last piece.
 */
import type { Clock } from "#src/core/clock.ts";
import { invalidRequest, notFound, Problem } from "#src/core/problem.ts";
import type { Random } from "#src/core/random.ts";
import type { StoredUpload, Uploader } from "#src/domain/media/record-upload.ts";
import type { Caller, FileSink, GivenFile, OpenUpload, Uploads } from "./uploads.ts";

const KEPT_MS = 60 * 60_000;
/** Of a workspace: each holds room. */
const UNFINISHED_MAX = 20;
const BUSY_RETRY_MS = 1_000;
const ID_BYTES = 12;

/** `bytes`: of the whole file. `offset`: how many have arrived. `stored`: null until all have. */
export interface PiecedUpload {
  id: string;
  bytes: number;
  offset: number;
  stored: StoredUpload | null;
  expiresAt: number;
}

interface Known extends Omit<PiecedUpload, "offset"> {
  workspaceId: number;
  by: Uploader;
  /** Null once all is stored. */
  open: OpenUpload | null;
  isBusy: boolean;
}

export class UploadPieces {
  readonly #uploads: Uploads;
  readonly #clock: Pick<Clock, "now">;
  readonly #random: Pick<Random, "bytes">;
  readonly #known = new Map<string, Known>();

  constructor({ uploads, clock, random }: { uploads: Uploads; clock: Pick<Clock, "now">; random: Random }) {
    this.#uploads = uploads;
    this.#clock = clock;
    this.#random = random;
  }

  /** Reserves room for all of it. Throws `invalid_request` and `rate_limited`. */
  async begin(caller: Caller, bytes: number, given: GivenFile): Promise<PiecedUpload> {
    await this.removeExpired();
    const { workspace, by } = caller;
    const unfinished = [...this.#known.values()].filter((one) => one.open !== null && one.workspaceId === workspace.id);
    if (unfinished.length >= UNFINISHED_MAX) {
      const says = `This workspace has ${UNFINISHED_MAX} uploads that are not complete. Wait until one of them has ended.`;
      throw new Problem("rate_limited", says, { retryAfterMs: BUSY_RETRY_MS });
    }
    const open = await this.#uploads.open(caller, bytes);
    open.begin(given);
    await open.pause();
    const id = Buffer.from(this.#random.bytes(ID_BYTES)).toString("hex");
    const known = { ...{ id, bytes, by, open }, workspaceId: workspace.id, stored: null, isBusy: false };
    this.#known.set(id, { ...known, expiresAt: this.#clock.now() + KEPT_MS });
    return this.find(caller, id);
  }

  /** Throws `not_found`, also for that of another user or workspace. */
  find(caller: Caller, id: string): PiecedUpload {
    return shown(this.#get(caller, id));
  }

  /**
   * `length`: of the piece, null if the request does not say. `read` gives the piece to the sink; what it gave before it failed
   * has arrived. Throws `not_found`, `rate_limited` while another piece arrives, and `invalid_request`: naming `offset` if the
   * piece does not continue what is there, `bytes` if it goes beyond the end, and `file` for what the file is, which ends the upload.
   */
  async append(
    caller: Caller,
    id: string,
    piece: { offset: number; length: number | null },
    read: (sink: Pick<FileSink, "write">) => Promise<void>,
  ): Promise<PiecedUpload> {
    const known = this.#get(caller, id);
    if (known.isBusy) {
      const says = "Another piece of this upload is arriving. Ask how far it is, then continue there.";
      throw new Problem("rate_limited", says, { retryAfterMs: BUSY_RETRY_MS });
    }
    const { open, bytes } = known;
    const arrived = shown(known).offset;
    if (piece.offset !== arrived) {
      throw invalidRequest({
        offset: [`${arrived} bytes of this upload have arrived. Continue with offset ${arrived}.`],
      });
    }
    if (open === null || piece.offset + (piece.length ?? 0) > bytes) throw beyondEnd(bytes);
    known.isBusy = true;
    try {
      return await this.#uploads.oneOfFew(caller, () => this.#take(known, open, read));
    } finally {
      await open.pause();
      known.isBusy = false;
    }
  }

  async #take(
    known: Known,
    open: OpenUpload,
    read: (sink: Pick<FileSink, "write">) => Promise<void>,
  ): Promise<PiecedUpload> {
    const orEnd = async <T>(act: () => Promise<T>): Promise<T> => {
      try {
        return await act();
      } catch (error) {
        await this.#end(known);
        throw error;
      }
    };
    known.expiresAt = this.#clock.now() + KEPT_MS;
    await read({
      write: async (chunk) => {
        if (open.bytes + chunk.byteLength > known.bytes) throw beyondEnd(known.bytes);
        await orEnd(() => open.write(chunk));
      },
    });
    if (open.bytes === known.bytes) {
      known.stored = await orEnd(() => open.finish());
      known.open = null;
      await open.discard();
    }
    return shown(known);
  }

  /** A user gives it up; a piece that is arriving first ends. Throws `not_found` and `rate_limited`. */
  async cancel(caller: Caller, id: string): Promise<void> {
    const known = this.#get(caller, id);
    if (known.isBusy) {
      throw new Problem("rate_limited", "A piece of this upload is arriving.", { retryAfterMs: BUSY_RETRY_MS });
    }
    await this.#end(known);
  }

  /** Those whose hour is over. */
  async removeExpired(): Promise<void> {
    const now = this.#clock.now();
    for (const known of [...this.#known.values()]) if (!known.isBusy && known.expiresAt <= now) await this.#end(known);
  }

  async #end({ id, open }: Known): Promise<void> {
    this.#known.delete(id);
    await open?.discard();
  }

  #get({ workspace, by }: Caller, id: string): Known {
    const known = this.#known.get(id);
    const isOwn = known !== undefined && known.workspaceId === workspace.id && isSame(known.by, by);
    if (!isOwn || (!known.isBusy && known.expiresAt <= this.#clock.now())) throw notFound("upload");
    return known;
  }
}

function shown({ id, bytes, open, stored, expiresAt }: Known): PiecedUpload {
  return { id, bytes, offset: open?.bytes ?? bytes, stored, expiresAt };
}

function isSame(one: Uploader, other: Uploader): boolean {
  return "userId" in one
    ? "userId" in other && one.userId === other.userId
    : "keyId" in other && one.keyId === other.keyId;
}

function beyondEnd(bytes: number): Problem {
  return invalidRequest({ bytes: [`The upload has ${bytes} bytes, and this piece goes beyond its end.`] });
}
