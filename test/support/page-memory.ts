/** What a page holds in memory: every string of a heap snapshot, after what is not used any more was collected. */
import type { BrowserContext, Page } from "playwright-core";

export async function stringsInMemory(page: Page, context: BrowserContext): Promise<string[]> {
  const devtools = await context.newCDPSession(page);
  const chunks: string[] = [];
  devtools.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => void chunks.push(chunk));
  await devtools.send("HeapProfiler.collectGarbage");
  await devtools.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  await devtools.detach();
  return (JSON.parse(chunks.join("")) as { strings: string[] }).strings;
}
