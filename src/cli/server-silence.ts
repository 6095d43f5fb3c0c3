/** What a command says of a server that does not answer. */

export const START_SERVER = "start the server there, or name another one with --server URL";

/** The end of a sentence that begins with the server's address. `error`: what `fetch` threw. */
export function silenceOf(error: unknown): string {
  return error instanceof Error && error.name === "TimeoutError" ? "does not answer in time" : "does not answer";
}
