/**
 * The fake Cloud API's side of signing up: Meta's dialog, a page with a person's choices, and the exchange of a code, which
 * works once. The tests say what the exchange answers.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

export const SIGN_UP_CONFIG_ID = "400000000000001";

interface Granted {
  redirectUri: string;
  isUsed: boolean;
}

/** What the exchange does instead of answering with the token. */
type ExchangeFault =
  | { kind: "error"; status: number; code: number }
  | { kind: "lost" }
  | { kind: "answer"; body: string };

interface App {
  id: string;
  /** Null: any is accepted, and so is any code. */
  secret: string | null;
  token: () => string;
}

export class GraphSignUp {
  /** The queries of the dialogs that were opened, in order. */
  readonly dialogs: URLSearchParams[] = [];
  /** The bodies of the exchanges, in order. */
  readonly exchanges: URLSearchParams[] = [];
  /** Of the next exchanges, in order. */
  readonly faults: ExchangeFault[] = [];
  /** Where an address that the dialog leads back to is really reached. */
  reach: (address: string) => string = (address) => address;
  readonly #codes = new Map<string, Granted>();
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  /** As the dialog does when the person has agreed: the address with a code, to which the browser goes. */
  agree(query: URLSearchParams): URL {
    const code = `AQD-code-of-the-test-${this.#codes.size + 1}`;
    const redirectUri = query.get("redirect_uri") ?? "";
    this.#codes.set(code, { redirectUri, isUsed: false });
    return backTo(query, { code });
  }

  cancel(query: URLSearchParams): URL {
    return backTo(query, {
      error: "access_denied",
      error_code: "200",
      error_reason: "user_denied",
      error_description: "Permissions error",
    });
  }

  /** False: the request is about something else. */
  serve(request: IncomingMessage, response: ServerResponse, bytes: Buffer): boolean {
    const url = new URL(request.url ?? "/", "http://graph");
    if (/^\/v\d+\.\d\/dialog\/oauth$/.test(url.pathname)) {
      this.#showDialog(url.searchParams, response);
      return true;
    }
    if (!/^\/v\d+\.\d\/oauth\/access_token$/.test(url.pathname)) return false;
    const body = new URLSearchParams(bytes.toString());
    this.exchanges.push(body);
    const isForm = request.method === "POST" && url.search === "";
    const fault = this.faults.shift();
    if (fault?.kind === "lost") {
      this.#use(body);
      request.socket.destroy();
    } else if (fault?.kind === "error") answerError(response, fault.status, fault.code);
    else if (fault?.kind === "answer") response.writeHead(200, { "content-type": "application/json" }).end(fault.body);
    else if (!isForm || body.get("client_id") !== this.#app.id) answerError(response, 400, 101);
    else if (this.#app.secret !== null && body.get("client_secret") !== this.#app.secret) answerError(response, 400, 1);
    else if (this.#app.secret !== null && !this.#use(body)) answerError(response, 400, 100);
    else {
      const token = { access_token: this.#app.token(), token_type: "bearer", expires_in: 5_183_944 };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(token));
    }
    return true;
  }

  #use(body: URLSearchParams): boolean {
    const granted = this.#codes.get(body.get("code") ?? "");
    if (granted === undefined || granted.isUsed || granted.redirectUri !== body.get("redirect_uri")) return false;
    granted.isUsed = true;
    return true;
  }

  #showDialog(query: URLSearchParams, response: ServerResponse): void {
    this.dialogs.push(query);
    const link = (name: string, to: URL) => `<a href="${this.reach(to.href).replaceAll("&", "&amp;")}">${name}</a>`;
    const page = `<!doctype html><html lang="en"><title>Meta</title><h1>The fake dialog</h1>${link("Agree", this.agree(query))} ${link("Cancel", this.cancel(query))}`;
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
  }
}

function backTo(query: URLSearchParams, answer: Record<string, string>): URL {
  const url = new URL(query.get("redirect_uri") ?? "");
  for (const [name, value] of Object.entries({ ...answer, state: query.get("state") ?? "" })) {
    url.searchParams.set(name, value);
  }
  // Meta adds it to every address.
  url.hash = "_=_";
  return url;
}

function answerError(response: ServerResponse, status: number, code: number): void {
  const error = { message: "Something about this code", type: "OAuthException", code, fbtrace_id: "AQ" };
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
}
