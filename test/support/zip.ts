/** Reads the archives that tests get. */
import { buffer } from "node:stream/consumers";
import { openPromise } from "yauzl";

/** The files of an archive, by name. */
export async function unzip(path: string): Promise<Record<string, Buffer>> {
  const archive = await openPromise(path);
  const files: Record<string, Buffer> = {};
  for await (const entry of archive.eachEntry()) {
    files[entry.fileName] = await buffer(await archive.openReadStreamPromise(entry));
  }
  return files;
}
