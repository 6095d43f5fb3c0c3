/** Connects the server to the outside: the messaging networks, and the poster of webhooks. */
import { MessageWatch } from "#src/core/change-watch.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { findContentTemplate } from "#src/domain/messages/fill-template.ts";
import { isOfAnotherWorkspace } from "#src/domain/numbers/read.ts";
import type { Template } from "#src/domain/templates/table.ts";
import { createWebhookPoster } from "#src/net/post.ts";
import type { Network, OutboundMessage } from "#src/networks/network.ts";
import { SimulatedFiles } from "#src/networks/simulator/media.ts";
import { createSimulator } from "#src/networks/simulator/simulator.ts";
import { createWhatsapp } from "#src/networks/whatsapp/whatsapp.ts";
import { storeSimulated } from "#src/receiving/simulated-callbacks.ts";
import { OutcomeRecorder } from "#src/sending/outcome-recorder.ts";
import { Pace } from "#src/sending/pace.ts";
import { withProviderLog } from "#src/sending/provider-log.ts";
import { storedUploads } from "#src/sending/stored-uploads.ts";
import type { Environment, Outgoing, ServerContext, Storage } from "./context.ts";
import { withJournal } from "./control.ts";
import { isBlockedIn, simulatedNumbersIn } from "./simulated-numbers.ts";

export function connectNetworks(
  environment: Environment,
  { store }: Storage,
): Outgoing & Pick<ServerContext, "simulatedFiles"> {
  const { config, log, clock, socketClock, random, lookup, control, replacedNetworks, metrics, onNetworkTime } =
    environment;
  const poster = createWebhookPoster({ ...config.webhooks, clock: socketClock, lookup });
  const instrumented = (network: Network): Network =>
    withProviderLog(network, { store, clock, onRequest: metrics.countSend, onTime: onNetworkTime.emit });
  const simulatedFiles = new SimulatedFiles(config.media.directory);
  const simulator = createSimulator({
    files: simulatedFiles,
    clock,
    random,
    times: config.simulator,
    callBack: (callbacks) => void storeSimulated(store, clock, callbacks),
    findApproved: approvedIn(store),
    isAnotherBusiness: businessesIn(store),
    isBlocked: blocksIn(store),
    numbers: simulatedNumbersIn(store),
    control: control?.simulator,
  });
  const whatsapp = createWhatsapp(config.whatsapp, socketClock, storedUploads(store, log));
  return {
    networks: {
      simulator: instrumented(replacedNetworks.simulator ?? simulator),
      whatsapp: instrumented(replacedNetworks.whatsapp ?? whatsapp),
    },
    simulatedFiles,
    poster: metrics.withMetrics(control === null ? poster : withJournal(poster, control)),
    pace: new Pace(clock),
    watch: new MessageWatch(clock),
    recorder: new OutcomeRecorder({
      store,
      clock,
      onDelay: (number, message, isOver) => logDelay(log, number, message, isOver),
      onError: (error) => log.error("outcome.failed", "Outcome could not be recorded", { error }),
    }),
  };
}

/** A send never rejects: while the database cannot be read, no one is blocked. */
function blocksIn(store: Store): (outbound: OutboundMessage) => boolean {
  return ({ sender, to, recipientNetworkUserId }) => {
    try {
      return isBlockedIn(store, sender, { phone: to, userId: recipientNetworkUserId });
    } catch {
      return false;
    }
  };
}

/** The templates of this database, in which the simulator's are kept. */
function approvedIn(store: Store): (outbound: OutboundMessage) => Template | null {
  return ({ sender, content }) => {
    try {
      return store.read((tx) => findContentTemplate(tx, sender.phoneNumberId, content));
    } catch {
      // A send never rejects: while the database cannot be read, the template is not checked.
      return null;
    }
  };
}

/** A send never rejects: while the database cannot be read, no recipient is another business. */
function businessesIn(store: Store): (outbound: OutboundMessage) => boolean {
  return ({ sender, to }) => {
    if (to === null) return false;
    try {
      return store.read((tx) => isOfAnotherWorkspace(tx, sender.phoneNumberId, to));
    } catch {
      return false;
    }
  };
}

function logDelay(log: Log, number: number, message: number, isOver: boolean): void {
  if (isOver) log.info("outcome.recorded", "Delayed outcome recorded", { number, message });
  else
    log.error("outcome.delayed", "Outcome cannot be written; it is kept in memory, and its number sends nothing new", {
      number,
      message,
    });
}
