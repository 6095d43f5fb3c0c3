/** Why the network could not be asked about a number: the way to it, the token, the ids. The first one found is the cause. */
import { quoted } from "#src/core/foreign-text.ts";
import type { ConnectionFailure } from "#src/domain/numbers/connection-facts.ts";
import type { ConnectionInput, ConnectionRules, Found } from "./connection-rule.ts";

/** Meta's subcodes of error 190. */
const EXPIRED_SUBCODES: readonly unknown[] = [463, 467];
const PASSWORD_SUBCODE = 460;

export const NEW_TOKEN = "Create a new token for the system user with the expiry Never in Meta's business settings";
export const ENTER = "Enter it under Token and app secret.";
export const COPY_SECRET = "Copy the app secret from Meta's dashboard (App settings, Basic)";
export const WRONG_IDS = "Remove the number and connect it again: with the token, the right ids are found.";

const NETWORK = { level: "problem", check: "network", hits: "sending" } as const;
const TOKEN = { ...NETWORK, check: "token", command: updateToken } as const;
const NO_TOKEN = {
  ...{ ...TOKEN, console: `${NEW_TOKEN}. ${ENTER}` },
  next: "create a token for a system user with the expiry Never in Meta's business settings, then COMMAND",
} as const;
const SECRET = { ...NETWORK, check: "app secret", command: updateSecret, isCritical: true } as const;
const OTHER_SECRET = "copy the app secret from Meta's dashboard (App settings, Basic) into a file, then COMMAND";

export const accessRules: ConnectionRules = {
  key_unreadable: {
    ...TOKEN,
    evaluate: ({ number, facts, settings }) =>
      facts.failure?.kind === "key" &&
      `The access token of ${number.phone} cannot be read with the key at ${settings.keyFile}.`,
    next: "put this installation's own key file back, or store the token again: COMMAND",
    console:
      "Ask the operator of this server for its own key file, or enter the token again under Token and app secret.",
  },
  token_expired: {
    ...NO_TOKEN,
    evaluate: (input) =>
      EXPIRED_SUBCODES.includes(refusedAs(input)) && `The access token of ${input.number.phone} has expired.`,
  },
  token_revoked: {
    ...NO_TOKEN,
    evaluate: (input) =>
      refusedAs(input) === PASSWORD_SUBCODE &&
      `The access token of ${input.number.phone} ended because its user changed the password.`,
  },
  token_invalid: {
    ...NO_TOKEN,
    evaluate: (input) =>
      refusedAs(input) !== undefined &&
      `WhatsApp says that the access token of ${input.number.phone} is not valid: it was revoked, has expired or was not copied whole.`,
    console: `Copy the token again, whole, or create a new one for the system user with the expiry Never. ${ENTER}`,
  },
  provider_refuses: {
    ...TOKEN,
    evaluate: ({ number, facts }) =>
      facts.failure?.kind === "token" && `${number.phone}: ${quoted(facts.failure.message)}`,
    next: "settle that with the provider; if the key changed, COMMAND",
    console: "Settle that with the provider. If the key changed, enter it under Token and app secret.",
  },
  app_secret_required: {
    ...SECRET,
    evaluate: ({ number, facts }) =>
      facts.failure?.kind === "proof" &&
      facts.proof === "missing" &&
      `The Meta app demands a proof of its app secret with every request, and there is no app secret for ${number.phone}.`,
    next: OTHER_SECRET,
    console: `${COPY_SECRET}. ${ENTER}`,
  },
  app_secret_wrong: {
    ...SECRET,
    evaluate: ({ number, facts }) =>
      facts.failure?.kind === "proof" &&
      `The Meta app demands a proof of its app secret, and the one stored for ${number.phone} is another app's.`,
    next: OTHER_SECRET,
    console: `${COPY_SECRET} of the app that the token belongs to. ${ENTER}`,
  },
  no_access: {
    ...{ ...NETWORK, check: "token" },
    evaluate: ({ number, facts }) =>
      facts.failure?.kind === "permission" && {
        says: `The access token may not see ${number.phone}: it lacks a permission, or its system user has no access to the account ${number.accountId}.`,
        next: `give the system user both WhatsApp permissions and full control of the account in Meta's business settings, create a new token, then ${updateToken({ number })}`,
      },
    console: `Give the system user both WhatsApp permissions and full control of the account in Meta's business settings, and create a new token. ${ENTER}`,
  },
  number_unknown: {
    ...{ ...NETWORK, check: "number", step: "access" },
    evaluate: ({ number, facts }) =>
      facts.failure?.kind === "number" && {
        says: `WhatsApp knows no number with the phone number id ${number.phoneNumberId} that the token may see.`,
        next: `compare phone number id and account id with API Setup in Meta's dashboard; add the number again if one is wrong (waxwing number remove ${number.id}), else give the system user access to the account`,
      },
    console: WRONG_IDS,
  },
  proxy_needed: {
    ...NETWORK,
    evaluate(input) {
      const { proxyVariable: proxy } = input.settings;
      const isMeant = ({ code, message }: ConnectionFailure): boolean =>
        code === "unreachable" && proxy !== null && !CERTIFICATE.test(message);
      return onTheWay(input, isMeant, (host, message) => ({
        says: `This machine is set up to use a proxy (${proxy}), but Waxwing connects directly, and ${host} cannot be reached: ${message}`,
        next: `allow direct connections from this machine to ${host}, port 443, in the firewall`,
      }));
    },
  },
  name_not_resolved: {
    ...NETWORK,
    evaluate: (input) => onTheWay(input, ({ message }) => message.includes("host name was not resolved")),
    next: "repair the name resolution of this machine (/etc/resolv.conf), or correct the host in [whatsapp] graph_url",
  },
  certificate_refused: {
    ...NETWORK,
    evaluate: (input) => onTheWay(input, ({ message }) => CERTIFICATE.test(message)),
    next: "check the clock of this machine; if a proxy that inspects TLS is in between, exempt this host from it",
  },
  tls_failed: {
    ...NETWORK,
    evaluate: (input) => onTheWay(input, ({ message }) => message.includes("TLS handshake failed")),
    next: "check that [whatsapp] graph_url names an https port, and that no proxy or firewall in between ends the handshake",
  },
  connection_refused: {
    ...NETWORK,
    evaluate: (input) => onTheWay(input, ({ message }) => message.includes("connection was refused")),
    next: "check the host and port in [whatsapp] graph_url, and whether a firewall on this machine rejects the connection",
  },
  foreign_answer: {
    ...NETWORK,
    evaluate: (input) =>
      onTheWay(
        input,
        ({ code }) => code.startsWith("HTTP"),
        (host) => ({
          next: `check [whatsapp] graph_url, and whether a proxy or firewall between this machine and ${host} answers in WhatsApp's place; if neither, WhatsApp is in trouble, so try again later`,
        }),
      ),
  },
  unreachable: {
    ...NETWORK,
    evaluate: (input) =>
      onTheWay(
        input,
        ({ code }) => code === "unreachable" || code === "no_answer",
        (host) => ({
          next: `check from this machine whether a firewall lets it reach ${host}, port 443: curl -sv https://${host}/`,
        }),
      ),
  },
  network_busy: {
    ...NETWORK,
    evaluate: (input) =>
      onTheWay(
        input,
        () => true,
        (_, says) => ({ says }),
      ),
    next: "wait a few minutes, then run waxwing doctor again",
    console: "Wait a few minutes. It is checked again automatically.",
  },
  refused: {
    ...{ ...NETWORK, check: "number", step: "access" },
    evaluate: ({ number, facts }) =>
      facts.failure?.kind === "other" &&
      `WhatsApp refuses to answer about ${number.phone}: ${quoted(facts.failure.message)}`,
    next: "do what WhatsApp's answer says, in Meta's dashboard",
  },
};

