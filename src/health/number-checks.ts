/**
 * Checks the numbers on WhatsApp: asks the network about each of them, and reports what is found in its answers.
 * Changes nothing in the database. Numbers that share account and token are asked for together.
 */
import { quoted } from "#src/core/foreign-text.ts";
import { ifReadable } from "#src/core/secret.ts";
import { countUnreported } from "#src/domain/inbound/unreported.ts";
import { findSync } from "#src/domain/numbers/account-sync.ts";
import { type ConnectionFacts, NO_FACTS } from "#src/domain/numbers/connection-facts.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { secretOf, senderOf } from "#src/networks/credentials.ts";
import { type AccountInspection, factsOf, inspectAccount, withProof } from "#src/networks/inspect-connection.ts";
import type { AccountPort, Sender } from "#src/networks/network.ts";
import type { StoredInput } from "./connection-input.ts";
import type { Finding } from "./connection-rule.ts";
import type { DoctorContext } from "./doctor-context.ts";
import { findConnection } from "./find-connection.ts";
import type { Findings } from "./finding.ts";

interface Check {
  context: DoctorContext;
  findings: Findings;
  /** Subscribe the app to the account if it is not subscribed. */
  subscribe: boolean;
  now: number;
}

interface Checked {
  /** The network's own time beside ours, milliseconds; null if no answer had one. */
  networkTime: { network: number; own: number } | null;
  /** No finding explains why callbacks would not arrive. */
  receives: boolean;
}

export async function checkNumbers(
  check: Check,
  numbers: readonly SendingNumber[],
  inputs: readonly StoredInput[],
): Promise<Checked> {
  const checked: Checked = { networkTime: null, receives: true };
  const port = numbers.length === 0 ? undefined : await check.context.port();
  const inspections = new Map<string, AccountInspection>();
  for (const number of numbers) {
    const input = inputs.find((one) => one.number.id === number.id);
    if (input === undefined) continue;
    const sender = port === undefined ? null : openSender(check, number);
    const facts = port === undefined ? input.facts : await askAbout(port, sender, number, inspections, checked, check);
    const found = findConnection({ ...input, number: { ...number, unreadyReason: input.number.unreadyReason }, facts });
    await report(check, { number, input, facts, found, port, sender }, checked);
  }
  return checked;
}

/** Null: the access token or the app secret cannot be decrypted. */
function openSender({ context }: Check, number: SendingNumber): Sender | null {
  return ifReadable(() => {
    const box = context.box();
    return { ...senderOf(box, number), appSecret: secretOf(box, number) };
  });
}

async function askAbout(
  port: AccountPort,
  sender: Sender | null,
  number: SendingNumber,
  inspections: Map<string, AccountInspection>,
  checked: Checked,
  { context }: Check,
): Promise<ConnectionFacts> {
  if (sender === null) return { ...NO_FACTS, failure: { code: "key", message: "", kind: "key" } };
  if (!port.knowsNumbers(sender)) {
    const listing = await port.listTemplates(sender);
    if (listing.ok && listing.at !== null) checked.networkTime ??= { network: listing.at, own: context.clock.now() };
    return listing.ok ? NO_FACTS : { ...NO_FACTS, failure: listing.failure };
  }
  const key = JSON.stringify([number.accountId, number.apiUrl, sender.accessToken, sender.appSecret]);
  const inspected = inspections.get(key) ?? (await inspectAccount(port, sender));
  if (!inspections.has(key) && inspected.numbers.ok && inspected.numbers.at !== null)
    checked.networkTime ??= { network: inspected.numbers.at, own: context.clock.now() };
  inspections.set(key, inspected);
  const { numbers, proof } = inspected;
  const isListed = numbers.ok && numbers.value.some((one) => one.phoneNumberId === number.phoneNumberId);
  const isVisible = numbers.ok ? !isListed : ASKED_ONE_BY_ONE.includes(numbers.failure.kind);
  return factsOf(inspected, sender, isVisible ? await port.fetchNumber(withProof(sender, proof)) : null);
}

/** Answers about an account after which its number may still be visible. */
const ASKED_ONE_BY_ONE: readonly string[] = ["number", "permission", "other"];

interface CheckedNumber {
  number: SendingNumber;
  input: StoredInput;
  facts: ConnectionFacts;
  found: Finding[];
  port: AccountPort | undefined;
  sender: Sender | null;
}

