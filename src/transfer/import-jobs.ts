/**
 * Runs imports in the server: a file is uploaded, previewed, validated in a dry run, and imported. A workspace has
 * one import running at a time, and outcomes are stored. Stopping the server interrupts an import; resumed, it continues
 * after the last row that is on disk.
 */
import { createWriteStream } from "node:fs";
import type { Clock } from "#src/core/clock.ts";
import { allSentences } from "#src/core/fault.ts";
import type { Log } from "#src/core/log.ts";
import { Problem } from "#src/core/problem.ts";
import { createPrivateDirectory, createPrivateFile } from "#src/db/files.ts";
import type { Store } from "#src/db/store.ts";
import { listFields } from "#src/domain/contacts/custom-fields.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { FairQueue } from "./fair-queue.ts";
import { importContacts } from "./import-contacts.ts";
import type { ImportFiles } from "./import-files.ts";
import { decidedSettings, type ImportPreview, type PreviewContext, previewImport } from "./import-preview.ts";
import { IMPORT_LIMITS, type ImportLimits, ImportQuota, invalidFile } from "./import-quota.ts";
import { ImportRun } from "./import-run.ts";
import { changeImport, listOldImports, NO_SETTINGS, removeImport } from "./imports.ts";
import type { Import, ImportOutcome, ImportSettings } from "./table.ts";

interface ImportJobsOptions {
  store: Store;
  clock: Clock;
  log: Pick<Log, "error">;
  files: ImportFiles;
  /** Aborted when the server stops. */
  stopping: AbortSignal;
  /** Instead of the usual limits. */
  limits?: ImportLimits | undefined;
}

/** How many workspaces' imports run beside each other. */
const RUNNING_MAX = 2;
/** Bytes of an upload between two looks at the disk. */
const BYTES_BETWEEN_CHECKS = 1024 * 1024;
const SWEEP_INTERVAL_MS = 24 * 60 * 60 * 1000;
const FAILURES_SHOWN = 20;

class Stopped extends Error {}

export class ImportJobs {
  readonly #options: ImportJobsOptions;
  /** Rows processed per import; an entry exists while the import is running or queued. */
  readonly #running = new Map<number, number>();
  readonly #queue = new FairQueue(RUNNING_MAX);
  readonly #quota: ImportQuota;
  readonly #limits: ImportLimits;

  constructor(options: ImportJobsOptions) {
    this.#options = options;
    this.#limits = options.limits ?? IMPORT_LIMITS;
    this.#quota = new ImportQuota(options.store, options.files, this.#limits);
    this.#sweepDaily();
  }

