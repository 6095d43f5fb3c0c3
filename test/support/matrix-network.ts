/** The fake Cloud API behind the tests that make every request of the console: it shows what `Objects` puts into it. */
import { GRAPH_TOKEN, type Graph, startGraph } from "./graph.ts";
import { GRAPH_APP_ID, type GraphAccount, graphAccount } from "./graph-account.ts";
import { GraphSignUp, SIGN_UP_CONFIG_ID } from "./graph-sign-up.ts";
import { type TestServer, type TestServerOptions, WITH_MAIL } from "./server.ts";

export interface MatrixNetwork extends AsyncDisposable {
  account: GraphAccount;
  graph: Graph;
  /** For the server that asks it. */
  config: NonNullable<TestServerOptions["config"]>;
}

export async function startMatrixNetwork(): Promise<MatrixNetwork> {
  const account = graphAccount({ details: { name: "Shop" }, numbers: [], webhook: null });
  const signUp = new GraphSignUp({ id: GRAPH_APP_ID, secret: null, token: () => GRAPH_TOKEN });
  const graph = await startGraph({ account, signUp });
  const app = { appId: GRAPH_APP_ID, signupConfigId: SIGN_UP_CONFIG_ID, appSecret: "secret-of-the-server" };
  const config = { ...WITH_MAIL, whatsapp: { graphUrl: graph.url, dialogUrl: graph.url, ...app } };
  return { account, graph, config, [Symbol.asyncDispose]: () => graph[Symbol.asyncDispose]() };
}

/** Lets the network reach the server's callback address. */
export function reachServer({ account }: MatrixNetwork, { server }: TestServer): void {
  account.reach = (address) => server.url + new URL(address).pathname;
}
