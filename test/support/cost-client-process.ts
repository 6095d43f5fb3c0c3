/**
 * The client of `cost-map.ts`, as a process of its own, so that none of its work is on the measured thread. It gets a
 * request and says `ready`; told to go, it sends the request and says how many bytes the answer had.
 */

export interface CostRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Sent as it is; a larger one is in the file that `bodyFile` names. */
  body?: string;
  bodyFile?: string;
  /** A stream without an end is left after so long. */
  leaveAfterMs?: number;
}

export type CostAnswer = "ready" | { status: number; bytes: number };

let request: (() => Promise<CostAnswer>) | undefined;
const tell = (answer: CostAnswer): void => void process.send?.(answer);

process.on("message", async (told: CostRequest | "go") => {
  if (told === "go") {
    if (request !== undefined) tell(await request());
    return;
  }
  const { method, url, headers, bodyFile, leaveAfterMs } = told;
  const body = bodyFile === undefined ? told.body : await Bun.file(bodyFile).bytes();
  request = async () => {
    const leaving = new AbortController();
    let bytes = 0;
    let status = 0;
    const left = leaveAfterMs === undefined ? undefined : setTimeout(() => leaving.abort(), leaveAfterMs);
    try {
      const answer = await fetch(url, {
        method,
        headers,
        redirect: "manual",
        signal: leaving.signal,
        ...(body === undefined ? {} : { body }),
      });
      status = answer.status;
      for await (const piece of answer.body ?? []) bytes += piece.length;
    } catch (error) {
      if (!leaving.signal.aborted) throw error;
    }
    clearTimeout(left);
    return { status, bytes };
  };
  tell("ready");
});
