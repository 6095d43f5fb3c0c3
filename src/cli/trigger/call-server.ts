/** One call of a server's API or test control, for the commands of developers. */
import { CommandFailure } from "../failure.ts";
import { START_SERVER, silenceOf } from "../server-silence.ts";

const CALL_TIMEOUT_MS = 60_000;

interface ServerCall {
  /** Ends the wait for an answer. */
  signal?: AbortSignal;
  token: string;
  method: string;
  body?: object | undefined;
  /** A refusal is an answer too. */
  mayFail?: true | undefined;
}

/** Returns the JSON of the answer. Throws a `CommandFailure`. */
export async function callServer(url: string, { token, method, body, mayFail, signal }: ServerCall): Promise<unknown> {
  let status: number;
  let answer: { error?: { message?: string } };
  try {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([AbortSignal.timeout(CALL_TIMEOUT_MS), ...(signal === undefined ? [] : [signal])]),
    });
    status = response.status;
    answer = (await response.json()) as typeof answer;
  } catch (error) {
    throw new CommandFailure("unreachable", `${url} ${silenceOf(error)}`, START_SERVER);
  }
  if (status < 300 || mayFail) return answer;
  throw new CommandFailure("refused", `${url} answered ${status}: ${answer.error?.message ?? "no reason was given"}`);
}
