/** A customer's webhook receiver: records every request as raw bytes and answers as the test says. */
export interface Received {
  body: string;
  path: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events member by member; a missing member fails the assertion.
  event: any;
  headers: Headers;
}

export interface Receiver extends AsyncDisposable {
  url: string;
  received: Received[];
  /** The statuses of the next answers; the last one repeats. Default: 200. */
  respond: (request: Received, count: number) => Response | Promise<Response>;
  types(): string[];
}

export function startReceiver(): Receiver {
  const received: Received[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text();
      const one: Received = {
        body,
        path: new URL(request.url).pathname,
        event: JSON.parse(body),
        headers: request.headers,
      };
      received.push(one);
      return receiver.respond(one, received.length);
    },
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${server.port}/hook`,
    received,
    respond: () => new Response("thanks"),
    types: () => received.map(({ event }) => event.type),
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
  return receiver;
}
