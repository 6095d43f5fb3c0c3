/** The jobs about one person: to be forgotten, to get what is kept of them, and to become one contact. */
import type { Store } from "#src/db/store.ts";
import { findHandOut, removeHandOut, removeMissing } from "#src/domain/erasure/hand-outs.ts";
import { finish, postpone } from "#src/jobs/outbox.ts";
import type { OutboxRow } from "#src/jobs/table.ts";
import { Worker } from "#src/jobs/worker.ts";
import { ImportFiles } from "#src/transfer/import-files.ts";
import { HandOutFiles, removeStrayHandOuts } from "#src/transfer/person-data/hand-out-files.ts";
import { makeHandOut } from "#src/transfer/person-data/make-hand-out.ts";
import type { ServerContext } from "./context.ts";
import { erasePerson, type PersonalFiles } from "./erase-person.ts";
import { finishJoin } from "./finish-join.ts";

type Context = Pick<
  ServerContext,
  "store" | "clock" | "realClock" | "log" | "config" | "media" | "simulatedFiles" | "files"
>;

export function personalFiles({ media, simulatedFiles, files }: Context): PersonalFiles {
  return {
    ...{ media, simulated: simulatedFiles },
    ...{ imports: new ImportFiles(files.database), handOuts: new HandOutFiles(files.database) },
  };
}

export function createErasureWorker(context: Context): Worker {
  const { store, clock, realClock, log, config } = context;
  const files = personalFiles(context);
  const worker: Worker = new Worker({
    ...{ store, clock, kind: "erase_person" },
    concurrency: () => 1,
    async perform({ id, subject }) {
      const isStopped = (): boolean => worker.isStopped;
      const erasure = await erasePerson({ store, clock: realClock, files, config, isStopped }, subject);
      // One that ended has no job any more; one that a reset took away leaves it.
      if (erasure === undefined && !isStopped()) await store.write((tx) => finish(tx, id));
    },
    onError: (error, row) =>
      log.error("contact.erase_failed", "A person could not be erased; trying again", { erasure: row?.subject, error }),
  });
  return worker;
}

/** Moves the rows of contacts that were joined. */
export function createJoinWorker({ store, clock, realClock, log }: Context): Worker {
  const worker: Worker = new Worker({
    ...{ store, clock, kind: "join_contacts" },
    concurrency: () => 1,
    async perform({ id, subject }) {
      const isEnded = await finishJoin({ store, clock: realClock, isStopped: () => worker.isStopped }, subject);
      if (isEnded) await store.write((tx) => finish(tx, id));
    },
    onError: (error, row) =>
      log.error("contact.join_failed", "Two contacts could not be joined; trying again", { join: row?.subject, error }),
  });
  return worker;
}

/** A job makes an archive, and is due again when it is to be deleted. */
export function createHandOutWorker(context: Context): Worker {
  const { store, clock, realClock, log, media } = context;
  const { handOuts: files } = personalFiles(context);
  const make = (id: number) =>
    makeHandOut({ store, clock: realClock, wallClock: clock, files, media, isStopped: () => worker.isStopped }, id);
  const worker: Worker = new Worker({
    ...{ store, clock, kind: "hand_out" },
    concurrency: () => 1,
    async perform({ id, subject }: OutboxRow) {
      const found = store.read((tx) => findHandOut(tx, subject));
      const keptUntil = found?.state === "making" ? await make(subject) : (found?.expiresAt ?? null);
      if (keptUntil === undefined) return;
      const isKept = keptUntil !== null && keptUntil > clock.now();
      if (!isKept) files.remove(subject);
      await store.write((tx) => {
        if (isKept) return postpone(tx, id, keptUntil);
        removeHandOut(tx, subject);
        finish(tx, id);
      });
    },
    onError: (error, row) =>
      log.error("contact.hand_out_failed", "An archive could not be made; trying again", {
        handOut: row?.subject,
        error,
      }),
  });
  return worker;
}

/** At the start: rows and archives that belong together. After a move, an archive is made again when it is asked for. */
export async function matchHandOuts(store: Store, files: HandOutFiles): Promise<void> {
  removeStrayHandOuts(store, files);
  await store.write((tx) => removeMissing(tx, (id) => files.has(id)));
}
