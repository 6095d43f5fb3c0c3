/** The fake Cloud API behind the tests that make every request of the console: it shows what `Objects` puts into it. */
import { type Graph, startGraph } from "./graph.ts";
import { type GraphAccount, graphAccount } from "./graph-account.ts";
import { type TestServer, type TestServerOptions, WITH_MAIL } from "./server.ts";

export interface MatrixNetwork extends AsyncDisposable {
  account: GraphAccount;
  graph: Graph;
  /** For the server that asks it. */
  config: NonNullable<TestServerOptions["config"]>;
}

export async function startMatrixNetwork(): Promise<MatrixNetwork> {
  const account = graphAccount({ details: { name: "Shop" }, numbers: [], webhook: null });
  const graph = await startGraph({ account });
  const config = { ...WITH_MAIL, whatsapp: { graphUrl: graph.url } };
  return { account, graph, config, [Symbol.asyncDispose]: () => graph[Symbol.asyncDispose]() };
}

/** Lets the network reach the server's callback address. */
export function reachServer({ account }: MatrixNetwork, { server }: TestServer): void {
  account.reach = (address) => server.url + new URL(address).pathname;
}
