/**
 * Opens a connection over which a request may be sent: TCP, and for https a finished TLS handshake with an accepted
 * certificate. Nothing of a request is written before that, so a connection that could not be opened proves that
 * nothing was sent. Variables of the environment that name a proxy are not read.
 */
import * as net from "node:net";
import * as tls from "node:tls";

export interface Origin {
  /** A name, or an address without brackets. */
  host: string;
  port: number;
  isSecure: boolean;
}

/** `message` is the end of a sentence for people and contains no URL. `cause`: the socket's error, if it told one. */
export class ConnectFailure extends Error {
  /** TCP was connected: the TLS handshake failed. */
  readonly isConnected: boolean;

  constructor(code: string, isConnected: boolean, cause?: Error) {
    super(describe(code, isConnected), { cause });
    this.isConnected = isConnected;
  }
}

const LOOKUP_FAILURE_CODES: ReadonlySet<string> = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA", "EAI_NONAME"]);
export const CERTIFICATE_CODES =
  /^(CERT_|CRL_|DEPTH_ZERO|ERR_TLS_CERT|ERROR_IN_C|HOSTNAME_|INVALID_|PATH_LENGTH|SELF_SIGNED|UNABLE_TO_)/;

export function originOf(url: URL): Origin {
  const isSecure = url.protocol === "https:";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return { host, port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port), isSecure };
}

/**
 * Calls `done` once. The socket that is returned may be destroyed before, which fails the attempt. `lookup` resolves the
 * host in place of the system; it is not called for an address.
 */
export function connect(
  { host, port, isSecure }: Origin,
  lookup: net.LookupFunction | undefined,
  done: (failure: ConnectFailure | null, socket: net.Socket) => void,
): net.Socket {
  let isOpen = false;
  // Set at the TCP connection; a failure after it is one of the handshake.
  let isConnected = false;
  const target = { host, port, ...(lookup === undefined ? {} : { lookup }) };
  const socket = isSecure
    ? tls.connect({ ...target, ALPNProtocols: ["http/1.1"], ...(net.isIP(host) === 0 ? { servername: host } : {}) })
    : net.connect(target);
  const finish = (failure: ConnectFailure | null): void => {
    if (isOpen) return;
    isOpen = true;
    socket.off("error", onError);
    socket.off("close", onClose);
    if (failure !== null) {
      // A failed socket may report more than one error.
      socket.on("error", () => {});
      socket.destroy();
    }
    done(failure, socket);
  };
  const onError = (error: Error): void => finish(new ConnectFailure(codeOf(error), isConnected, error));
  const onClose = (): void => finish(new ConnectFailure("closed", isConnected));
  socket.on("error", onError);
  socket.on("close", onClose);
  socket.once("connect", () => {
    isConnected = true;
    if (!isSecure) finish(null);
  });
  if (isSecure) socket.once("secureConnect", () => finish(null));
  return socket;
}

function describe(code: string, isConnected: boolean): string {
  if (LOOKUP_FAILURE_CODES.has(code)) return `the host name was not resolved (${code})`;
  if (code === "ECONNREFUSED") return `the connection was refused (${code})`;
  if (CERTIFICATE_CODES.test(code)) return `the host's certificate was not accepted (${code})`;
  return isConnected ? `the TLS handshake failed (${code})` : `the host could not be connected to (${code})`;
}

/** Only the code, because messages of the runtime may contain an address. */
export function codeOf(error: unknown): string {
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "string")
    return error.code;
  return error instanceof Error ? error.name : "unknown error";
}
