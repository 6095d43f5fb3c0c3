/**
 * Where and with which headers messages of a sending number are posted. Both follow from the number's settings, and a
 * busy number would compose them thousands of times a second, so the latest of each number are kept until its settings
 * differ.
 */
import type { SendPath } from "#src/domain/messages/send-path.ts";
import { type Target, targetOf } from "#src/net/target.ts";
import type { Sender } from "../network.ts";
import { type Endpoint, endpointOf } from "./profile.ts";
import { findHeaders, urlOf, withProof } from "./request.ts";
import type { WhatsappSettings } from "./settings.ts";

interface SendRoute {
  endpoint: Endpoint;
  /** Where messages of each path are posted. Null: the number has no usable access token. */
  targets: Readonly<Record<SendPath, Target>> | null;
}

/** Meta's names of the two endpoints. */
const EDGES: Readonly<Record<SendPath, string>> = { general: "messages", marketing: "marketing_messages" };

/** More numbers than a server has; beyond it, routes are composed anew. */
const ROUTES_MAX = 1_000;

export class SendRoutes {
  readonly #settings: WhatsappSettings;
  /** By phone number id. */
  readonly #routes = new Map<string, { sender: Sender; route: SendRoute }>();

  constructor(settings: WhatsappSettings) {
    this.#settings = settings;
  }

  /** The caller does not change it. */
  of(sender: Sender): SendRoute {
    const kept = this.#routes.get(sender.phoneNumberId);
    if (kept !== undefined && isSameRoute(kept.sender, sender)) return kept.route;
    const route = this.#compose(sender);
    if (this.#routes.size >= ROUTES_MAX) this.#routes.clear();
    this.#routes.set(sender.phoneNumberId, { sender, route });
    return route;
  }

  #compose(sender: Sender): SendRoute {
    const endpoint = endpointOf(this.#settings, sender);
    const headers = findHeaders(endpoint, sender.accessToken);
    if (headers === null) return { endpoint, targets: null };
    headers.set("content-type", "application/json");
    const target = (path: SendPath): Target => {
      const url = withProof(urlOf(endpoint, sender.phoneNumberId, EDGES[path]), endpoint, sender);
      return targetOf(url, { headers, secret: sender.accessToken });
    };
    return { endpoint, targets: { general: target("general"), marketing: target("marketing") } };
  }
}

function isSameRoute(one: Sender, other: Sender): boolean {
  return (
    one.accessToken === other.accessToken &&
    one.provider === other.provider &&
    one.apiUrl === other.apiUrl &&
    one.sendsProof === other.sendsProof &&
    one.appSecret === other.appSecret
  );
}
