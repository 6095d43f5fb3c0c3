/**
 * Uploads the stored samples of an account's templates to the network, once for each number (a file's id belongs to one
 * number), and again before the ids expire. A sample that cannot be uploaded is sent as a link.
 */
import { createHash } from "node:crypto";
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

/** Maximum number of uploads in one comparison; the next one continues. */
const UPLOADS_PER_SYNC = 20;

const FETCH_TIMEOUT_MS = 60_000;

/** Meta's limits; for documents a lower one of ours. Larger files are sent as links. */
const BYTES_MAX: Readonly<Record<Sample["kind"], number>> = {
  image: 5 * 1024 * 1024,
  video: 16 * 1024 * 1024,
  document: 25 * 1024 * 1024,
};

/** The media types that Meta accepts for each kind; for documents, any. */
const TYPES: Readonly<Record<Sample["kind"], RegExp>> = {
  image: /^image\/(jpeg|png)$/,
  video: /^video\/(mp4|3gpp)$/,
  document: /^[\w.+-]+\/[\w.+-]+$/,
};

/** Returns the problems. */
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
  // One at a time, so that only one file is in memory.
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

/** The file, or the reason why it is not available. */
async function fetchSample({ link, kind }: Sample, fetcher: FileFetcher): Promise<UploadFile | string> {
  const file = await fetchFile(fetcher, { link, maxBytes: BYTES_MAX[kind], timeoutMs: FETCH_TIMEOUT_MS });
  if (typeof file === "string") return `its address ${file}.`;
  const { bytes, contentType } = file;
  if (!TYPES[kind].test(contentType))
    return `its address gives ${contentType || "no type"}, which is not ${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind} that WhatsApp accepts.`;
  return {
    hash: createHash("sha256").update(bytes).digest("hex"),
    ...{ bytes: bytes.byteLength, contentType, name: nameOf(link) },
    async *read() {
      yield bytes;
    },
  };
}

function nameOf(link: string): string {
  return new URL(link).pathname.split("/").findLast((part) => part !== "") ?? "file";
}
