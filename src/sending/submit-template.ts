/**
 * Gives a template to the network: checks it, uploads its samples, stores the intent, sends the request once, and
 * records what came of it. Where the outcome is not known, the account's list is read before anything is tried again.
 */
import { notFound, Problem } from "#src/core/problem.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { findUpload } from "#src/domain/media/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { DELETED } from "#src/domain/templates/network-status.ts";
import { findInAccount, listLanguages } from "#src/domain/templates/read.ts";
import { isLoose, type LibraryEntry } from "#src/domain/templates/rules/candidate.ts";
import { libraryOf } from "#src/domain/templates/rules/library-content.ts";
import {
  acceptSubmission,
  beginSubmission,
  endSubmission,
  findOpen,
  inDoubt,
  isSameRequest,
  judgeOpen,
  rememberId,
  requireKnownMembers,
  requireOver,
  requireSubmittable,
  type SubmissionAction,
  type SubmissionKey,
} from "#src/domain/templates/submission.ts";
import { type Submitted, withHandles } from "#src/domain/templates/submitted.ts";
import type { ListedTemplate } from "#src/domain/templates/sync.ts";
import type { Submission, Template } from "#src/domain/templates/table.ts";
import { senderOf } from "#src/networks/credentials.ts";
import type { Sender, TemplatePort, UploadFile } from "#src/networks/network.ts";
import type { Submitted as Outcome } from "#src/networks/template-request.ts";
import { findLibraryEntry } from "./template-library.ts";

export interface SubmitOptions {
  store: Store;
  box: SecretBox;
  portOf: (network: SendingNumber["network"]) => TemplatePort | undefined;
  /** The files of uploads; null: there are none here. */
  files: { read(file: { workspaceId: number; hash: string }): AsyncIterable<Uint8Array> } | null;
}

export interface SubmissionRequest {
  number: SendingNumber;
  action: SubmissionAction;
  name: string;
  /** Null: all languages, of a deletion. */
  language: string | null;
  /** As the caller wrote it; null of a deletion. */
  body: Readonly<Record<string, unknown>> | null;
}

/** The templates that the network took, or its refusal. */
type SubmissionResult = { templates: Template[] } | Problem;

/** Runs in the transaction that records the result: what the caller has to keep. */
type OnSettled = (tx: Tx, result: SubmissionResult) => void;

/** Throws a `Problem` while nothing is submitted, or its outcome is not known. */
export async function submitTemplate(
  options: SubmitOptions,
  request: SubmissionRequest,
  onSettled: OnSettled,
): Promise<SubmissionResult> {
  const { store } = options;
  const { number, action } = request;
  const port = options.portOf(number.network);
  if (port === undefined) throw new Error(`${number.network} takes no templates`);
  const stage: Stage = {
    ...options,
    request,
    port,
    sender: senderOf(options.box, number),
    key: keyOf(request),
    onSettled,
  };
  const earlier = await settleOpen(stage);
  if (earlier !== null) return earlier;
  const entry = action === "create" ? await findLibraryEntry(options, number, request.body) : undefined;
  const submitted = store.read((tx) => requireReady(tx, stage, entry));
  const handed = submitted === null ? null : await withSamples(stage, submitted);
  // The network's id of a template that was added before the ids were kept is in its list.
  await learnIds(stage);
  const submission = await store.write((tx) => {
    requireReady(tx, stage, entry);
    return beginSubmission(tx, number, stage.key, action, handed);
  });
  return record(stage, submission, await send(stage, handed));
}

interface Stage extends SubmitOptions {
  request: SubmissionRequest;
  port: TemplatePort;
  sender: Sender;
  key: SubmissionKey;
  onSettled: OnSettled;
}

function keyOf({ number: { workspaceId, accountId }, name, language }: SubmissionRequest): SubmissionKey {
  return { workspaceId, accountId, name, language };
}

/** Throws what keeps it from being submitted. Null of a deletion. */
function requireReady(
  tx: Parameters<typeof findOpen>[0],
  { request, key }: Stage,
  entry?: LibraryEntry | null,
): Submitted | null {
  const { action, body, number, name, language } = request;
  if (action === "create") return requireSubmittable(tx, key, body ?? {}, action, entry);
  const there = listLanguages(tx, number.workspaceId, number.accountId, name).filter(
    (one) => one.networkStatus !== DELETED && (language === null || one.language === language),
  );
  if (there.length === 0) {
    requireKnownMembers(body ?? {});
    throw notFound("template");
  }
  if (there.some(({ generated }) => generated)) {
    const says =
      "WhatsApp made this template of messages with a category, and takes no corrections or deletions of it.";
    throw new Problem("template_not_sendable", says);
  }
  if (action === "correct") return requireSubmittable(tx, key, body ?? {}, action);
  if (there.every(({ status }) => status === "DISABLED")) {
    throw new Problem("template_not_sendable", "WhatsApp has disabled this template, and does not delete such a one.");
  }
  return null;
}

/** The outcome of an earlier submission. Null: there is none, or the network does not have it. */
async function settleOpen(stage: Stage): Promise<SubmissionResult | null> {
  const { store, request, key } = stage;
  const open = store.read((tx) => {
    const found = findOpen(tx, key);
    if (found !== undefined) requireOver(tx, found);
    return found;
  });
  if (open === undefined) return null;
  const asked = request.body === null ? null : requestOf(request.body, request);
  const isSame = isSameRequest(open, asked, request.action);
  const settled = await look(isSame ? stage : { ...stage, onSettled: () => {} }, open, true);
  return isSame ? settled : null;
}

