/**
 * Puts the stored samples of an account's templates where the network keeps files, once for each number (its ids belong
 * to one), and again before they expire. A sample that cannot be uploaded is sent by its link.
 */

import type { SendingNumber } from "#src/domain/numbers/table.ts";
import {
  forgetUnused,
  isUploadDue,
  listSamples,
  recordUpload,
  recordUploadFailure,
  type Sample,
} from "#src/domain/templates/sample.ts";
import type { AccountPort, UploadFile } from "#src/networks/network.ts";
import type { Clock } from "#src/primitives/clock.ts";
import type { Store } from "#src/storage/store.ts";
import type { Opened } from "./sync-account.ts";

/** A look at an account uploads so many at most; the next one goes on. */
const UPLOADS_PER_LOOK = 20;

/** Meta's limits; documents may be larger there, and then go by their link. */
const LARGEST: Readonly<Record<Sample["kind"], number>> = {
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
  { store, clock }: { store: Store; clock: Clock },
  port: AccountPort,
  account: SendingNumber,
  senders: readonly Opened[],
): Promise<string[]> {
  const samples = store.read((reading) => listSamples(reading, account));
  for (const { number } of senders) await store.write((tx) => forgetUnused(tx, number.id, samples));
  const wanted = samples
    .flatMap((sample) => senders.map((opened) => ({ sample, opened })))
    .filter(({ sample, opened }) => store.read((reading) => isUploadDue(reading, opened.number.id, sample.link)))
    .slice(0, UPLOADS_PER_LOOK);
  const failures: string[] = [];
  // Sample by sample: one file is in memory at a time.
  for (const [sample, ones] of Map.groupBy(wanted, ({ sample }) => sample)) {
    const file = await fetchFile(sample, clock);
    for (const { opened } of ones) {
      const failure = await uploadOne(store, port, opened, sample, file);
      if (failure !== null) failures.push(`The sample ${sample.link} was not uploaded: ${failure}`);
    }
  }
  return failures;
}

async function uploadOne(
  store: Store,
  port: AccountPort,
  { number, sender }: Opened,
  { link }: Sample,
  file: UploadFile | string,
): Promise<string | null> {
  const answer = typeof file === "string" ? null : await port.uploadFile(sender, file);
  if (answer?.ok === true) {
    await store.write((tx) => recordUpload(tx, number.id, link, answer.value.mediaId));
    return null;
  }
  const failure = typeof file === "string" ? file : (answer?.failure.words ?? "");
  await store.write((tx) => recordUploadFailure(tx, number.id, link, failure));
  return failure;
}

/** The file, or why it cannot be had, in words. */
async function fetchFile({ link, kind }: Sample, clock: Clock): Promise<UploadFile | string> {
  const limit = new AbortController();
  const timer = clock.setTimer(FETCH_TIMEOUT_MS, () => limit.abort());
  try {
    const response = await fetch(link, { redirect: "follow", signal: limit.signal });
    if (!response.ok) return `its address answered HTTP ${response.status}.`;
    const contentType = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    if (!TYPES[kind].test(contentType))
      return `its address gives ${contentType || "no type"}, which is no ${kind} that WhatsApp takes.`;
    const bytes = await readAtMost(response, LARGEST[kind]);
    if (bytes === null) return `it has more than ${LARGEST[kind]} bytes.`;
    return { bytes, contentType, name: nameOf(link) };
  } catch (error) {
    return `its address could not be read (${limit.signal.aborted ? "too slow" : codeOf(error)}).`;
  } finally {
    timer.cancel();
  }
}

const FETCH_TIMEOUT_MS = 60_000;

/** Only the code: fetch's own sentences help nobody. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error ? String(error.code) : error.name;
}

async function readAtMost(response: Response, most: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > most) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function nameOf(link: string): string {
  return new URL(link).pathname.split("/").findLast((part) => part !== "") ?? "file";
}