/** Meta's subcode of the refusal of the token; null: it gave none; undefined: the token is not what it refuses. */
function refusedAs({ number, facts: { failure, token } }: ConnectionInput): number | null | undefined {
  if (failure === null) return token?.isValid === false ? token.subcode : undefined;
  return failure.kind === "token" && number.provider === "graph" ? (failure.subcode ?? null) : undefined;
}

const CERTIFICATE = /certificate was not accepted/;

/** The host names and codes are in the failure's own words. */
function onTheWay(
  { settings, number, facts: { failure } }: ConnectionInput,
  isMeant: (failure: ConnectionFailure) => boolean,
  describe: (host: string, message: string) => Partial<Found> = () => ({}),
): Found | null {
  if (failure === null || (failure.kind !== "later" && failure.kind !== "foreign") || !isMeant(failure)) return null;
  const host = URL.parse(number.apiUrl ?? settings.graphUrl)?.host ?? settings.graphUrl;
  const message = quoted(failure.message);
  return { says: `${host}: ${message}`, isShared: number.apiUrl === null, ...describe(host, message) };
}

type OfNumber = { number: Pick<ConnectionInput["number"], "id"> };

export function updateToken({ number }: OfNumber): string {
  return `waxwing number update ${number.id} --token-file FILE`;
}

export function updateSecret({ number }: OfNumber): string {
  return `waxwing number update ${number.id} --app-secret-file FILE`;
}

export function syncNumber({ number }: OfNumber): string {
  return `waxwing number sync ${number.id}`;
}
