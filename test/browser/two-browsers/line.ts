/**
 * The line between one browser and the server, on TCP: it is cut, it answers 502 as a proxy does whose server is gone, it loses or
 * delays one answer, it breaks one off in the middle, and it ends the streams alone.
 */
import { connect, createServer, type Server, type Socket } from "node:net";

type Fault =
  /** The answer never comes: its connection ends once the server has answered. */
  | { kind: "lost" }
  /** The first part of the answer comes, then its connection ends. */
  | { kind: "broken" }
  | { kind: "late"; ms: number };

interface Armed {
  /** Of the request's first line. */
  match: RegExp;
  fault: Fault;
  /** How many requests it meets. A browser repeats at once what a kept connection lost. */
  times: number;
}

interface Connection {
  client: Socket;
  server: Socket;
  /** The first line of the request that is under way, or was last. */
  request: string;
}

const REQUEST = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE) \S+/;
const STREAM = "/inbox/live";
const BAD_GATEWAY =
  "HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\ncontent-length: 9\r\nconnection: close\r\n\r\nNo server";

export class Line {
  readonly #connections = new Set<Connection>();
  readonly #server: Server;
  readonly #target: number;
  #armed: Armed[] = [];
  #state: "open" | "cut" | "gateway" = "open";

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((client) => this.#serve(client));
  }

  static async open(target: number): Promise<Line> {
    const line = new Line(target);
    await new Promise<void>((resolve) => line.#server.listen(0, "127.0.0.1", resolve));
    return line;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** `gateway`: requests are answered with 502. */
  cut(how: "cut" | "gateway"): void {
    this.#state = how;
    this.#end(() => true);
  }

  /** Also ends what was armed and met nothing. */
  restore(): void {
    this.#state = "open";
    this.#armed = [];
  }

  /** The next request that matches meets the fault. */
  arm(match: RegExp, fault: Fault, times = 1): void {
    this.#armed.push({ match, fault, times });
  }

  cutStreams(): void {
    this.#end(({ request }) => request.includes(STREAM));
  }

  close(): void {
    this.cut("cut");
    this.#server.close();
  }

  #end(which: (connection: Connection) => boolean): void {
    for (const { client, server } of [...this.#connections].filter(which)) {
      client.destroy();
      server.destroy();
    }
  }

  #serve(client: Socket): void {
    client.on("error", () => client.destroy());
    if (this.#state === "cut") {
      client.destroy();
      return;
    }
    if (this.#state === "gateway") {
      client.once("data", () => client.end(BAD_GATEWAY));
      return;
    }
    const server = connect(this.#target, "127.0.0.1");
    const connection: Connection = { client, server, request: "" };
    this.#connections.add(connection);
    const end = (): void => {
      client.destroy();
      server.destroy();
      this.#connections.delete(connection);
    };
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on("error", end);
      socket.on("close", end);
    }
    let fault: Fault | null = null;
    let isAnswered = true;
    let delayed: Promise<unknown> = Promise.resolve();
    client.on("data", (chunk: Buffer) => {
      const first = isAnswered ? REQUEST.exec(chunk.toString("latin1", 0, 500)) : null;
      if (first !== null) {
        connection.request = first[0];
        isAnswered = false;
        fault = this.#take(connection.request);
      }
      server.write(chunk);
    });
    server.on("data", (chunk: Buffer) => {
      isAnswered = true;
      if (fault?.kind === "lost") end();
      else if (fault?.kind === "broken") {
        const headers = chunk.indexOf("\r\n\r\n") + 4;
        client.write(chunk.subarray(0, headers + Math.floor((chunk.length - headers) / 2)), () => end());
      } else if (fault?.kind === "late") {
        const { ms } = fault;
        delayed = Promise.all([delayed, Bun.sleep(ms)]).then(() => client.writable && client.write(chunk));
        fault = { kind: "late", ms: 0 };
      } else client.write(chunk);
    });
  }

  #take(request: string): Fault | null {
    const found = this.#armed.find(({ match }) => match.test(request));
    if (found === undefined) return null;
    found.times -= 1;
    if (found.times === 0) this.#armed = this.#armed.filter((one) => one !== found);
    return found.fault;
  }
}
