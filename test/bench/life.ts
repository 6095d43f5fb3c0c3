/**
 * The whole life of single messages: accepted, three statuses in signed bodies, three events delivered to a webhook. A
 * server and a database of its own, because the network has to know the server's address.
 */
import type { Plan } from "./measure.ts";
import { CONNECTIONS, sendRequests } from "./measure.ts";
import { type Compared, compare, interleave } from "./median.ts";
import { type Part, startAmong } from "./part.ts";
import type { LoadJob, LoadResult } from "./parts/load.ts";
import type { SoakNetworkArgument, SoakNetworkMeasurements } from "./parts/soak-network.ts";
import type { SoakReceiverMeasurements } from "./parts/soak-receiver.ts";
import { findPort, processorMs, type Subject, startSubject } from "./subject.ts";
import { ACCOUNT_ID, makeWorld, PHONE_NUMBER_ID, serverVariables, type World } from "./world.ts";

export interface LifeBench {
  world: World;
  subject: Subject;
  network: Part<true, SoakNetworkMeasurements>;
  receiver: Part<true, SoakReceiverMeasurements>;
  load: Part<LoadJob, LoadResult>;
}

export interface LifeRound {
  /** Messages a second, from the first request to the last event. */
  perSecond: number;
  /** A message, with its statuses and deliveries. */
  processorMicros: number;
  /** Of the answers to `POST /messages` meanwhile. */
  p99Ms: number;
}

export interface Life {
  rate: Compared;
  processor: Compared;
  p99: Compared;
}

const SECRET = "life-secret";
const EVENTS_PER_MESSAGE = 3;
const LADDER = [
  { status: "sent", steps: 1 },
  { status: "delivered", steps: 2 },
  { status: "read", steps: 3 },
];
const LOOK_EVERY_MS = 10;
/** After the last answer; a server that has not delivered all events by then has lost some. */
const LIMIT_MS = 60_000;

interface LifeOptions {
  /** Runs `serve`. */
  command: string[];
  directory: string;
  load: Part<LoadJob, LoadResult>;
  make?: typeof makeWorld;
}

/** Everything that is started is added to `parts`, for the caller to stop. */
export async function startLife(
  parts: { stop(): Promise<void> }[],
  { command, directory, load, make = makeWorld }: LifeOptions,
): Promise<LifeBench> {
  const port = findPort();
  const receiver = await startAmong<true, SoakReceiverMeasurements>(parts, "soak-receiver");
  const hook = `http://127.0.0.1:${receiver.port}/hook`;
  const world = await make(directory, hook, { senderHook: hook });
  const network = await startAmong<true, SoakNetworkMeasurements>(parts, "soak-network", {
    callbackUrl: `http://127.0.0.1:${port}/networks/whatsapp`,
    secret: SECRET,
    accountId: ACCOUNT_ID,
    phoneNumberId: PHONE_NUMBER_ID,
    ladder: LADDER,
  } satisfies SoakNetworkArgument);
  const subject = await startSubject(command, world.directory, port, {
    ...serverVariables(world.directory, port, `http://127.0.0.1:${network.port}`, CONNECTIONS),
    WAXWING_WHATSAPP_APP_SECRET: SECRET,
    WAXWING_LOG_LEVEL: "error",
  });
  parts.push(subject);
  return { world, subject, network, receiver, load };
}

/** Sends for `durationMs` and waits for the last event. Throws if an event is missing or came twice. */
export async function liveRound(
  { world, subject, network, receiver, load }: LifeBench,
  durationMs: number,
): Promise<LifeRound> {
  const [accepted, received] = [(await network.ask(true)).accepted, (await receiver.ask(true)).received];
  const used = processorMs(subject.pid);
  const startedAt = performance.now();
  const { answers, p99Ms } = await load.ask({
    port: subject.port,
    requests: sendRequests(world),
    connections: CONNECTIONS,
    durationMs,
    expectedStatus: 201,
  });
  const sentAt = performance.now();
  for (;;) {
    const { received: now, repeated } = await receiver.ask(true);
    if (repeated > 0) throw new Error(`${repeated} events were delivered twice`);
    // Requests that were in flight at the end have events as well.
    const messages = (await network.ask(true)).accepted - accepted;
    if (now - received === messages * EVENTS_PER_MESSAGE) break;
    if (performance.now() - sentAt > LIMIT_MS) {
      throw new Error(`${answers} messages have only ${now - received} events`);
    }
    await Bun.sleep(LOOK_EVERY_MS);
  }
  const messages = (await network.ask(true)).accepted - accepted;
  return {
    perSecond: messages / ((performance.now() - startedAt) / 1000),
    processorMicros: ((processorMs(subject.pid) - used) * 1000) / messages,
    p99Ms,
  };
}

/** Compared with the bare forwarder, which sends the message and knows nothing of statuses and events. */
export async function measureLife(
  life: LifeBench,
  { rounds, durationMs }: Plan,
  forwarder: Part<null, null>,
): Promise<Life> {
  const found = await interleave<LifeRound>(
    rounds,
    () => liveRound(life, durationMs),
    async () => {
      const used = processorMs(forwarder.pid);
      const { answers, perSecond, p99Ms } = await life.load.ask({
        port: forwarder.port,
        requests: sendRequests(life.world),
        connections: CONNECTIONS,
        durationMs,
        expectedStatus: 201,
      });
      return { perSecond, processorMicros: ((processorMs(forwarder.pid) - used) * 1000) / answers, p99Ms };
    },
  );
  return {
    rate: compare(found, ({ perSecond }) => perSecond),
    processor: compare(found, ({ processorMicros }) => processorMicros),
    p99: compare(found, ({ p99Ms }) => p99Ms),
  };
}
