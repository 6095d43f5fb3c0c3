/**
 * A whole server connected to the fake Cloud API: one workspace, one number with a sealed token, the account's
 * templates synced, callbacks signed and sent to the server's real address.
 */

import { join } from "node:path";
import { randomText } from "#src/core/id.ts";
import { loadKeys } from "#src/core/key-file.ts";
import { systemRandom } from "#src/core/random.ts";
import { createSecretBox, type SecretBox } from "#src/core/secret.ts";
import { addNumber } from "#src/domain/numbers/add.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { accessTokenContext, appSecretContext } from "#src/networks/credentials.ts";
import { TestClock } from "./clock.ts";
import {
  type Change,
  GRAPH_ACCOUNT_ID,
  GRAPH_APP_SECRET,
  GRAPH_PHONE_NUMBER_ID,
  GRAPH_TOKEN,
  type Graph,
  type GraphOptions,
  startGraph,
} from "./graph.ts";
import { type GraphAccount, graphAccount, graphTemplate } from "./graph-account.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import {
  type Answered,
  startTestServer,
  type TestServer,
  type TestServerOptions,
  type TestWorkspace,
} from "./server.ts";

export const VERIFY_TOKEN = "verify-token-of-the-test";
export const FROM = "+4930000000";

export interface WhatsappWorld extends AsyncDisposable {
  app: TestServer;
  graph: Graph;
  account: GraphAccount;
  clock: TestClock;
  box: SecretBox;
  workspace: TestWorkspace;
  webhooks: Receiver;
  callbackUrl: string;
  number(): SendingNumber;
  /** Adds a number on the network to a workspace. */
  addNumber(workspaceId: number, more?: Partial<NumberRecipe>): Promise<SendingNumber>;
  /** Posts a callback and waits until it is applied. */
  hear(...posted: Parameters<Graph["callback"]>): Promise<number>;
  /** `POST /messages`, by default the template `greeting` to a German number. */
  send(body?: object, key?: string): Promise<Answered>;
  /** Types of the events that the customer got, in order. */
  events(): string[];
}

interface NumberRecipe {
  phone: string;
  phoneNumberId: string;
  accountId: string;
  token: string;
  appSecret: string | null;
}

export interface WorldOptions extends Pick<TestServerOptions, "config" | "expectedErrors" | "clock"> {
  graph?: Omit<GraphOptions, "account">;
  account?: GraphAccount;
  workspace?: Parameters<TestServer["workspace"]>[0];
  number?: Partial<NumberRecipe>;
  /** Null: the configuration has none. */
  appSecret?: string | null;
}

export async function startWhatsapp(options: WorldOptions = {}): Promise<WhatsappWorld> {
  const clock = options.clock ?? new TestClock();
  const account = options.account ?? graphAccount({ templates: [graphTemplate("greeting")] });
  const graph = await startGraph({ now: () => clock.now(), ...options.graph, account });
  const webhooks = startReceiver();
  const app = await startTestServer({
    ...options,
    clock,
    config: {
      ...options.config,
      whatsapp: {
        graphUrl: graph.url,
        appSecret: options.appSecret === undefined ? GRAPH_APP_SECRET : options.appSecret,
        verifyToken: VERIFY_TOKEN,
        ...options.config?.whatsapp,
      },
    },
  });
  const key = loadKeys({ keyFile: join(app.directory, "waxwing.key"), env: {}, random: systemRandom }, false);
  const box = createSecretBox(key, systemRandom);
  const callbackUrl = `${app.server.url}/networks/whatsapp`;
  graph.callTo(callbackUrl);
  const made = await app.workspace({ country: "DE", number: null, ...options.workspace });
  await app.webhook(made, webhooks.url);

  const addOne = async (workspaceId: number, more: Partial<NumberRecipe> = {}): Promise<SendingNumber> => {
    const phoneNumberId = more.phoneNumberId ?? GRAPH_PHONE_NUMBER_ID;
    const added = await app.store.write((tx) =>
      addNumber(tx, workspaceId, {
        phone: more.phone ?? FROM,
        name: "Shop",
        throughput: 1_000,
        route: {
          network: "whatsapp",
          phoneNumberId,
          accountId: more.accountId ?? GRAPH_ACCOUNT_ID,
          accessToken: box.seal(more.token ?? GRAPH_TOKEN, accessTokenContext(phoneNumberId)),
          appSecret: more.appSecret == null ? null : box.seal(more.appSecret, appSecretContext(phoneNumberId)),
        },
      }),
    );
    // The first sync of the account, and a full bucket.
    await clock.advance(1_000);
    return app.store.read((tx) => getNumber(tx, added.id));
  };
  const first = await addOne(made.id, options.number);
  return {
    app,
    graph,
    account,
    clock,
    box,
    webhooks,
    callbackUrl,
    workspace: { ...made, number: first.phone, numberId: first.id },
    number: () => app.store.read((tx) => getNumber(tx, first.id)),
    addNumber: addOne,
    async hear(...posted) {
      const status = await graph.callback(...posted);
      await clock.advance(0);
      return status;
    },
    send: (body = {}, key = randomText(systemRandom, 12)) =>
      app.send("POST", "/api/v1/messages", {
        key: made.key,
        body: { to: "+4915112345678", template: "greeting", variables: ["Anna"], ...body },
        headers: { "Idempotency-Key": key },
      }),
    events: () => webhooks.types(),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await graph[Symbol.asyncDispose]();
      await webhooks[Symbol.asyncDispose]();
    },
  };
}

/** An inbound message, as a change. */
export function textFrom(graph: Graph, from: string, body: string, more: object = {}): Change {
  const id = `wamid.${randomText(systemRandom, 20)}`;
  return graph.inbound({ from: from.slice(1), id, timestamp: "1795248000", type: "text", text: { body }, ...more });
}

/** Rows of a query, for state that no interface shows. */
export function rows<Row = Record<string, unknown>>(store: TestServer["store"], query: string): Row[] {
  return store.client.prepare(query).all() as Row[];
}
