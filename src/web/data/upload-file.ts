/**
 * Uploads a file: a small one in one request, a larger one in pieces, in their order. After a lost line it continues
 * where the server stands, also from another page that knows the upload's id.
 */
import { ApiError, type Output, request, upload, uploadForm } from "./api.ts";

const WHOLE_MAX = 1024 * 1024;
const PIECE_BYTES = 512 * 1024;
/** The pauses before a piece is tried again, until the line counts as lost. */
const PAUSES_MS = [500, 2_000] as const;
/** The server has restarted, or waited for too long. Each costs what had arrived. */
const BEGINNINGS_MAX = 3;
const AGAIN = "The server was restarted during the upload. Try again in a moment.";
const PIECE_WITHIN_MS = 120_000;

type Stored = Output<"POST /w/{workspace}/media">;
type Pieces = Output<"GET /w/{workspace}/uploads/{upload}">;

interface UploadOptions {
  workspace: number;
  /** The id of the user whose file it is. */
  account: number;
  signal: AbortSignal;
  /** Of an upload that was begun before; null: none was. */
  resume: string | null;
  onBegun: (id: string) => void;
  /** 0 to 1. */
  onProgress: (part: number) => void;
}

/** Rejects with `ApiError`; status 0: the line is lost, and the upload can be resumed. */
export async function uploadFile(file: File, options: UploadOptions): Promise<Stored> {
  const { workspace, account, signal, onProgress } = options;
  if (file.size <= WHOLE_MAX) {
    return uploadForm("POST /w/{workspace}/media", { workspace }, file, { signal, account, onProgress });
  }
  let id = options.resume;
  for (let begun = 0; ; ) {
    try {
      if (id === null) {
        begun += 1;
        id = (await begin(file, options)).id;
        options.onBegun(id);
      }
      return await sendPieces(id, file, options);
    } catch (error) {
      if (!isGone(error)) throw error;
      // Nothing is wrong with the file: it is begun again later, as after a lost line.
      if (begun === BEGINNINGS_MAX) throw new ApiError(0, "no_answer", AGAIN);
      id = null;
    }
  }
}

function begin(file: File, { workspace, account, signal }: UploadOptions): Promise<Pieces> {
  const body = { bytes: file.size, filename: file.name, content_type: file.type };
  return request("POST /w/{workspace}/uploads", { workspace, body }, { account, signal });
}

async function sendPieces(id: string, file: File, options: UploadOptions): Promise<Stored> {
  const { workspace, account, signal, onProgress } = options;
  for (let failed = 0; ; ) {
    try {
      let state = await request("GET /w/{workspace}/uploads/{upload}", { workspace, upload: id }, { signal });
      for (;;) {
        onProgress(state.offset / state.bytes);
        if (state.file !== null) return state.file;
        const { offset } = state;
        const piece = file.slice(offset, offset + PIECE_BYTES);
        const input = { workspace, upload: id, query: { offset: String(offset) } };
        const within = AbortSignal.any([signal, AbortSignal.timeout(PIECE_WITHIN_MS)]);
        state = await upload("PATCH /w/{workspace}/uploads/{upload}", input, piece, { signal: within, account });
        failed = 0;
      }
    } catch (error) {
      const pause = PAUSES_MS[failed];
      if (signal.aborted || pause === undefined || !isPassing(error)) throw error;
      failed += 1;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

/** No answer, a piece that still arrives, a busy server, or another position than ours: asked again, the server says where it stands. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 0 || error.status === 429 || error.status >= 500 || error.fields.offset !== undefined;
}

function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.code === "not_found";
}
