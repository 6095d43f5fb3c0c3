/** Why the network could not be asked about a number: the way to it, the token, the ids. The first one found is the cause. */
import { quoted } from "#src/core/foreign-text.ts";
import type { ConnectionFailure } from "#src/domain/numbers/connection-facts.ts";
import type { Issue, IssueInput } from "./issue.ts";

type Access = Pick<Issue, "id" | "says" | "next"> & Partial<Issue>;

/** Meta's subcodes of error 190. */
const EXPIRED_SUBCODES: readonly number[] = [463, 467];
const PASSWORD_SUBCODE = 460;

export function accessIssue(input: IssueInput): Issue | null {
  const found = causeOf(input);
  if (found === null) return null;
  return { level: "problem", check: "network", command: null, hits: "sending", ...found };
}

function causeOf(input: IssueInput): Access | null {
  const { facts } = input;
  if (facts.failure !== null) return ofFailure(input, facts.failure);
  if (facts.token?.isValid === false) return ofToken(input, facts.token.subcode);
  return null;
}

function ofFailure(input: IssueInput, failure: ConnectionFailure): Access {
  switch (failure.kind) {
    case "key":
      return keyIssue(input);
    case "token":
      return input.number.provider === "graph"
        ? ofToken(input, failure.subcode ?? null)
        : providerIssue(input, failure);
    case "proof":
      return ofProof(input);
    case "permission":
      return permissionIssue(input);
    case "number":
      return unknownIssue(input);
    case "later":
    case "foreign":
      return wayIssue(input, failure);
    case "other":
      return {
        ...{
          id: "refused",
          check: "number",
          says: `WhatsApp refuses to answer about ${input.number.phone}: ${quoted(failure.message)}`,
        },
        next: "do what WhatsApp's answer says, in Meta's dashboard",
      };
  }
}

function keyIssue({ number, settings }: IssueInput): Access {
  const command = updateToken(number.id);
  return {
    ...{ id: "key_unreadable", check: "token", command },
    says: `The access token of ${number.phone} cannot be read with the key at ${settings.keyFile}.`,
    next: `put this installation's own key file back, or store the token again: ${command}`,
  };
}

function ofToken({ number }: IssueInput, subcode: number | null): Access {
  const command = updateToken(number.id);
  const about = { check: "token", command };
  const next = `create a token for a system user with the expiry Never in Meta's business settings, then ${command}`;
  if (subcode !== null && EXPIRED_SUBCODES.includes(subcode))
    return { ...about, id: "token_expired", says: `The access token of ${number.phone} has expired.`, next };
  if (subcode === PASSWORD_SUBCODE) {
    const says = `The access token of ${number.phone} ended because its user changed the password.`;
    return { ...about, id: "token_revoked", says, next };
  }
  const says = `WhatsApp says that the access token of ${number.phone} is not valid: it was revoked, has expired or was not copied whole.`;
  return { ...about, id: "token_invalid", says, next };
}

function providerIssue({ number }: IssueInput, { message }: ConnectionFailure): Access {
  const command = updateToken(number.id);
  return {
    ...{ id: "provider_refuses", check: "token", command, says: `${number.phone}: ${quoted(message)}` },
    next: `settle that with the provider; if the key changed, ${command}`,
  };
}

function ofProof({ number, facts }: IssueInput): Access {
  const command = `waxwing number update ${number.id} --app-secret-file FILE`;
  const about = { check: "app secret", command, isCritical: true };
  if (facts.proof === "missing") {
    return {
      ...{ ...about, id: "app_secret_required" },
      says: `The Meta app demands a proof of its app secret with every request, and there is no app secret for ${number.phone}.`,
      next: `copy the app secret from Meta's dashboard (App settings, Basic) into a file, then ${command}`,
    };
  }
  return {
    ...{ ...about, id: "app_secret_wrong" },
    says: `The Meta app demands a proof of its app secret, and the one stored for ${number.phone} is another app's.`,
    next: `copy the app secret from Meta's dashboard (App settings, Basic) into a file, then ${command}`,
  };
}

function permissionIssue({ number }: IssueInput): Access {
  return {
    ...{ id: "no_access", check: "token", command: null },
    says: `The access token may not see ${number.phone}: it lacks a permission, or its system user has no access to the account ${number.accountId}.`,
    next: `give the system user both WhatsApp permissions and full control of the account in Meta's business settings, create a new token, then ${updateToken(number.id)}`,
  };
}

function unknownIssue({ number }: IssueInput): Access {
  return {
    ...{ id: "number_unknown", check: "number", command: null },
    says: `WhatsApp knows no number with the phone number id ${number.phoneNumberId} that the token may see.`,
    next: `compare phone number id and account id with API Setup in Meta's dashboard; add the number again if one is wrong (waxwing number remove ${number.id}), else give the system user access to the account`,
  };
}

/** The host names and codes are in the failure's own words. */
function wayIssue({ settings, number }: IssueInput, { code, message }: ConnectionFailure): Access {
  const host = URL.parse(number.apiUrl ?? settings.graphUrl)?.host ?? settings.graphUrl;
  const about = { check: "network", command: null, isShared: number.apiUrl === null };
  const way = WAYS.find(({ pattern }) => pattern.test(message));
  const proxy = settings.proxyVariable;
  if (code === "unreachable" && proxy !== null && way?.id !== "certificate_refused") {
    return {
      ...{ ...about, id: "proxy_needed" },
      says: `This machine is set up to use a proxy (${proxy}), but Waxwing connects directly, and ${host} cannot be reached: ${quoted(message)}`,
      next: `allow direct connections from this machine to ${host}, port 443, in the firewall`,
    };
  }
  if (way !== undefined) return { ...about, id: way.id, says: `${host}: ${quoted(message)}`, next: way.next };
  if (code.startsWith("HTTP")) {
    return {
      ...{ ...about, id: "foreign_answer", says: `${host}: ${quoted(message)}` },
      next: `check [whatsapp] graph_url, and whether a proxy or firewall between this machine and ${host} answers in WhatsApp's place; if neither, WhatsApp is in trouble, so try again later`,
    };
  }
  if (code === "unreachable" || code === "no_answer") {
    const next = `check from this machine whether a firewall lets it reach ${host}, port 443: curl -sv https://${host}/`;
    return { ...about, id: "unreachable", says: `${host}: ${quoted(message)}`, next };
  }
  return {
    ...about,
    id: "network_busy",
    says: quoted(message),
    next: "wait a few minutes, then run waxwing doctor again",
  };
}

const WAYS = [
  {
    ...{ id: "name_not_resolved", pattern: /host name was not resolved/ },
    next: "repair the name resolution of this machine (/etc/resolv.conf), or correct the host in [whatsapp] graph_url",
  },
  {
    ...{ id: "certificate_refused", pattern: /certificate was not accepted/ },
    next: "check the clock of this machine; if a proxy that inspects TLS is in between, exempt this host from it",
  },
  {
    ...{ id: "tls_failed", pattern: /TLS handshake failed/ },
    next: "check that [whatsapp] graph_url names an https port, and that no proxy or firewall in between ends the handshake",
  },
  {
    ...{ id: "connection_refused", pattern: /connection was refused/ },
    next: "check the host and port in [whatsapp] graph_url, and whether a firewall on this machine rejects the connection",
  },
] as const;

export function updateToken(numberId: number): string {
  return `waxwing number update ${numberId} --token-file FILE`;
}
