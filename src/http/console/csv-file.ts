/**
 * Streams a list as a CSV download. Lines are produced as the browser reads them, so memory use does not depend on the
 * length. Every export is recorded in the audit log.
 */

import type { WorkspaceCall } from "../endpoints/call.ts";
import { recordAct } from "../endpoints/call.ts";

export const CSV = "text/csv; charset=utf-8";

/** Spreadsheets read a file as UTF-8 only if it starts with this mark. */
const BYTE_ORDER_MARK = "\uFEFF";

interface CsvFile {
  /** Without the extension. */
  name: string;
  /** For the audit log: `contact.export`. */
  action: string;
  subject: string;
  details: Record<string, unknown>;
}

export async function answerCsv(
  call: WorkspaceCall,
  { name, action, subject, details }: CsvFile,
  lines: AsyncGenerator<string[]>,
): Promise<Response> {
  const { store, workspace, keepOpen, log, stopping, turns } = call;
  await store.write((tx) => recordAct(tx, call, { action, subject, details }));
  keepOpen();
  const encoder = new TextEncoder();
  const nextBatch = async (): Promise<string[] | null> => {
    if (isCancelled) return null;
    if (!stopping.aborted) {
      const { done, value } = await lines.next();
      if (!stopping.aborted) return done === true ? null : value;
    }
    throw new Error("the server stops");
  };
  let isFirst = true;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const batch = await turns.take(workspace.id, nextBatch);
        // Cancelled while it waited for its turn: the stream is closed already.
        if (isCancelled) return;
        if (batch === null) {
          controller.close();
          return;
        }
        controller.enqueue(encoder.encode((isFirst ? BYTE_ORDER_MARK : "") + batch.join("")));
        isFirst = false;
      } catch (error) {
        // Fail the download, so that the browser does not present a truncated file as complete.
        if (!stopping.aborted) log.error("export.failed", "Export ended early", { error });
        controller.error(error);
      }
    },
    async cancel() {
      isCancelled = true;
      await lines.return(undefined);
    },
  });
  const plain = name.normalize("NFKD").replace(/[^\w.-]+/g, "-");
  return answerDownload(body, CSV, `${plain}.csv`);
}

/** `name`: of the file, with letters, digits, dots, hyphens and underscores only. */
export function answerDownload(
  body: ReadableStream<Uint8Array> | Blob | Uint8Array<ArrayBuffer>,
  type: string,
  name: string,
): Response {
  return new Response(body, {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="${name}"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
}
