/** How alarms leave the server: a webhook, e-mail, and the ping address. */
import type { Clock } from "#src/core/clock.ts";
import { formatInstant } from "#src/core/instant.ts";
import { createWebhookPoster, isSuccess } from "#src/net/post.ts";
import { targetOf } from "#src/net/target.ts";
import { createTransport, type Transport } from "#src/net/transport.ts";
import { emailChannel } from "./alarm-email.ts";
import type { AlarmChannel } from "./alarm-sender.ts";
import type { Notice } from "./condition-file.ts";

interface AlertSettings {
  none: boolean;
  webhook: string | null;
  emailTo: readonly string[];
  emailFrom: string | null;
  smtpUrlFile: string | null;
  pingUrl: string | null;
  pingEveryMs: number;
}

interface ChannelOptions {
  clock: Clock;
  alerts: AlertSettings;
  /** How the receiver recognises this server. */
  server: string;
}

export interface Channels {
  channels: Readonly<Record<string, AlarmChannel>>;
  ping: { call: () => Promise<void>; everyMs: number } | null;
}

const TIMEOUT_MS = 10_000;

export function createChannels({ clock, alerts, server }: ChannelOptions): Channels {
  const { webhook, emailTo, emailFrom, smtpUrlFile, pingUrl, pingEveryMs } = alerts;
  const [firstAddress] = emailTo;
  const transport = createTransport(clock);
  const hasMail = firstAddress !== undefined && smtpUrlFile !== null;
  return {
    channels: {
      ...(webhook === null ? {} : { webhook: webhookChannel(clock, webhook, server) }),
      ...(hasMail
        ? { email: emailChannel({ to: emailTo, from: emailFrom ?? firstAddress, smtpUrlFile, server }) }
        : {}),
    },
    ping: pingUrl === null ? null : { call: () => callPing(transport, pingUrl), everyMs: pingEveryMs },
  };
}

/** Whether no operator is told of conditions, although none has said that this is meant. */
export function lacksAlarms({ none, webhook, emailTo }: Pick<AlertSettings, "none" | "webhook" | "emailTo">): boolean {
  return !none && webhook === null && emailTo.length === 0;
}

/** The body of an alarm. */
function viewNotice({ key, state, condition }: Notice, server: string): Record<string, string> {
  const { id, severity, subject, says, next, since } = condition;
  return { id, state, severity, subject, says, next, since: formatInstant(since, "UTC"), server, key };
}

/** The operator chose the address, so it may be inside the own network. */
function webhookChannel(clock: Clock, url: string, server: string): AlarmChannel {
  const poster = createWebhookPoster({ clock, allowHttp: true, allowPrivate: true, timeoutMs: TIMEOUT_MS });
  return async (notice) => {
    const body = JSON.stringify(viewNotice(notice, server));
    const headers = { "content-type": "application/json", "user-agent": "waxwing", "idempotency-key": notice.key };
    const result = await poster.post({ url, headers, body });
    if (isSuccess(result)) return;
    throw new Error(result.kind === "failed" ? result.message : `The receiver answered HTTP ${result.status}.`);
  };
}

/** A redirect is an answer like any other and is not followed. */
async function callPing(transport: Transport, url: string): Promise<void> {
  const result = await transport.exchange({
    target: targetOf(url),
    method: "GET",
    timeoutMs: TIMEOUT_MS,
    pool: "ping",
  });
  if (result.kind !== "answered") throw new Error(`The address did not answer: ${result.reason}.`);
  if (!result.ok) throw new Error(`The address answered HTTP ${result.status}.`);
}
