/** Evaluates the server's certificate: the operator's files, or the one that the server fetches automatically. Pure. */
import type { CertificateFacts } from "./certificate-facts.ts";
import { type Condition, condition } from "./conditions.ts";

type Authority = Extract<CertificateFacts, { from: "authority" }>;

const DAY_MS = 24 * 60 * 60_000;
const CRITICAL_MS = 7 * DAY_MS;

/** What to do about each kind of failure; the sentence before it says what happened. */
const NEXT: Readonly<Record<string, (domain: string) => string>> = {
  dns: (domain) => `Create an A record (and AAAA, if this machine has IPv6) for ${domain} that leads to this machine.`,
  elsewhere: (domain) => `Let DNS for ${domain} lead to this machine, or let the other server forward port 80 to it.`,
  closed: (domain) =>
    `Let DNS for ${domain} lead to this machine, and open ports 80 and 443 in its firewall and at the provider.`,
  port: () => "Stop the other program, or let the service listen on ports below 1024: docs/operations.md, TLS.",
  unreachable: () => "Check this machine's way out: DNS, firewall, and [acme] directory in the configuration.",
  limited: () => "Wait: the server tries again automatically when the authority allows it. Do not delete the database.",
  refused: waitAndCorrect,
  fault: () => "Report it with the entry certificate.step_failed of the log; the server tries again automatically.",
  interrupted: () => "Nothing: the server tries again automatically.",
  slow: () => "Nothing: the server tries again automatically.",
};

export function evaluateCertificate(at: number, certificate: CertificateFacts | null): Condition[] {
  if (certificate === null) return [];
  if (certificate.from === "authority") return evaluateAuthority(at, certificate);
  const { path, endsAt, problem } = certificate;
  const command = `openssl x509 -noout -subject -enddate -in ${path}`;
  if (problem !== null || endsAt === null) {
    return [
      condition("certificate_unreadable", {
        says: `${problem?.says ?? `The end of the certificate ${path} cannot be read.`} The next start of the server fails.`,
        hits: "Everyone, at the next restart. Until then, the server keeps the certificate that it has.",
        next: `${sentence(problem?.next ?? "put the certificate back")} The server takes it up automatically.`,
        command,
      }),
    ];
  }
  const next = "Renew the certificate: the server takes up the new files automatically.";
  return endsAt - at > CRITICAL_MS ? [] : [ending(at, endsAt, next, command)];
}

function evaluateAuthority(at: number, { domain, endsAt, failure }: Authority): Condition[] {
  const next = failure === null ? "Wait: the server renews it automatically." : adviceOn(failure.kind, domain);
  const command = `curl -sI http://${domain}/`;
  const isEnding = endsAt !== null && endsAt - at <= CRITICAL_MS;
  const found = isEnding ? [ending(at, endsAt, next, command)] : [];
  if (failure === null) return found;
  const hasEnded = endsAt === null || endsAt <= at;
  return [
    condition(hasEnded ? "certificate_missing" : "certificate_not_renewed", {
      severity: hasEnded ? "critical" : "warning",
      subject: `certificate of ${domain}`,
      says: `${hasEnded ? "There is no certificate" : "The certificate could not be renewed"}: ${failure.says}`,
      since: failure.since,
      hits: hasEnded ? "Everyone: neither customers nor WhatsApp reach this server." : null,
      next,
      command,
    }),
    ...found,
  ];
}

function adviceOn(kind: string, domain: string): string {
  return (NEXT[kind] ?? waitAndCorrect)(domain);
}

function ending(at: number, endsAt: number, next: string, command: string): Condition {
  const date = new Date(endsAt).toISOString().slice(0, 16).replace("T", " ");
  return condition("certificate_ends", {
    says: endsAt <= at ? `The certificate ended on ${date} UTC.` : `The certificate ends on ${date} UTC.`,
    since: endsAt - CRITICAL_MS,
    hits: "Everyone: without a valid certificate, neither customers nor WhatsApp reach this server.",
    next,
    command,
  });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function waitAndCorrect(): string {
  return "Correct what the authority names; the server tries again automatically.";
}
