/** Sentences for the operator about a post that got no answer. */
import { LookupFailure } from "./checked-lookup.ts";
import { CERTIFICATE_CODES, type ConnectFailure, codeOf } from "./connect.ts";

export type PostFailure = "timeout" | LookupFailure["reason"] | "connection" | "tls" | "protocol";

interface Described {
  reason: PostFailure;
  message: string;
}

/** Error codes of the runtime's sockets when the other side has hung up. */
const HANGUP_CODES: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "ERR_SOCKET_CLOSED"]);

/** Whether the other side ended the connection; `code`: of the error that ended it, null for none. */
export function isHangup(code: string | null): boolean {
  return code === null || HANGUP_CODES.has(code);
}

/** Of a connection that ended before its answer was complete. */
export function describeLoss(code: string | null): Described {
  if (!isHangup(code)) return { reason: "connection", message: `The connection failed: ${code}.` };
  return { reason: "connection", message: "The receiver closed the connection before its answer was complete." };
}

export function describeConnectFailure({ cause, isConnected }: ConnectFailure): Described {
  if (cause instanceof LookupFailure) return { reason: cause.reason, message: cause.message };
  const code = cause === undefined ? "" : codeOf(cause);
  const detail = cause instanceof Error && cause.message !== "" ? cause.message : code || "the receiver closed it";
  if (code === "ECONNREFUSED") {
    return { reason: "connection", message: "The receiver refused the connection: nothing listens there." };
  }
  if (CERTIFICATE_CODES.test(code)) {
    return { reason: "tls", message: `The receiver's certificate was not accepted: ${detail}.` };
  }
  if (isConnected) return { reason: "tls", message: `The TLS handshake failed: ${detail}.` };
  return { reason: "connection", message: `The connection failed: ${detail}.` };
}