  /**
   * Deletes old imports once a day: their files hold personal data, which must not stay just because no further import
   * is uploaded.
   */
  #sweepDaily(): void {
    const { clock, log, stopping } = this.#options;
    const timer = clock.setTimer(SWEEP_INTERVAL_MS, () => {
      this.#sweep().catch((error: unknown) =>
        log.error("import.sweep_failed", "Old imports could not be deleted", { error }),
      );
      if (!stopping.aborted) this.#sweepDaily();
    });
    stopping.addEventListener("abort", () => timer.cancel(), { once: true });
  }

  /** The number of rows processed; null if the import is neither running nor queued. */
  progressOf(id: number): number | null {
    return this.#running.get(id) ?? null;
  }

  /**
   * Stores an uploaded file. Throws `invalid_request` for a file that is empty or too large, or for which the workspace
   * has no room, and deletes it.
   */
  async receiveFile(
    { id, workspaceId }: Pick<Import, "id" | "workspaceId">,
    body: ReadableStream<Uint8Array> | null,
  ): Promise<void> {
    const { files } = this.#options;
    createPrivateDirectory(files.directory);
    await this.#sweep();
    await this.#quota.makeRoom(workspaceId, (other) => !this.#running.has(other));
    const path = files.fileOf(id);
    createPrivateFile(path);
    const file = createWriteStream(path, { mode: 0o600 });
    const failed = Promise.withResolvers<never>();
    file.on("error", failed.reject);
    // Mark the rejection as handled, because it may come while nothing awaits it.
    failed.promise.catch(() => undefined);
    let size = 0;
    let checkedAt = Number.NEGATIVE_INFINITY;
    try {
      for await (const chunk of body ?? []) {
        size += chunk.byteLength;
        const { fileBytes } = this.#limits;
        if (size > fileBytes) throw invalidFile(`A file has at most ${fileBytes / 1024 / 1024} MB.`);
        if (size - checkedAt >= BYTES_BETWEEN_CHECKS) {
          this.#quota.requireRoom(workspaceId);
          checkedAt = size;
        }
        if (!file.write(chunk))
          await Promise.race([new Promise((resolve) => file.once("drain", resolve)), failed.promise]);
      }
      await Promise.race([new Promise<void>((resolve) => file.end(resolve)), failed.promise]);
      if (size === 0) throw invalidFile("The file is empty.");
      const preview = await previewImport(path, this.#contextOf(workspaceId), NO_SETTINGS);
      if (preview === null) throw invalidFile("The file has no header line.");
    } catch (error) {
      file.destroy();
      files.remove(id);
      throw error;
    }
  }

  /**
   * What a person sees of the file before it is checked, as read by `settings`; null: it has no rows. Throws
   * `invalid_request` if the settings do not fit the file.
   */
  preview(
    { id, workspaceId }: Pick<Import, "id" | "workspaceId">,
    settings: ImportSettings,
  ): Promise<ImportPreview | null> {
    const context = this.#contextOf(workspaceId);
    return previewImport(this.#options.files.fileOf(id), context, settings);
  }

  /** The settings as the check and the import use them. Throws `invalid_request` where a person has to decide first. */
  async decide(job: Import, settings: ImportSettings): Promise<ImportSettings> {
    const preview = await this.preview(job, settings);
    if (preview === null) throw invalidFile("The file is empty.");
    return decidedSettings(preview, settings, this.#contextOf(job.workspaceId).fields);
  }

  #contextOf(workspaceId: number): PreviewContext {
    return this.#options.store.read((tx) => ({
      country: getWorkspace(tx, workspaceId).country,
      fields: listFields(tx, workspaceId),
    }));
  }

  /** Queues the import behind those that are running. Its row is in state `checking` or `importing`. */
  start(job: Import, settings: ImportSettings, isDryRun: boolean): void {
    if (this.#running.has(job.id)) return;
    this.#running.set(job.id, 0);
    this.#queue.add(job.workspaceId, () => this.#run(job, settings, isDryRun));
  }

  async #run(job: Import, settings: ImportSettings, isDryRun: boolean): Promise<void> {
    const { store, clock, log, files, stopping } = this.#options;
    let run: ImportRun | null = null;
    try {
      if (stopping.aborted) throw new Stopped();
      const kept = { errors: files.errorsOf(job.id), failuresKept: FAILURES_SHOWN };
      const begun = isDryRun ? ImportRun.dry(kept) : await ImportRun.begin(store, job.id, kept);
      run = begun;
      const report = await importContacts({
        store,
        clock,
        workspaceId: job.workspaceId,
        path: files.fileOf(job.id),
        map: new Map(Object.entries(settings.map)),
        phoneCountry: settings.phoneCountry,
        optIn: settings.optIn === true,
        reading: settings.reading ?? {},
        dates: settings.dates,
        skipsBadCells: settings.skipsBadCells ?? true,
        evidence: {
          file: job.fileName,
          user: job.userId,
          ...(settings.proof === "" ? {} : { proof: settings.proof }),
        },
        isDryRun,
        isInsideServer: true,
        isServerRunning: () => true,
        record: begun,
        onFound: ({ header }) => {
          begun.errors.header = header;
        },
        onProgress: ({ rows }) => {
          if (stopping.aborted) throw new Stopped();
          this.#running.set(job.id, rows);
        },
        onFailure: begun.onFailure,
      });
      // On disk before the outcome says that it is there.
      begun.errors.close();
      const outcome: ImportOutcome = { ...report, failures: begun.failures };
      await store.write((tx) =>
        changeImport(tx, job.id, { state: isDryRun ? "checked" : "done", outcome, error: null, progress: null }),
      );
    } catch (error) {
      // The row keeps its state, so that the import shows as interrupted after the next start.
      if (stopping.aborted) return;
      if (!(error instanceof Problem)) log.error("import.failed", "Import failed", { error });
      const text =
        error instanceof Problem ? describeProblem(error) : "Internal error: the server's log has the details.";
      await store
        .write((tx) => changeImport(tx, job.id, { state: "failed", error: text }))
        .catch((reason: unknown) =>
          log.error("import.not_recorded", "Failure of an import could not be recorded", { error: reason }),
        );
    } finally {
      run?.errors.abandon();
      this.#running.delete(job.id);
    }
  }

  /** Deletes imports that have not changed for a week, with their files. */
  async #sweep(): Promise<void> {
    const { store, files } = this.#options;
    const old = store.read(listOldImports).filter(({ id }) => !this.#running.has(id));
    for (const { id } of old) {
      await store.write((tx) => removeImport(tx, id));
      files.remove(id);
    }
  }
}

function describeProblem(problem: Problem): string {
  const sentences = allSentences(problem.details.fields);
  return sentences.length === 0 ? problem.message : sentences.join(" ");
}
