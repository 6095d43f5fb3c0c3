/** The URL and headers of every request to Meta, or to a provider with the same interface. */
import { createHmac } from "node:crypto";
import type { Sender } from "../network.ts";
import type { Endpoint } from "./profile.ts";

/**
 * `/v25.0/<owner>/<edge>`. 360dialog and similar providers derive number and account from the key, and have neither
 * version nor owner in the path.
 */
export function urlOf(endpoint: Endpoint, owner: string, edge: string): string {
  const base = endpoint.graphUrl.replace(/\/+$/, "");
  if (endpoint.pathStyle === "bare") return `${base}/${edge}`;
  const path = [endpoint.apiVersion, owner].map(encodeURIComponent).join("/");
  return edge === "" ? `${base}/${path}` : `${base}/${path}/${edge}`;
}

/**
 * The address with Meta's `appsecret_proof`, the HMAC of the token under the app secret: an app can demand it of each
 * request.
 */
export function withProof(url: string, endpoint: Endpoint, { accessToken, sendsProof }: Sender): string {
  if (sendsProof !== true || endpoint.appSecret === null || accessToken === null) return url;
  const proof = createHmac("sha256", endpoint.appSecret).update(accessToken).digest("hex");
  return `${url}${url.includes("?") ? "&" : "?"}appsecret_proof=${proof}`;
}

/** Null without a token, or if the token cannot be part of a header (a line break, a letter beyond Latin-1). */
export function findHeaders(endpoint: Endpoint, accessToken: Sender["accessToken"]): Headers | null {
  if (accessToken === null || accessToken.trim() === "") return null;
  try {
    return new Headers({ [endpoint.authHeader]: endpoint.authPrefix + accessToken });
  } catch {
    return null;
  }
}

/** A number's requests share connections with no other number's. */
export function poolOf({ phoneNumberId }: Pick<Sender, "phoneNumberId">): string {
  return phoneNumberId;
}
