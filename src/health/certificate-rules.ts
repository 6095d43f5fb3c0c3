/** What may be wrong with the server's certificate: the operator's files, or the one that the server fetches automatically. */
import type { CertificateFacts } from "./certificate-facts.ts";
import type { Found, Rule } from "./rule.ts";

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

export const certificateRules = {
  certificate_unreadable: {
    severity: "critical",
    check: "certificate",
    subject: "certificate",
    when: "the files of `tls_cert` and `tls_key` cannot be used",
    hits: "Everyone, at the next restart. Until then, the server keeps the certificate that it has.",
    evaluate({ certificate }) {
      if (certificate?.from !== "files") return null;
      const { path, endsAt, problem } = certificate;
      if (problem === null && endsAt !== null) return null;
      return {
        says: `${problem?.says ?? `The end of the certificate ${path} cannot be read.`} The next start of the server fails.`,
        next: `${sentence(problem?.next ?? "put the certificate back")} The server takes it up automatically.`,
        command: lookAt(certificate),
      };
    },
  },
  certificate_missing: {
    severity: "critical",
    check: "certificate",
    when: "there is no valid certificate, and none could be fetched",
    hits: "Everyone: neither customers nor WhatsApp reach this server.",
    evaluate: ({ at, certificate }) =>
      certificate !== null && hasEnded(at, certificate) ? failed(certificate, "There is no certificate") : null,
  },
  certificate_not_renewed: {
    severity: "warning",
    check: "certificate",
    when: "the certificate could not be renewed; it is still valid",
    evaluate: ({ at, certificate }) =>
      certificate === null || hasEnded(at, certificate)
        ? null
        : failed(certificate, "The certificate could not be renewed"),
  },
  certificate_ends: {
    severity: "critical",
    check: "certificate",
    subject: "certificate",
    when: "the server's certificate ends within seven days",
    hits: "Everyone: without a valid certificate, neither customers nor WhatsApp reach this server.",
    evaluate({ at, certificate }) {
      const endsAt = certificate?.endsAt ?? null;
      if (certificate === null || endsAt === null || endsAt - at > CRITICAL_MS) return null;
      if (certificate.from === "files" && certificate.problem !== null) return null;
      const date = new Date(endsAt).toISOString().slice(0, 16).replace("T", " ");
      return {
        says: `The certificate ${endsAt <= at ? "ended" : "ends"} on ${date} UTC.`,
        since: endsAt - CRITICAL_MS,
        ...{ next: renewal(certificate), command: lookAt(certificate) },
      };
    },
  },
} as const satisfies Record<string, Rule>;

function hasEnded(at: number, { endsAt }: CertificateFacts): boolean {
  return endsAt === null || endsAt <= at;
}

function failed(certificate: CertificateFacts, what: string): Found | null {
  if (certificate.from === "files" || certificate.failure === null) return null;
  const { domain, failure } = certificate;
  return {
    subject: `certificate of ${domain}`,
    says: `${what}: ${failure.says}`,
    since: failure.since,
    ...{ next: renewal(certificate), command: lookAt(certificate) },
  };
}

function renewal(certificate: CertificateFacts): string {
  if (certificate.from === "files") return "Renew the certificate: the server takes up the new files automatically.";
  const { failure, domain } = certificate;
  if (failure === null) return "Wait: the server renews it automatically.";
  return (NEXT[failure.kind] ?? waitAndCorrect)(domain);
}

function lookAt(certificate: CertificateFacts): string {
  return certificate.from === "files"
    ? `openssl x509 -noout -subject -enddate -in ${certificate.path}`
    : `curl -sI http://${certificate.domain}/`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function waitAndCorrect(): string {
  return "Correct what the authority names; the server tries again automatically.";
}
