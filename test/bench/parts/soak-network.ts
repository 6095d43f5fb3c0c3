/**
 * A network that does all of its work: it accepts every message, and reports a moment later that it was sent, delivered
 * and read, many statuses in one signed body, as Meta does. `true` returns its counts.
 */
import { createHmac } from "node:crypto";
import { answerJobs, partArgument } from "../part.ts";

export interface SoakNetworkArgument {
  callbackUrl: string;
  secret: string;
  accountId: string;
  phoneNumberId: string;
  /** When it reports each status of a message, in tenths of a second; usually 0.1, 0.5 and 1.2 s after accepting it. */
  ladder?: { status: string; steps: number }[];
}

export interface SoakNetworkMeasurements {
  accepted: number;
  /** Statuses that the server has accepted. */
  told: number;
  /** Bodies that it did not accept. */
  refused: number;
}

interface Taken {
  id: string;
  reference: string;
  digits: string;
}

const EVERY_MS = 100;
const USUAL_LADDER = [
  { status: "sent", steps: 1 },
  { status: "delivered", steps: 5 },
  { status: "read", steps: 12 },
];
const PER_BODY = 500;

const argument = partArgument<SoakNetworkArgument>();
const { callbackUrl, secret, accountId, phoneNumberId, ladder = USUAL_LADDER } = argument;
const STEPS = Math.max(...ladder.map(({ steps }) => steps)) + 1;
const metadata = { display_phone_number: "911244001100", phone_number_id: phoneNumberId };
const measurements: SoakNetworkMeasurements = { accepted: 0, told: 0, refused: 0 };
/** The messages accepted in the last steps, newest first. */
const steps: Taken[][] = Array.from({ length: STEPS }, () => []);

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    // It knows nothing of the account, so that the server's copy stays unchanged.
    if (request.method !== "POST") return new Response(null, { status: 503 });
    const { to, biz_opaque_callback_data: reference } = (await request.json()) as Record<string, string>;
    if (to === undefined || reference === undefined) return new Response(null, { status: 400 });
    const digits = to.slice(1);
    const id = `wamid.HBgM${btoa(digits)}FQIAERgS${String(measurements.accepted++).padStart(10, "0")}AA==`;
    steps[0]?.push({ id, reference, digits });
    return Response.json({
      messaging_product: "whatsapp",
      contacts: [{ input: to, wa_id: digits }],
      messages: [{ id }],
    });
  },
});

setInterval(() => {
  steps.unshift([]);
  steps.length = STEPS;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const statuses = ladder.flatMap(({ status, steps: after }) =>
    (steps[after] ?? []).map(({ id, reference, digits }) => {
      return { id, status, timestamp, recipient_id: digits, biz_opaque_callback_data: reference };
    }),
  );
  for (let from = 0; from < statuses.length; from += PER_BODY) void post(statuses.slice(from, from + PER_BODY));
}, EVERY_MS);

async function post(statuses: object[]): Promise<void> {
  const value = { messaging_product: "whatsapp", metadata, statuses };
  const entry = [{ id: accountId, changes: [{ field: "messages", value }] }];
  const body = JSON.stringify({ object: "whatsapp_business_account", entry });
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const headers = { "content-type": "application/json", "x-hub-signature-256": signature };
  const answer = await fetch(callbackUrl, { method: "POST", headers, body });
  await answer.arrayBuffer();
  if (answer.status === 200) measurements.told += statuses.length;
  else measurements.refused += 1;
}

answerJobs<true>(server.port ?? 0, () => Promise.resolve(measurements));
