/**
 * The part that all peers share: Elysia on Bun accepts a job over HTTP, and a job is one POST to the network. A job is
 * accepted with 202 once `accept` has stored it, under the caller's idempotency key.
 */
import { Elysia } from "elysia";

export interface Job {
  key: string;
  to: string;
  text: string;
}

export const CONCURRENCY = Number(process.env.CONCURRENCY);
const NETWORK = process.env.NETWORK_URL ?? "";

/** Listens on PORT. */
export function serve(accept: (job: Job) => Promise<unknown>): void {
  new Elysia()
    .get("/", () => "ready")
    .post("/jobs", async ({ body, headers, set }) => {
      const { to, text } = body as { to: string; text: string };
      const key = headers["idempotency-key"] ?? "";
      await accept({ key, to, text });
      set.status = 202;
      return { data: { key, to, text, status: "accepted" } };
    })
    .listen({ hostname: "127.0.0.1", port: Number(process.env.PORT) });
}

/** The work: returns the network's id of the message. */
export async function send({ to, text }: Job): Promise<string> {
  const answer = await fetch(NETWORK, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer bench" },
    body: JSON.stringify({ messaging_product: "whatsapp", to, type: "text", text: { body: text } }),
  });
  if (!answer.ok) throw new Error(`the network answered ${answer.status}`);
  const { messages } = (await answer.json()) as { messages: { id: string }[] };
  return messages[0]?.id ?? "";
}

/** A connection that breaks is opened again by the library; it must not end the process. */
export function reportError(error: unknown): void {
  if (process.env.DEBUG !== undefined) console.error(error);
}
process.on("unhandledRejection", reportError);
