/**
 * A list as a file that is taken along: made a piece at a time as the browser takes it, so that it needs no more memory
 * however long it is. Who took what out is in the log of deeds.
 */

import { sleep } from "#src/core/clock.ts";
import { recordAudit } from "#src/domain/users/audit-log.ts";
import type { WorkspaceCall } from "./route.ts";

/** Spreadsheets read a file as UTF-8 only where it says so. */
const BYTE_ORDER_MARK = "\uFEFF";
/** Between two pieces everybody else gets their turn. */
const YIELD_MS = 1;

interface CsvFile {
  /** Without its ending. */
  name: string;
  /** For the log: `contact.export`. */
  action: string;
  subject: string;
  details: Record<string, unknown>;
}

export async function answerCsv(
  call: WorkspaceCall,
  { name, action, subject, details }: CsvFile,
  lines: AsyncGenerator<string[]>,
): Promise<Response> {
  const { store, clock, user, address, workspace, keepOpen, log, stopping } = call;
  await store.write((tx) =>
    recordAudit(tx, { userId: user.id, address }, { workspaceId: workspace.id, action, subject, details }),
  );
  keepOpen();
  const encoder = new TextEncoder();
  let isFirst = true;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = stopping.aborted ? { done: true, value: undefined } : await lines.next();
        if (stopping.aborted) throw new Error("the server stops");
        if (value !== undefined) controller.enqueue(encoder.encode((isFirst ? BYTE_ORDER_MARK : "") + value.join("")));
        if (done === true) controller.close();
        else if (!isFirst) await sleep(clock, YIELD_MS, stopping);
        isFirst = false;
      } catch (error) {
        // The browser shows a download that broke off, and no file that only looks whole.
        if (!stopping.aborted) log.error("a file could not be written to its end", { error });
        controller.error(error);
      }
    },
    async cancel() {
      await lines.return(undefined);
    },
  });
  const plain = name.normalize("NFKD").replace(/[^\w.-]+/g, "-");
  return new Response(body, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${plain}.csv"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
}
