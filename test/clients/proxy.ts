/**
 * Stands between a client and the server: does what a step's faults say, by the id of the request, and notes every try.
 * So the calls of a script meet the same faults whatever language they come from.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * What happens to one try. `lose`: the server answers, and the answer is lost. `refuse`: the connection is closed before
 * the server sees the request. `late`: the server answers, and the answer never arrives. An answer is given instead of the server's.
 */
export type TryFault = "pass" | "lose" | "refuse" | "late" | GivenAnswer;

interface GivenAnswer {
  status: number;
  headers?: Record<string, string>;
  /** JSON, or text of another type. */
  body: unknown;
}

export interface ProxiedStep {
  id: string;
  /** Calls of the test control before the first try. */
  before?: [method: string, path: string, body: unknown][];
  /** By try; the tries after the last one pass. */
  faults?: TryFault[];
}

export interface Try {
  step: string;
  key: string | null;
  userAgent: string;
}

export interface RunningProxy {
  url: string;
  tries: Try[];
  stop(): Promise<void>;
}

interface Behind {
  origin: string;
  control: (method: string, path: string, body: unknown) => Promise<unknown>;
}

export async function startProxy(steps: readonly ProxiedStep[], { origin, control }: Behind): Promise<RunningProxy> {
  const known = new Map(steps.map((step) => [step.id, step]));
  const tries: Try[] = [];
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const id = String(request.headers["x-request-id"] ?? "");
    const step = known.get(id);
    const index = tries.filter((one) => one.step === id).length;
    const key = request.headers["idempotency-key"];
    tries.push({
      step: id,
      key: key === undefined ? null : String(key),
      userAgent: request.headers["user-agent"] ?? "",
    });
    if (index === 0) for (const call of step?.before ?? []) await control(...call);
    const fault = step?.faults?.[index] ?? "pass";
    if (fault === "refuse") return void request.socket.destroy();
    if (typeof fault === "object") return give(response, id, fault);
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
    const answer = await fetch(origin + request.url, {
      method: request.method ?? "GET",
      headers: { ...headers, "accept-encoding": "identity" },
      body: chunks.length === 0 ? null : Buffer.concat(chunks),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (fault === "lose") return void request.socket.destroy();
    // The client's time limit ends the connection.
    if (fault === "late") return;
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(body);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, tries, stop: () => close(server) };
}

function give(response: ServerResponse, id: string, { status, headers = {}, body }: GivenAnswer): void {
  const isText = typeof body === "string";
  response.writeHead(status, {
    "content-type": isText ? "text/html" : "application/json",
    ...(isText ? {} : { "x-request-id": id }),
    ...headers,
  });
  response.end(isText ? body : JSON.stringify(body));
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
