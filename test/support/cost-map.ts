/**
 * What each way into the server costs at its worst: a server of one workspace that is filled to its limits, asked for
 * everything by a client in a process of its own, while the turns of the server's thread are measured. Processor time is
 * counted and not the time of day, so other work on the machine hardly changes it; of several measurements the least
 * counts, because a collection of garbage or a first compilation belongs to none of them.
 */
import { spyOn } from "bun:test";
import { join } from "node:path";
import { Elysia } from "elysia";
import { startSession } from "#src/domain/users/sessions.ts";
import { PASSWORD_COST } from "#src/http/console/passwords.ts";
import { firstOperator, person, Visitor } from "./console.ts";
import { type Bounds, exceptions, type Kind, RULE } from "./cost-bounds.ts";
import type { CostAnswer, CostRequest } from "./cost-client-process.ts";
import { APP_SECRET, type Input, type Way, type World, waysOf } from "./cost-ways.ts";
import { fatten } from "./fat-shop.ts";
import { reachServer, startMatrixNetwork } from "./matrix-network.ts";
import { Objects } from "./matrix-objects.ts";
import { METRICS_TOKEN, startTestServer, type TestServer } from "./server.ts";
import { measureTurns } from "./thread-turns.ts";

const OPERATOR = "op@example.com";

export interface Cost extends Bounds {
  status: number;
}

export class CostServer implements AsyncDisposable {
  readonly ways: readonly Way[];
  readonly #world: World;
  readonly #network: AsyncDisposable;
  readonly #client: Bun.Subprocess;
  #answered: (answer: CostAnswer) => void = () => undefined;

  private constructor(world: World, ways: readonly Way[], network: AsyncDisposable) {
    this.#network = network;
    this.#world = world;
    this.ways = ways;
    this.#client = Bun.spawn([process.execPath, join(import.meta.dir, "cost-client-process.ts")], {
      ipc: (answer: CostAnswer) => this.#answered(answer),
      stdio: ["ignore", "inherit", "inherit"],
    });
  }

  static async start(): Promise<CostServer> {
    let routes: string[] = [];
    const compile = Elysia.prototype.compile;
    using _ = spyOn(Elysia.prototype, "compile").mockImplementation(function (this: Elysia) {
      routes = this.routes.map(({ method, path }) => `${method} ${path}`);
      return compile.call(this);
    });
    const network = await startMatrixNetwork();
    const app = await startTestServer({
      ...{ mayBreak: true, checksAnswers: false, passwordCost: PASSWORD_COST, expectedErrors: / / },
      config: {
        ...network.config,
        server: { ...network.config.server, metricsToken: METRICS_TOKEN },
        whatsapp: { ...network.config.whatsapp, appSecret: APP_SECRET },
      },
    });
    reachServer(network, app);
    const operator = await firstOperator(app, "prepares@example.com");
    await person(app, OPERATOR, "operator");
    const billing = { rate: 8_500, balance: 1_000_000_000_000 };
    const side = new Objects(app, await app.workspace({ number: "+911244001100", billing }), operator, network.account);
    await side.furnish();
    fatten(side);
    app.clock.release();
    return new CostServer({ app, side, visit: () => signIn(app) }, waysOf(routes), network);
  }

  get side(): Objects {
    return this.#world.side;
  }

  async measure({ prepare }: Input): Promise<Cost> {
    const { request, after, settled } = await prepare(this.#world);
    await this.#tell(request);
    await this.#world.app.clock.rest();
    const end = measureTurns();
    const answer = await this.#tell("go");
    await settled?.();
    const { longestMs, memory } = end();
    await after?.();
    if (answer === "ready") throw new Error("the client did not send");
    return { sliceMs: longestMs, memory, ...answer };
  }

  #tell(message: CostRequest | "go"): Promise<CostAnswer> {
    return new Promise((resolve) => {
      this.#answered = resolve;
      this.#client.send(message);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.kill();
    await this.#client.exited;
    await this.#world.app[Symbol.asyncDispose]();
    await this.#network[Symbol.asyncDispose]();
  }
}

async function signIn(app: TestServer): Promise<Visitor> {
  const visitor = new Visitor(app);
  const id = Number(app.store.client.prepare("SELECT id FROM users WHERE email = ?").pluck().get(OPERATOR));
  const { token } = await app.store.write((tx) => startSession(tx, id, { address: "127.0.0.1", agent: "test" }));
  visitor.cookie = `waxwing=${token}`;
  return visitor;
}

/** The rule, or more where an exception says so. */
export function boundsOf({ name, kind }: { name: string; kind: Kind }): Bounds {
  const given = exceptions.filter(({ ways }) => ways.test(name));
  const largest = (what: keyof Bounds): number => Math.max(RULE[kind][what], ...given.map((one) => one[what] ?? 0));
  return { sliceMs: largest("sliceMs"), bytes: largest("bytes"), memory: largest("memory") };
}

/** What a cost exceeds, with so many times the bounds of time and memory allowed. */
export function excess(cost: Bounds, bounds: Bounds, factor: number): string[] {
  const allowed: Bounds = { sliceMs: factor * bounds.sliceMs, bytes: bounds.bytes, memory: factor * bounds.memory };
  return (Object.keys(allowed) as (keyof Bounds)[]).flatMap((what) =>
    cost[what] > allowed[what] ? [`${what} ${Math.round(cost[what])} instead of ${allowed[what]}`] : [],
  );
}

/** The least of each figure; of the bytes, the most. */
export function minOf(costs: readonly Cost[]): Cost {
  const min = (what: keyof Bounds): number => Math.min(...costs.map((cost) => cost[what]));
  const statuses = costs.map(({ status }) => status);
  return {
    ...{ sliceMs: min("sliceMs"), memory: min("memory") },
    bytes: Math.max(...costs.map(({ bytes }) => bytes)),
    status: statuses.find((status) => status >= 300) ?? statuses[0] ?? 0,
  };
}
