/**
 * Imports of contact files: upload, map the columns, check without changing anything, run. Consent is declared for the
 * import, separately from the data.
 */
import { existsSync, readFileSync } from "node:fs";
import { type Static, Type } from "@sinclair/typebox";
import { notFound } from "#src/core/problem.ts";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { listFields } from "#src/domain/contacts/custom-fields.ts";
import { profileNames } from "#src/domain/contacts/profile-fields.ts";
import { changeImport, createImport, getImport, listImports, removeImport } from "#src/transfer/imports.ts";
import type { Import, ImportSettings } from "#src/transfer/table.ts";
import { answerData } from "../answer.ts";
import { answerDownload, CSV } from "../console/csv-file.ts";
import { timesOf } from "../times.ts";
import { change, Refusal, recordAct, type WorkspaceCall, type WorkspaceCallWith } from "./call.ts";
import { Data, Empty, File, Id, strict } from "./declare.ts";
import { endpoint } from "./endpoint.ts";
import { OptionalCount, OptionalText } from "./fragments.ts";
import { show } from "./show.ts";

/** A class of reasons, how often it was met, and what to do about it. */
const ReasonCount = Type.Object({
  reason: Type.String(),
  rows: Type.Integer(),
  example_line: Type.Integer(),
  fix: Type.String(),
});

/** Which country the national numbers of the file belong to; the likeliest comes first. */
const CountryQuestion = Type.Object({
  option: Type.Literal("country"),
  choices: Type.Array(Type.String()),
  example: Type.String(),
  example_line: Type.Integer(),
});

const ImportOutcome = Type.Object({
  lines: Type.Integer(),
  skipped_lines: Type.Integer(),
  continued: Type.Integer(),
  records: Type.Integer(),
  blank: Type.Integer(),
  rows: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  failed: Type.Integer(),
  repeated: Type.Integer(),
  changed: Type.Integer(),
  opted_in: Type.Integer(),
  opted_out: Type.Integer(),
  kept_opted_out: Type.Integer(),
  cells_left_out: Type.Integer(),
  reasons: Type.Array(ReasonCount),
  omitted: Type.Array(ReasonCount),
  changes: Type.Array(Type.Object({ change: Type.String(), rows: Type.Integer(), example_line: Type.Integer() })),
  kind: OneOf(["csv", "xlsx", "vcard"]),
  encoding: OptionalText,
  question: Nullable(CountryQuestion),
  /** The first rejected rows. */
  failures: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String() })),
});

const job = {
  id: Type.Integer(),
  name: Type.String(),
  state: OneOf(["given", "checking", "checked", "importing", "interrupted", "done", "failed"]),
  /** Null: not running. */
  rows_done: OptionalCount,
  opt_in: Type.Boolean(),
  proof: Type.String(),
  outcome: Nullable(ImportOutcome),
  error: OptionalText,
  has_errors: Type.Boolean(),
  created_at: Instant(),
};

const ImportView = Type.Object(job);

const ownTargets = ["phone", "user_id", "username", ...profileNames, "tags", "groups"];
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
    output: Data(
      Type.Object({
        ...job,
        columns: Type.Array(Type.Object({ name: Type.String(), target: Type.String() })),
        rows: Type.Array(Type.Array(Type.String())),
        targets: Type.Array(Type.String()),
        /** Labels of custom fields, by target. */
        labels: Type.Record(Type.String(), Type.String()),
      }),
    ),
  }).load(async (call) => {
    const found = call.store.read((tx) => requireImport(call, tx));
    // While an import runs its columns are not needed, and clients poll often.
    const isRunning = call.imports.progressOf(found.id) !== null;
    const head = isRunning ? { columns: [], rows: [] } : await call.imports.preview(found);
    // Read again after the slow preview, so that the stored state and the progress are of the same moment.
    const job = call.store.read((tx) => requireImport(call, tx));
    const fields = call.store.read((tx) => listFields(tx, call.workspace.id));
    return {
      ...viewImport(job, call),
      ...head,
      targets: [...ownTargets, ...fields.map(({ key }) => `fields.${key}`)],
      labels: Object.fromEntries(fields.map(({ key, label }) => [`fields.${key}`, label])),
    };
  }),
  "POST /w/{workspace}/imports/{id}/check": endpoint({
    ...ofImport,
    body: Type.Object(
      {
        map: Type.Record(Type.String(), Type.String({ maxLength: 300 }), { maxProperties: 1_000 }),
        opt_in: Type.Boolean(),
        proof: Type.String({ maxLength: 1_000 }),
        country: Type.Optional(Nullable(Type.String({ pattern: "^[A-Z]{2}$" }))),
      },
      strict,
    ),
  }).answer(async (call) => {
    const job = call.store.read((tx) => requireImport(call, tx));
    const { map, opt_in: optIn, proof, country } = call.body;
    await call.imports.requireMap(job, map);
    const settings: ImportSettings = { map, optIn, proof: proof.trim(), phoneCountry: country ?? undefined };
    return change(call, (tx) => {
      const current = requireIdle(call, tx);
      const changed =
        changeImport(tx, current.id, { state: "checking", settings, outcome: null, error: null }) ?? current;
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
function requireImport({ workspace, path }: WorkspaceCallWith<{ id: number }>, tx: ReadTx): Import {
  return getImport(tx, workspace.id, path.id);
}

/** Throws what `requireImport` throws, or `running` if the import is running. */
function requireIdle(call: WorkspaceCallWith<{ id: number }>, tx: ReadTx): Import {
  const job = requireImport(call, tx);
  if (call.imports.progressOf(job.id) !== null) {
    throw new Refusal(409, "running", "This import is running. Wait until it has finished.");
  }
  return job;
}

function viewImport(job: Import, { workspace, imports }: WorkspaceCall): Static<typeof ImportView> {
  const { id, fileName, state, settings, outcome } = job;
  const done = imports.progressOf(id);
  // Stored as running, but not running in this process: the server stopped in between.
  const isInterrupted = done === null && (state === "checking" || state === "importing");
  return show(ImportView, job, timesOf(workspace), {
    name: fileName,
    state: isInterrupted ? (state === "checking" ? "given" : "interrupted") : state,
    rows_done: done,
    opt_in: settings.optIn,
    proof: settings.proof,
    has_errors: (outcome?.failed ?? 0) > 0,
  });
}
