/**
 * Imports of contact files: upload, map the columns, check without changing anything, run. Consent is declared for the
 * import, separately from the data.
 */
import { existsSync, readFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { notFound } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { listFields } from "#src/domain/contacts/custom-fields.ts";
import { profileNames } from "#src/domain/contacts/profile-fields.ts";
import { changeImport, createImport, getImport, listImports, removeImport } from "#src/transfer/imports.ts";
import type { Import } from "#src/transfer/table.ts";
import { answerData } from "../answer.ts";
import { answerDownload, CSV } from "../console/csv-file.ts";
import { change, Refusal, recordAct, type WorkspaceCallWith } from "./call.ts";
import { Data, Empty, endpoint, File, Id } from "./endpoint.ts";
import { ImportChoices, ImportDetail, ImportView, readChoices, viewFound, viewImport } from "./import-schemas.ts";

const consentTargets = ["consent", "consent_purpose", "consent_notice", "consent_source", "consent_at"];
const ownTargets = ["phone", "country", "user_id", "username", ...profileNames, "tags", "groups", ...consentTargets];
const ofImport = { session: "broadcasts", params: { id: Id("import") }, output: Data(ImportView) } as const;

export const importEndpoints = {
  "GET /w/{workspace}/imports": endpoint({ session: "broadcasts", output: Data(Type.Array(ImportView)) }).read(
    (tx, call) => listImports(tx, call.workspace.id).map((one) => viewImport(one, call)),
  ),
  "POST /w/{workspace}/imports": endpoint({
    session: "broadcasts",
    query: { name: Type.String() },
    file: true,
    output: Data(ImportView),
  }).answer(async (call) => {
    const { store, workspace, user, query, imports, request } = call;
    const name = (query.get("name") ?? "").slice(0, 191) || "people.csv";
    const created = await store.write((tx) => createImport(tx, workspace.id, user.id, name));
    try {
      await imports.receiveFile(created, request.body);
    } catch (error) {
      await store.write((tx) => removeImport(tx, created.id));
      throw error;
    }
    const audit = { action: "import.give", subject: name, details: { id: created.id } };
    await store.write((tx) => recordAct(tx, call, audit));
    return answerData(201, viewImport(created, call));
  }),
  "GET /w/{workspace}/imports/{id}": endpoint({
    session: "broadcasts",
    params: { id: Id("import") },
    output: Data(ImportDetail),
  }).load((call) => detailOf(call, (tx) => requireImport(call, tx))),
  "PUT /w/{workspace}/imports/{id}/choices": endpoint({
    session: "broadcasts",
    params: { id: Id("import") },
    body: ImportChoices,
    output: Data(ImportDetail),
  }).answer(async (call) => {
    const job = call.store.read((tx) => requireIdle(call, tx));
    const settings = readChoices(call.body);
    // Settings that do not fit the file are refused before they are stored.
    await call.imports.preview(job, settings);
    await call.store.write((tx) => {
      const { id } = requireIdle(call, tx);
      changeImport(tx, id, { state: "given", settings, outcome: null, error: null, progress: null });
    });
    return answerData(200, await detailOf(call, (tx) => requireImport(call, tx)));
  }),
  "POST /w/{workspace}/imports/{id}/check": endpoint({ ...ofImport, body: ImportChoices }).answer(async (call) => {
    const job = call.store.read((tx) => requireImport(call, tx));
    const settings = await call.imports.decide(job, readChoices(call.body));
    return change(call, (tx) => {
      const current = requireIdle(call, tx);
      const changed =
        changeImport(tx, current.id, { state: "checking", settings, outcome: null, error: null, progress: null }) ??
        current;
      const audit = { action: "import.check", subject: current.fileName, details: { id: current.id } };
      tx.afterCommit(() => call.imports.start(changed, settings, true));
      return { status: 202, data: { ...viewImport(changed, call), state: "checking" as const }, audit };
    });
  }),
  "POST /w/{workspace}/imports/{id}/run": endpoint(ofImport).change((tx, call) => {
    const job = requireIdle(call, tx);
    const isInterrupted = job.state === "importing";
    if (job.state !== "checked" && !isInterrupted) {
      throw new Refusal(409, "not_checked", "Check the file first to see what the import would change.");
    }
    const changed = changeImport(tx, job.id, { state: "importing", error: null }) ?? job;
    const details = { id: job.id, opt_in: job.settings.optIn, proof: job.settings.proof };
    tx.afterCommit(() => call.imports.start(changed, changed.settings, false));
    const audit = { action: "import.run", subject: job.fileName, details };
    return { status: 202, data: { ...viewImport(changed, call), state: "importing" as const }, audit };
  }),
  "GET /w/{workspace}/imports/{id}/errors": endpoint({
    session: "broadcasts",
    params: { id: Id("import") },
    output: File(CSV),
  }).answer((call) => {
    const job = call.store.read((tx) => requireImport(call, tx));
    const path = call.importFiles.errorsOf(job.id);
    if (!existsSync(path) || call.imports.progressOf(job.id) !== null) throw notFound("file");
    const name = `${job.fileName.replace(/\.\w+$/, "").replace(/[^\w.-]+/g, "-")}.errors.csv`;
    return answerDownload(readFileSync(path), CSV, name);
  }),
  "DELETE /w/{workspace}/imports/{id}": endpoint({
    session: "broadcasts",
    params: { id: Id("import") },
    output: Data(Empty),
  }).change((tx, call) => {
    const job = requireIdle(call, tx);
    removeImport(tx, job.id);
    tx.afterCommit(() => call.importFiles.remove(job.id));
    const audit = { action: "import.discard", subject: job.fileName, details: { id: job.id } };
    return { status: 200, data: {}, audit };
  }),
};

/** Throws `not_found`. */
function requireImport({ workspace, path }: CallOfImport, tx: ReadTx): Import {
  return getImport(tx, workspace.id, path.id);
}

/** Throws what `requireImport` throws, or `running` if the import is running. */
function requireIdle(call: CallOfImport, tx: ReadTx): Import {
  const job = requireImport(call, tx);
  if (call.imports.progressOf(job.id) !== null) {
    throw new Refusal(409, "running", "This import is running. Wait until it has finished.");
  }
  return job;
}

type CallOfImport = WorkspaceCallWith<{ id: number }>;

async function detailOf(call: CallOfImport, read: (tx: ReadTx) => Import): Promise<Static<typeof ImportDetail>> {
  const found = call.store.read(read);
  // While an import runs its columns are not needed, and clients poll often.
  const isRunning = call.imports.progressOf(found.id) !== null;
  const preview = isRunning ? null : await call.imports.preview(found, found.settings);
  // Read again after the slow preview, so that the stored state and the progress are of the same moment.
  const job = call.store.read(read);
  const fields = call.store.read((tx) => listFields(tx, call.workspace.id));
  return {
    ...viewImport(job, call),
    found: preview === null ? null : viewFound(preview),
    columns: preview?.columns ?? [],
    rows: preview?.rows ?? [],
    targets: [...ownTargets, ...fields.map(({ key }) => `fields.${key}`)],
    labels: Object.fromEntries(fields.map(({ key, label }) => [`fields.${key}`, label])),
  };
}
