/**
 * A server that an owner connects to Meta in the console: a workspace without a number, the fake Cloud API as the other
 * side, and the requests of the pages.
 */
import { join } from "node:path";
import { loadKeys } from "#src/core/key-file.ts";
import { systemRandom } from "#src/core/random.ts";
import { createSecretBox, type SecretBox } from "#src/core/secret.ts";
import { TestClock } from "./clock.ts";
import { person, type Visitor } from "./console.ts";
import {
  GRAPH_ACCOUNT_ID,
  GRAPH_APP_SECRET,
  GRAPH_PHONE_NUMBER_ID,
  GRAPH_TOKEN,
  type Graph,
  startGraph,
} from "./graph.ts";
import { GRAPH_APP_ID, type GraphAccount, graphAccount, graphNumber, graphTemplate } from "./graph-account.ts";
import { GraphSignUp } from "./graph-sign-up.ts";
import {
  type Answered,
  startTestServer,
  type TestServer,
  type TestServerOptions,
  type TestWorkspace,
} from "./server.ts";

export const PUBLIC_URL = "https://wa.example.com";
export const PIN = "135791";

export interface ConnectWorld extends AsyncDisposable {
  app: TestServer;
  graph: Graph;
  account: GraphAccount;
  clock: TestClock;
  box: SecretBox;
  signUp: GraphSignUp;
  workspace: TestWorkspace;
  owner: Visitor;
  /** Below `/w/{workspace}`. */
  at: (path: string) => string;
  enter: (body?: object) => Promise<Answered>;
  choose: (body?: object) => Promise<Answered>;
  setUp: (id: number, body?: object) => Promise<Answered>;
  register: (id: number, pin?: string) => Promise<Answered>;
  findings: (id: number) => Promise<ConsoleFinding[]>;
  /** Enters, chooses, sets up and registers; the number's id. */
  connect: () => Promise<number>;
}

export interface ConsoleFinding {
  level: string;
  check: string;
  message: string;
  next: string | null;
  issue: string | null;
  step: string;
}

/** As Meta has it at first: a number that is not registered, an app without a webhook. */
export function freshAccount(more: Partial<GraphAccount> = {}): GraphAccount {
  return graphAccount({
    details: { name: "Corner Shop GmbH", owner_business_info: { id: "500000000000001" }, primary_funding_id: "1" },
    numbers: [graphNumber(GRAPH_PHONE_NUMBER_ID, "+49 30 23125012", { status: "PENDING" })],
    templates: [graphTemplate("greeting")],
    subscribedApps: [],
    webhook: null,
    appSecret: GRAPH_APP_SECRET,
    token: {
      isValid: true,
      scopes: ["whatsapp_business_messaging", "whatsapp_business_management"],
      appId: "300000000000001",
      expiresAt: 0,
      accountIds: [GRAPH_ACCOUNT_ID],
    },
    ...more,
  });
}

export async function startConnecting(
  options: Pick<TestServerOptions, "config" | "expectedErrors"> = {},
): Promise<ConnectWorld> {
  const clock = new TestClock();
  const account = freshAccount();
  const signUp = new GraphSignUp({ id: GRAPH_APP_ID, secret: GRAPH_APP_SECRET, token: () => GRAPH_TOKEN });
  const graph = await startGraph({ now: () => clock.now(), account, signUp });
  const app = await startTestServer({
    ...options,
    clock,
    config: {
      ...options.config,
      server: { publicUrl: PUBLIC_URL, ...options.config?.server },
      whatsapp: {
        ...{ graphUrl: graph.url, dialogUrl: graph.url, appSecret: null, verifyToken: null },
        ...options.config?.whatsapp,
      },
    },
  });
  const own = `${app.server.url}/networks/whatsapp`;
  account.reach = (address) => (address === `${PUBLIC_URL}/networks/whatsapp` ? own : null);
  graph.callTo(own);
  const workspace = await app.workspace({ country: "DE", number: null });
  const owner = await person(app, "owner@example.com", "owner", workspace.id);
  const keys = loadKeys({ keyFile: join(app.directory, "waxwing.key"), env: {}, random: systemRandom }, false);
  const at = (path: string): string => `/w/${workspace.id}${path}`;
  const world: ConnectWorld = {
    ...{ app, graph, account, clock, signUp, workspace, owner, at },
    box: createSecretBox(keys, systemRandom),
    enter: (body = { token: GRAPH_TOKEN, app_secret: GRAPH_APP_SECRET }) => owner.ask("PUT", at("/connection"), body),
    choose: (body = { account_id: GRAPH_ACCOUNT_ID, phone_number_id: GRAPH_PHONE_NUMBER_ID }) =>
      owner.post(at("/connection/number"), body),
    setUp: (id, body = {}) => owner.post(at(`/numbers/${id}/webhook`), body),
    register: (id, pin = PIN) => owner.post(at(`/numbers/${id}/register`), { pin }),
    findings: async (id) => (await owner.get(at(`/numbers/${id}/findings`))).body.data,
    async connect() {
      await world.enter();
      const { id } = (await world.choose()).body.data;
      await world.setUp(id);
      await clock.advance(1_000);
      await world.register(id);
      await clock.advance(1_000);
      return id;
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await graph[Symbol.asyncDispose]();
    },
  };
  return world;
}
