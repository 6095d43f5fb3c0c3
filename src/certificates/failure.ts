/** Why there is no new certificate, in sentences for the operator. */
import { quoted } from "#src/core/foreign-text.ts";
import { AcmeProblem, AuthorityUnreachable } from "./authority.ts";
import type { FailureKind } from "./certificate.ts";

interface Failure {
  kind: FailureKind;
  /** A sentence. */
  says: string;
  retryAfterMs: number | null;
}

/** What can be found out about the domain from here. */
export interface Surroundings {
  domain: string;
  /** Addresses that DNS has for the domain; null: it could not be asked. */
  resolved: readonly string[] | null;
  /** Addresses of this machine's interfaces; null: the system does not tell. */
  own: readonly string[] | null;
}

/** Where DNS leads, to compare; null: it could not be asked. */
export function ledTo({ resolved }: Surroundings): string | null {
  return resolved === null ? null : resolved.toSorted().join(" ");
}

/** Null: a fault of ours. */
export function describeFailure(error: unknown, surroundings: Surroundings): Failure | null {
  if (error instanceof AuthorityUnreachable) {
    const says = `The certificate authority ${error.host} cannot be reached: ${quoted(error.message)}.`;
    return { kind: "unreachable", says, retryAfterMs: null };
  }
  if (!(error instanceof AcmeProblem)) return null;
  const { kind, says } = describeProblem(error, surroundings);
  return { kind, says, retryAfterMs: error.retryAfterMs };
}

function describeProblem({ kind, message }: AcmeProblem, { domain, resolved, own }: Surroundings) {
  const detail = message === "" ? "" : ` The authority says: ${quoted(message)}`;
  const isKnown = resolved !== null && resolved.length > 0 && own !== null;
  const place =
    isKnown && !resolved.some((address) => own.includes(address))
      ? ` DNS leads ${domain} to ${resolved.join(", ")}; this machine itself has ${own.join(", ") || "no address"}.`
      : "";
  switch (kind) {
    case "dns":
      return { kind: "dns", says: `DNS has no usable address for ${domain}.${detail}` } as const;
    case "connection":
    case "tls":
      return {
        kind: "closed",
        says: `The certificate authority cannot reach http://${domain}/ at port 80.${place}${detail}`,
      } as const;
    case "unauthorized":
    case "incorrectResponse":
      return { kind: "elsewhere", says: `Another server answers at http://${domain}/.${place}${detail}` } as const;
    case "rateLimited":
      return { kind: "limited", says: `The certificate authority's limit for ${domain} is reached.${detail}` } as const;
    case "caa":
      return {
        kind: "refused",
        says: `A CAA record of ${domain} forbids this certificate authority.${detail}`,
      } as const;
    default:
      return {
        kind: "refused",
        says: `The certificate authority refused a certificate for ${domain}.${detail}`,
      } as const;
  }
}
