/**
 * Everything that works on the open database: networks, services and the server's view of itself. A reset of test
 * control replaces it as a whole, because none of its memory may outlive the rows that it is about.
 */
import type { Service } from "#src/core/service-loop.ts";
import { OtherCommits } from "#src/db/other-commits.ts";
import { UNUSED_MEDIA } from "#src/domain/media/release.ts";
import type { System } from "#src/http/console/context.ts";
import { RequestLog } from "#src/http/request-log.ts";
import { MediaFetcher } from "#src/media/fetch-media.ts";
import { NetworkUploads } from "#src/media/network-uploads.ts";
import { UploadPieces } from "#src/media/pieces.ts";
import { UnusedMediaRemover } from "#src/media/remove-unused.ts";
import { MediaRoom } from "#src/media/room.ts";
import { Uploads } from "#src/media/uploads.ts";
import { RefusedCallbacks } from "#src/receiving/refused-callbacks.ts";
import { createSyncWorker, planSyncs } from "#src/receiving/sync-worker.ts";
import type { Environment, ServerContext, Storage } from "./context.ts";
import { createMailLinkWorker } from "./mail-links.ts";
import { createMailOwnersWorker } from "./mail-owners.ts";
import { connectNetworks } from "./networks.ts";
import {
  createErasureWorker,
  createHandOutWorker,
  createJoinWorker,
  matchHandOuts,
  personalFiles,
} from "./person-jobs.ts";
import { createSystem } from "./system.ts";
import { createWorkers, reclaimWork } from "./workers.ts";

export interface Runtime {
  context: ServerContext;
  system: System;
  refused: RefusedCallbacks;
  requestLog: RequestLog;
  /** In the order of their start. */
  services: readonly Service[];
  /** Every worker looks for due work: rows were changed behind its back. */
  notifyAll(): void;
  /** True while a service or the database works. */
  isWorking(): boolean;
}

/** Most of what a moved clock passes is housekeeping that finds nothing to do. Retention is a matter of days. */
const CONTROLLED_HOUSEKEEPING_MS = 6 * 3_600_000;

/** `onOtherCommit` is called after another process has committed. */
export async function createRuntime(
  environment: Environment,
  storage: Storage,
  onOtherCommit: () => void,
): Promise<Runtime> {
  const { media: settings, retention } = environment.config;
  const room = new MediaRoom(storage.store, settings.quotaBytes);
  const uploads = new Uploads({
    ...{ store: storage.store, files: storage.media, room },
    ...{ maxBytes: settings.maxBytes, keptFor: retention.uploads },
  });
  const { clock: time, random } = environment;
  const pieces = new UploadPieces({ uploads, clock: time, random });
  const outgoing = connectNetworks(environment, storage);
  const { store: database, media: stored, box } = storage;
  const networkUploads = new NetworkUploads({
    ...{ store: database, files: stored, box, networks: outgoing.networks, log: environment.log },
  });
  const context: ServerContext = {
    ...{ ...environment, ...storage, ...outgoing, room, uploads, pieces },
    provideFile: (number, uploadId) => networkUploads.provide(number, uploadId),
  };
  const { config, log, store, metrics, networks } = context;
  await reclaimWork(context);
  await uploads.removeUnfinished();
  await store.write(planSyncs);
  await matchHandOuts(store, personalFiles(context).handOuts);

  const accountSync = createSyncWorker({
    ...context,
    portOf: (name) => networks[name].account,
    everyMs: config.whatsapp.syncEveryMs,
    allowPrivate: config.webhooks.allowPrivate,
  });
  const { media: files, simulatedFiles, clock } = context;
  if (environment.control !== null)
    environment.control.isMovingFiles = () => files.isWorking || simulatedFiles.isWorking;
  const mediaFetcher = new MediaFetcher({ ...context, files, room, maxBytes: config.media.maxBytes });
  const unusedMedia = new UnusedMediaRemover({ store, clock, log, files });
  const housekeepingEveryMs = environment.control === null ? undefined : CONTROLLED_HOUSEKEEPING_MS;
  const workers = createWorkers({ ...context, endUnfinished: () => pieces.removeExpired(), housekeepingEveryMs }, [
    ["sync_account", accountSync],
    ["fetch_media", mediaFetcher],
    ["mail_link", createMailLinkWorker(context)],
    ["mail_owners", createMailOwnersWorker(context)],
    ["erase_person", createErasureWorker(context)],
    ["join_contacts", createJoinWorker(context)],
    ["hand_out", createHandOutWorker(context)],
    [UNUSED_MEDIA, unusedMedia],
  ]);
  const refused = new RefusedCallbacks({
    ...{ store, log, clock: context.socketClock },
    onRefused: metrics.countRefusedCallback,
  });
  // Test control goes back to an earlier state at each reset.
  const notesRuns = environment.control === null;
  const requestLog = new RequestLog({ ...{ store, log, notesRuns }, clock: context.socketClock });
  const system = createSystem(context);
  const otherCommits = new OtherCommits({
    store,
    onOtherCommit() {
      workers.notifyAll();
      onOtherCommit();
    },
    onPoll: workers.checkClock,
    onError: (error) => log.error("database.poll_failed", "Commits of other processes could not be polled", { error }),
  });
  const services = [refused, requestLog, ...workers.services, otherCommits, ...system.services];
  return {
    context,
    system,
    refused,
    requestLog,
    services,
    notifyAll: workers.notifyAll,
    isWorking: () => store.hasQueuedWrites || services.some((service) => service.isActive),
  };
}