async function report(check: Check, about: CheckedNumber, checked: Checked): Promise<void> {
  const { findings } = check;
  const { number, input, port, sender } = about;
  let { found } = about;
  const isMissing = found.some(({ kind }) => kind === "not_subscribed");
  if (check.subscribe && isMissing && port !== undefined && sender !== null)
    found = await subscribe({ ...about, port, sender });
  const subject = { ...number, workspace: input.workspace };
  for (const one of found) findings.add(one, subject);
  const isAsked = !found.some(({ level, hits }) => level === "problem" && hits === "sending");
  const isHeard = !found.some(({ hits }) => hits === "receiving");
  if (!isHeard || !isAsked) checked.receives = false;
  if (!isAsked) return;
  if (!found.some(({ kind }) => kind === "no_account_access" || kind === "not_ready")) checkTemplates(check, number);
  reportGood(check, about, found);
  if (port?.knowsNumbers(number) === true && sender !== null) await reportExtras(check, about, port, sender);
  if (isHeard) checkReports(check, number);
}

/** What was checked and is right, so that an operator sees that it was checked. */
function reportGood(
  { findings }: Check,
  { number, input, port, facts }: CheckedNumber,
  found: readonly Finding[],
): void {
  const { id, phone } = number;
  const isGood = (check: string): boolean => !found.some((one) => one.check === check);
  if (number.ready && isGood("number")) findings.ok("number", id, `${phone} is ready to send.`);
  if (input.hasPaymentMethod === true && isGood("payment"))
    findings.ok("payment", id, "The account has a payment method.");
  if (port === undefined) return;
  if (!port.knowsNumbers(number)) {
    findings.ok("subscription", id, "This provider manages the subscription; set the callback address there.");
    return;
  }
  if (facts.token === null) {
    const next = "nothing to do if the number is ready";
    findings.warn("token", id, `WhatsApp does not say what the access token of ${phone} may do.`, next);
  } else if (isGood("token")) findings.ok("token", id, "The access token is valid and has both permissions.");
  if (facts.subscription === null) {
    const next = "compare the permissions of the token; nothing to do if callbacks arrive";
    findings.warn(
      "subscription",
      id,
      `WhatsApp does not say whether the app is subscribed to the account of ${phone}.`,
      next,
    );
  } else if (isGood("subscription")) findings.ok("subscription", id, "The app is subscribed to the account.");
}

/** What is neither right nor wrong, and good to know. */
async function reportExtras({ findings }: Check, { number, facts }: CheckedNumber, port: AccountPort, sender: Sender) {
  const { id, phone } = number;
  const proved = facts.proof === null ? sender : withProof(sender, facts.proof);
  const { storageRegion, messagingAccountId } = await port.fetchExtras(proved);
  if (storageRegion !== null)
    findings.ok("storage", id, `WhatsApp keeps the messages of ${phone} in ${quoted(storageRegion)} (local storage).`);
  if (messagingAccountId !== null && messagingAccountId !== number.accountId)
    findings.ok("number", id, `${phone} sends through the messaging account ${quoted(messagingAccountId)}.`);
}

async function subscribe({
  found,
  port,
  sender,
}: CheckedNumber & { port: AccountPort; sender: Sender }): Promise<Finding[]> {
  const done = await port.subscribeApp(sender);
  const others = found.filter(({ kind }) => kind !== "not_subscribed");
  if (done.ok) return others;
  const one = found.find(({ kind }) => kind === "not_subscribed");
  return one === undefined
    ? others
    : [{ ...one, says: `The app could not be subscribed: ${quoted(done.failure.message)}` }, ...others];
}

function checkTemplates({ context, findings, now }: Check, number: SendingNumber): void {
  const { store, settings } = context;
  const sync = store.read((tx) => findSync(tx, number.workspaceId, number.accountId));
  const next = `waxwing template sync --workspace ${number.workspaceId}`;
  if (sync?.error != null) {
    findings.warn("templates", number.id, `The last synchronization with WhatsApp failed: ${quoted(sync.error)}`, next);
  } else if (sync?.succeededAt == null) {
    findings.warn("templates", number.id, "The templates were never synchronized with WhatsApp.", next);
  } else if (sync.succeededAt < now - 2 * settings.syncEveryMs) {
    const hours = Math.round((now - sync.succeededAt) / 3_600_000);
    findings.warn(
      "templates",
      number.id,
      `The templates were last synchronized with WhatsApp ${hours} hours ago.`,
      `${next}, and see whether the server runs`,
    );
  } else {
    findings.ok("templates", number.id, "The templates are up to date.");
  }
}

/** Everything seems right, and yet nothing comes: Meta does not say what keeps it from calling. */
function checkReports({ context, findings }: Check, { id, phone }: SendingNumber): void {
  const count = context.store.read((tx) => countUnreported(tx, id));
  if (count === 0) return;
  findings.problem(
    "silence",
    id,
    `WhatsApp accepted ${count} messages of ${phone} and has reported on none of them: no callback arrives.`,
    "set the app to Live (the switch at the top of the app's dashboard): in development mode callbacks do not arrive; then save the callback address again under WhatsApp → Configuration",
  );
}