function requestOf(body: Readonly<Record<string, unknown>>, { name, language }: SubmissionRequest) {
  const components = (Array.isArray(body.components) ? body.components : []) as Readonly<Record<string, unknown>>[];
  const library = isLoose(body.library) ? { library: libraryOf(body.library) } : {};
  return { name, language: language ?? "", category: String(body.category ?? ""), components, ...library };
}

/**
 * Reads the account's list. Null: the network does not have the submission; `isOver`: then it is ended. Throws
 * `unavailable` if the list cannot be read.
 */
async function look(stage: Stage, open: Submission, isOver: boolean): Promise<SubmissionResult | null> {
  const { store, onSettled } = stage;
  const listed = await listOfName(stage);
  return store.write((tx) => {
    const { isTaken, entry } = judgeOpen(open, listed.entries);
    if (!isTaken) {
      if (isOver) endSubmission(tx, open, "absent");
      return null;
    }
    const result = { templates: acceptSubmission(tx, open, entry, listed.at ?? tx.now) };
    onSettled(tx, result);
    return result;
  });
}

async function listOfName(stage: Stage): Promise<{ entries: ListedTemplate[]; at: number | null }> {
  const { port, sender, request } = stage;
  // A network that keeps its templates in this database has none that is not here.
  if (port.list === undefined) return { entries: [], at: null };
  const listing = await port.list(sender);
  if (!listing.ok) throw inDoubt();
  return { entries: listing.value.filter(({ name }) => name === request.name), at: listing.at };
}

async function withSamples({ store, port, sender, files, request }: Stage, { request: body, samples }: Submitted) {
  const handles: { card: number | null; handle: string }[] = [];
  for (const { id, card } of samples) {
    const stored = store.read((tx) => findUpload(tx, request.number.workspaceId, id));
    if (stored === undefined || files === null) throw notSubmitted(`The file of upload ${id} is not on this server.`);
    const { upload, file } = stored;
    const read: UploadFile["read"] = () => files.read(file);
    const answer = await port.uploadSample(sender, {
      ...{ hash: file.hash, bytes: file.bytes, contentType: upload.mimeType, name: upload.filename ?? "file", read },
    });
    if (answer.kind !== "accepted") throw failureOf(answer, `WhatsApp did not take the sample: ${answer.message}`);
    handles.push({ card, handle: answer.value.handle });
  }
  return withHandles(body, handles);
}

/** A file that did not arrive is given again by the next request. */
function failureOf(answer: Exclude<Outcome<unknown>, { kind: "accepted" }>, says: string): Problem {
  return answer.kind === "refused"
    ? new Problem("whatsapp_error", says, { whatsappCode: answer.code, outcome: "not_sent", isKeyUnused: true })
    : notSubmitted(says);
}

function notSubmitted(says: string, retryAfterMs: number | null = null): Problem {
  return new Problem("unavailable", `${says} Nothing was submitted; try again.`, {
    outcome: "not_sent",
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
}

async function learnIds(stage: Stage): Promise<void> {
  const { store, request, port } = stage;
  const { workspaceId, accountId } = request.number;
  if (request.action === "create" || request.language === null || port.list === undefined) return;
  const { name, language } = request;
  const known = store.read((tx) => findInAccount(tx, workspaceId, accountId, name, language));
  if (known === undefined || known.networkId !== null) return;
  const { entries } = await listOfName(stage);
  const id = entries.find((one) => one.language === language)?.id ?? null;
  if (id !== null) await store.write((tx) => rememberId(tx, known, id));
}

async function send(
  stage: Stage,
  body: Submitted["request"] | null,
): Promise<Outcome<{ networkId: string | null; status: string; category: string } | null>> {
  const { store, request, port, sender } = stage;
  const { action, name, language, number } = request;
  if (action === "create" && body !== null) return port.create(sender, body);
  const known =
    language === null
      ? undefined
      : store.read((tx) => findInAccount(tx, number.workspaceId, number.accountId, name, language));
  const networkId = known?.networkId ?? null;
  if (action === "delete" && (language === null || networkId !== null || port.list === undefined)) {
    return port.remove(sender, name, networkId);
  }
  if (body === null || (networkId === null && port.list !== undefined)) {
    return {
      kind: "refused",
      code: "no_id",
      message: "WhatsApp does not list this template, so it cannot be changed.",
    };
  }
  const { category, components, message_send_ttl_seconds: ttl } = body;
  const content = { category, components, ...(ttl === undefined ? {} : { message_send_ttl_seconds: ttl }) };
  return port.correct(sender, networkId ?? "", content);
}

async function record(
  stage: Stage,
  submission: Submission,
  outcome: Awaited<ReturnType<typeof send>>,
): Promise<SubmissionResult> {
  const { store, onSettled } = stage;
  switch (outcome.kind) {
    case "accepted":
      return store.write((tx) => {
        const { value } = outcome;
        const shown = value === null ? null : { id: value.networkId, status: value.status, category: value.category };
        const result = { templates: acceptSubmission(tx, submission, shown, outcome.at ?? tx.now) };
        onSettled(tx, result);
        return result;
      });
    case "refused":
      return store.write((tx) => {
        endSubmission(tx, submission, "refused");
        const details = { whatsappCode: outcome.code, outcome: "not_sent" } as const;
        const problem = new Problem("whatsapp_error", outcome.message, details);
        onSettled(tx, problem);
        return problem;
      });
    case "later":
      await store.write((tx) => endSubmission(tx, submission, "absent"));
      throw notSubmitted(outcome.message, outcome.retryAfterMs);
    case "unknown": {
      const found = await look(stage, submission, false);
      if (found === null) throw inDoubt();
      return found;
    }
  }
}
