/**
 * Puts the stored samples of an account's templates where the network keeps files, once for each number (its ids belong
 * to one), and again before they expire. A sample that cannot be uploaded is sent by its link.
 */

import type { Store } from "#src/db/store.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import {
  deleteUnusedUploads,
  isUploadDue,
  listSamples,
  recordUpload,
  recordUploadFailure,
  type Sample,
} from "#src/domain/templates/sample.ts";
import { type FileFetcher, fetchFile } from "#src/net/fetch-file.ts";
import type { OpenedNumber } from "#src/networks/credentials.ts";
import type { AccountPort, UploadFile } from "#src/networks/network.ts";

/** A look at an account uploads so many at most; the next one goes on. */
const UPLOADS_PER_SYNC = 20;

const FETCH_TIMEOUT_MS = 60_000;

/** Meta's limits; documents may be larger there, and then go by their link. */
const BYTES_MAX: Readonly<Record<Sample["kind"], number>> = {
  image: 5 * 1024 * 1024,
  video: 16 * 1024 * 1024,
  document: 25 * 1024 * 1024,
};

/** What Meta takes for each kind; of documents any. */
const TYPES: Readonly<Record<Sample["kind"], RegExp>> = {
  image: /^image\/(jpeg|png)$/,
  video: /^video\/(mp4|3gpp)$/,
  document: /^[\w.+-]+\/[\w.+-]+$/,
};

/** Returns what failed, in words. */
export async function uploadSamples(
  options: FileFetcher & { store: Store },
  port: AccountPort,
  account: SendingNumber,
  senders: readonly OpenedNumber[],
): Promise<string[]> {
  const { store } = options;
  const samples = store.read((tx) => listSamples(tx, account));
  for (const { number } of senders) await store.write((tx) => deleteUnusedUploads(tx, number.id, samples));
  const uploads = samples
    .flatMap((sample) => senders.map((opened) => ({ sample, opened })))
    .filter(({ sample, opened }) => store.read((tx) => isUploadDue(tx, opened.number.id, sample.link)))
    .slice(0, UPLOADS_PER_SYNC);
  const failures: string[] = [];
  // Sample by sample: one file is in memory at a time.
  for (const [sample, group] of Map.groupBy(uploads, ({ sample }) => sample)) {
    const file = await fetchSample(sample, options);
    for (const { opened } of group) {
      const failure = await uploadOne(store, port, opened, sample, file);
      if (failure !== null) failures.push(`The sample ${sample.link} was not uploaded: ${failure}`);
    }
  }
  return failures;
}

async function uploadOne(
  store: Store,
  port: AccountPort,
  { number, sender }: OpenedNumber,
  { link }: Sample,
  file: UploadFile | string,
): Promise<string | null> {
  const answer = typeof file === "string" ? null : await port.uploadFile(sender, file);
  if (answer?.ok === true) {
    await store.write((tx) => recordUpload(tx, number.id, link, answer.value.mediaId));
    return null;
  }
  const failure = typeof file === "string" ? file : (answer?.failure.message ?? "");
  await store.write((tx) => recordUploadFailure(tx, number.id, link, failure));
  return failure;
}

/** The file, or why it cannot be had, in words. */
async function fetchSample({ link, kind }: Sample, fetcher: FileFetcher): Promise<UploadFile | string> {
  const file = await fetchFile(fetcher, { link, maxBytes: BYTES_MAX[kind], timeoutMs: FETCH_TIMEOUT_MS });
  if (typeof file === "string") return `its address ${file}.`;
  const { bytes, contentType } = file;
  if (!TYPES[kind].test(contentType))
    return `its address gives ${contentType || "no type"}, which is no ${kind} that WhatsApp takes.`;
  return { bytes, contentType, name: nameOf(link) };
}

function nameOf(link: string): string {
  return new URL(link).pathname.split("/").findLast((part) => part !== "") ?? "file";
}
