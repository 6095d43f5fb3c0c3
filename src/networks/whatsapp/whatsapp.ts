/**
 * The WhatsApp connector: Meta's Cloud API, and providers that offer the same interface with another URL, header and
 * path. Its only state is open connections, and every number brings its own token.
 */
import type { Clock } from "#src/core/clock.ts";
import { Downloader } from "#src/net/download.ts";
import { createTransport } from "#src/net/transport.ts";
import type { Network } from "../network.ts";
import { createAccountPort } from "./account.ts";
import { createBlockPort } from "./blocked-people.ts";
import { createProfilePort } from "./business-profile.ts";
import { parseCallback } from "./callback.ts";
import { createClient } from "./client.ts";
import { createMediaPort } from "./media.ts";
import { isReachable, probe } from "./probe.ts";
import { endpointOf } from "./profile.ts";
import type { Uploads, WhatsappSettings } from "./settings.ts";
import { createSignUpPort } from "./sign-up.ts";
import { verifySignature } from "./signature.ts";
import { createTemplatePort } from "./submit.ts";
import { createThreadControl } from "./thread-control.ts";

const noUploads: Uploads = { findMediaId: () => null, invalidate: () => {} };

/** Time limit of account queries, for which no caller waits; a message's time limit is passed with the message. */
const QUERY_TIMEOUT_MS = 30_000;

export function createWhatsapp(settings: WhatsappSettings, clock: Clock, uploads = noUploads): Network {
  const transport = createTransport(clock);
  const downloader = new Downloader(clock);
  const client = createClient(settings, { clock, transport, uploads });
  const account = createAccountPort(settings, transport, QUERY_TIMEOUT_MS);
  const signUp = createSignUpPort(settings, transport);
  return {
    name: "whatsapp",
    send: (outbound, timeoutMs, onAnswer) => client.send(outbound, timeoutMs, onAnswer),
    markRead: client.markRead,
    controlThread: createThreadControl(settings, clock, transport),
    isReachable: (timeoutMs, onTime, sender) =>
      isReachable(endpointOf(settings, sender ?? {}).graphUrl, { transport, timeoutMs, onTime }),
    probe: (sender, timeoutMs) => probe(settings, transport, sender, timeoutMs),
    parse: parseCallback,
    verify: verifySignature,
    account,
    templates: createTemplatePort(settings, transport, account),
    media: createMediaPort({ settings, clock, transport, downloader }),
    profile: createProfilePort(settings, transport, downloader),
    blocks: createBlockPort(settings, transport),
    ...(signUp === undefined ? {} : { signUp }),
  };
}
