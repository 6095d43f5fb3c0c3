/**
 * The network's callbacks: bodies of a thousand statuses, signed, posted at a steady pace whether or not the previous
 * one has been answered. Each message gets `sent`, `delivered` and `read`, in consecutive bodies.
 */
import { createHmac } from "node:crypto";
import { answerJobs, partArgument } from "../part.ts";

export interface StatusArgument {
  url: string;
  secret: string;
  accountId: string;
  phoneNumberId: string;
  /** JSON: a list of `[network's message id, send token]`. */
  messagesFile: string;
}

export interface StatusJob {
  perSecond: number;
  perBody: number;
}

export interface StatusResult {
  statuses: number;
  bodies: number;
  /** From the first post to the last answer. */
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** Answers other than 200. */
  refused: number;
}

const KINDS = ["sent", "delivered", "read"] as const;

const { url, secret, accountId, phoneNumberId, messagesFile } = partArgument<StatusArgument>();
const messages = (await Bun.file(messagesFile).json()) as [networkId: string, reference: string][];

function bodyOf(status: string, from: number, count: number): string {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const statuses = messages.slice(from, from + count).map(([id, reference]) => ({
    id,
    status,
    timestamp,
    recipient_id: "919000000000",
    biz_opaque_callback_data: reference,
    conversation: { id: "5d2b6d6ddb7a14a8a5c5", origin: { type: "marketing" } },
    pricing: { billable: true, pricing_model: "PMP", category: "marketing", type: "regular" },
  }));
  const metadata = { display_phone_number: "911244001100", phone_number_id: phoneNumberId };
  const value = { messaging_product: "whatsapp", metadata, statuses };
  const entry = [{ id: accountId, changes: [{ field: "messages", value }] }];
  return JSON.stringify({ object: "whatsapp_business_account", entry });
}

answerJobs<StatusJob>(0, async ({ perSecond, perBody }) => {
  const times: number[] = [];
  const open: Promise<void>[] = [];
  let refused = 0;
  const post = async (body: string): Promise<void> => {
    const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    const sentAt = performance.now();
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-hub-signature-256": signature },
      body,
    });
    await answer.arrayBuffer();
    times.push(performance.now() - sentAt);
    if (answer.status !== 200) refused += 1;
  };
  const startedAt = performance.now();
  let bodies = 0;
  let statuses = 0;
  for (let from = 0; from < messages.length; from += perBody) {
    for (const kind of KINDS) {
      const wait = startedAt + (bodies * perBody * 1000) / perSecond - performance.now();
      if (wait > 0) await Bun.sleep(wait);
      open.push(post(bodyOf(kind, from, perBody)));
      bodies += 1;
      statuses += Math.min(perBody, messages.length - from);
    }
  }
  await Promise.all(open);
  const seconds = (performance.now() - startedAt) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
  return {
    statuses,
    bodies,
    seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    maxMs: times.at(-1) ?? Number.NaN,
    refused,
  } satisfies StatusResult;
});
