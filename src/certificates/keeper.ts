/**
 * Fetches the certificate of the configured domain, and renews it. Each run takes one step: what is about to be asked of
 * the authority is on disk before, what it answered is on disk before anything uses it. A process that ends anywhere
 * leaves an order that the next one continues, or gives up and counts.
 */
import type { Clock } from "#src/core/clock.ts";
import { quoted } from "#src/core/foreign-text.ts";
import type { Log } from "#src/core/log.ts";
import type { Random } from "#src/core/random.ts";
import type { SecretBox } from "#src/core/secret.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import { isStorageFailure } from "#src/db/failure.ts";
import type { Store } from "#src/db/store.ts";
import { AcmeProblem, type CertificateAuthority } from "./authority.ts";
import {
  type CertificateState,
  type FailureKind,
  isOutside,
  type NextStep,
  nextStep,
  renewAt,
  retryAt,
} from "./certificate.ts";
import { newPrivateKey, signingRequest } from "./der.ts";
import { describeFailure, ledTo, type Surroundings } from "./failure.ts";
import { lifeOf } from "./issued.ts";
import { RepeatedSentences } from "./repeated.ts";
import {
  accountContext,
  addAccount,
  addOrder,
  type CertificateRow,
  type Changes,
  certificateContext,
  countFailures,
  findAccount,
  findIssued,
  firstIssuedAt,
  listCertificates,
  moveOrder,
  type Site,
  setAccountUrl,
} from "./rows.ts";

/** Where the authority looks: the server on plain HTTP. */
export interface Challenges {
  /** Makes sure that it listens. Returns the reason why it cannot, as the end of a sentence. */
  open(): string | null;
  /** Answers for this token alone from now on; null: for none. */
  offer(token: { token: string; keyAuthorization: string } | null): void;
}

interface KeeperOptions {
  site: Site;
  store: Pick<Store, "read" | "write">;
  box: SecretBox;
  clock: Clock;
  random: Random;
  log: Log;
  authority: CertificateAuthority;
  challenges: Challenges;
  /** Looks around for a failure's sentence. */
  surroundings: () => Promise<Surroundings>;
  /** Called when there is another certificate. */
  onIssued: (tls: { cert: string; key: string }) => void;
}

interface Account {
  key: string;
  url: string;
}

/** The wall clock may be set while the keeper waits for it. */
const WAIT_MAX_MS = 60 * 60_000;
const RETRY_AFTER_FAULT_MS = 60_000;
/** How often DNS is asked while it may be what has to be corrected. */
const DNS_EVERY_MS = 2 * 60_000;
const POLL_MIN_MS = 1_000;
const POLL_MAX_MS = 30_000;
/** An order that is not complete by then is given up. */
const ORDER_MAX_MS = 60 * 60_000;

export class CertificateKeeper extends ServiceLoop {
  readonly #options: KeeperOptions;
  /** About failures since the last certificate. */
  readonly #said = new RepeatedSentences();
  /** Where DNS led when the last order began, or when it was asked since; null: not asked yet. */
  #led: string | null = null;
  #isAsked = false;

  constructor(options: KeeperOptions) {
    super({
      name: "certificate",
      clock: options.clock,
      retryAfterMs: RETRY_AFTER_FAULT_MS,
      onError: (error) => this.#reportFault(error),
    });
    this.#options = options;
  }

  /** After a failure: the operator has corrected it. */
  retry(): void {
    this.#isAsked = true;
    this.notify();
  }

  /** The certificate of an earlier run; null: there is none that can be used. */
  issued(): { cert: string; key: string } | null {
    const { store, site, box, log } = this.#options;
    const row = store.read((tx) => findIssued(tx, site));
    if (row === null || row.chain === null || row.privateKey === null) return null;
    try {
      return { cert: row.chain, key: box.open(row.privateKey, certificateContext(row.id)) };
    } catch (error) {
      log.warn("certificate.key_unreadable", "The key of the certificate cannot be read", { error });
      return null;
    }
  }

  firstIssuedAt(): number | null {
    const { store, site } = this.#options;
    return store.read((tx) => firstIssuedAt(tx, site));
  }

  async runOnce(): Promise<NextRun> {
    const { store, site, clock } = this.#options;
    const isAtOnce = this.#isAsked || (await this.#isCorrected());
    this.#isAsked = false;
    const step = await store.write((tx): NextStep & { added?: number } => {
      const decided = nextStep(listCertificates(tx, site), tx.now, isAtOnce);
      return decided.kind === "order" ? { ...decided, added: addOrder(tx, site) } : decided;
    });
    if (step.kind === "wait") {
      const failed = this.#newestFailure();
      // What was asked for is done as soon as the limits allow it.
      this.#isAsked = isAtOnce && failed !== null;
      return Math.max(POLL_MIN_MS, Math.min(step.until - clock.now(), isOutside(failed) ? DNS_EVERY_MS : WAIT_MAX_MS));
    }
    if (step.kind === "interrupted") {
      await this.#fail(step.id, "interrupted", "The server stopped while it ordered a certificate.", null);
      return "at_once";
    }
    const id = step.kind === "order" ? (step.added ?? 0) : step.id;
    try {
      return step.kind === "order" ? await this.#order(id) : await this.#continue(id);
    } catch (error) {
      if (this.isStopped) return null;
      return this.#failWith(id, error);
    }
  }

  /** Null if the newest order has not failed. */
  #newestFailure(): FailureKind | null {
    const { store, site } = this.#options;
    const [newest] = store.read((tx) => listCertificates(tx, site));
    return newest?.status === "failed" ? newest.failureKind : null;
  }

  /** DNS leads elsewhere than when the last order, which failed, began. */
  async #isCorrected(): Promise<boolean> {
    if (!isOutside(this.#newestFailure())) return false;
    const surroundings = await this.#lookAround();
    const { resolved } = surroundings;
    const before = this.#led;
    this.#led = ledTo(surroundings);
    return before !== null && resolved !== null && resolved.length > 0 && this.#led !== before;
  }

  /** Knowing less makes a sentence shorter; it never hides a failure. */
  async #lookAround(): Promise<Surroundings> {
    const { surroundings, site } = this.#options;
    try {
      return await surroundings();
    } catch {
      return { domain: site.domain, resolved: null, own: null };
    }
  }

  async #order(id: number): Promise<NextRun> {
    const { site, authority, challenges, log } = this.#options;
    const closed = challenges.open();
    if (closed !== null) {
      await this.#fail(id, "port", `The server cannot listen for the certificate authority: ${closed}.`, null);
      return "at_once";
    }
    // A correction that comes while the authority looks is one after the failure, too.
    this.#led = ledTo(await this.#lookAround());
    log.info("certificate.ordered", "A certificate is ordered", { ...site });
    const orderUrl = await this.#withAccount(({ key, url }) => authority.order(key, url, site.domain));
    await this.#move(id, "validating", { orderUrl });
    return "at_once";
  }

  async #continue(id: number): Promise<NextRun> {
    const { authority, clock, challenges } = this.#options;
    const row = this.#find(id);
    const orderUrl = row.orderUrl ?? "";
    const order = await this.#withAccount(({ key, url }) => authority.readOrder(key, url, orderUrl));
    const ageMs = clock.now() - row.orderedAt;
    if (ageMs > ORDER_MAX_MS) throw new Slow();
    const poll = Math.max(order.retryAfterMs ?? 0, Math.min(Math.max(ageMs / 4, POLL_MIN_MS), POLL_MAX_MS));
    switch (order.status) {
      case "pending":
        await this.#validate(order.authorizationUrl);
        return poll;
      case "ready":
        return this.#finalize(row, order.finalizeUrl, poll);
      case "processing":
        return poll;
      case "valid":
        if (row.privateKey === null) throw new AcmeProblem("malformed", "The order was completed by another.", null);
        await this.#store(row, row.privateKey, order.certificateUrl ?? "");
        challenges.offer(null);
        return "at_once";
      default:
        throw order.problem ?? (await this.#refusal(order.authorizationUrl));
    }
  }

  async #validate(authorizationUrl: string): Promise<void> {
    const { authority, challenges } = this.#options;
    await this.#withAccount(async ({ key, url }) => {
      const challenge = await authority.readChallenge(key, url, authorizationUrl);
      challenges.offer(challenge);
      const closed = challenges.open();
      if (closed !== null) throw new AcmeProblem("connection", closed, null);
      if (challenge.status === "pending" && !challenge.isAnswered)
        await authority.answerChallenge(key, url, challenge.url);
    });
  }

  /** Why an order is invalid is said by its check. */
  async #refusal(authorizationUrl: string): Promise<AcmeProblem> {
    const { authority } = this.#options;
    const { problem } = await this.#withAccount(({ key, url }) => authority.readChallenge(key, url, authorizationUrl));
    return problem ?? new AcmeProblem("unknown", "", null);
  }

  /** The key is on disk before the authority can make a certificate for it. */
  async #finalize(row: CertificateRow, finalizeUrl: string, poll: number): Promise<NextRun> {
    const { authority, box, site } = this.#options;
    const context = certificateContext(row.id);
    const sealed = row.privateKey ?? box.seal(newPrivateKey(), context);
    if (row.privateKey === null) await this.#move(row.id, "finalizing", { privateKey: sealed });
    const csr = signingRequest(site.domain, box.open(sealed, context));
    await this.#withAccount(({ key, url }) => authority.finalize(key, url, finalizeUrl, csr));
    return poll;
  }

  async #store(row: CertificateRow, sealed: string, certificateUrl: string): Promise<void> {
    const { authority, box, random, site, onIssued, log } = this.#options;
    const chain = await this.#withAccount(({ key, url }) => authority.download(key, url, certificateUrl));
    const key = box.open(sealed, certificateContext(row.id));
    const life = lifeOf(chain, key, site.domain);
    const renewal = renewAt(life, random.fraction());
    await this.#move(row.id, "valid", { chain, ...life, renewAt: renewal });
    this.#said.clear();
    onIssued({ cert: chain, key });
    const until = new Date(life.endsAt).toISOString();
    log.info("certificate.issued", "The server has a new certificate", { ...site, until });
  }

  /** An account that the authority has forgotten is made anew, with the same key. */
  async #withAccount<T>(work: (account: Account) => Promise<T>): Promise<T> {
    const { store, site, box, authority } = this.#options;
    const { directory } = site;
    const context = accountContext(directory);
    if (store.read((tx) => findAccount(tx, directory)) === null) {
      const sealed = box.seal(newPrivateKey(), context);
      await store.write((tx) => addAccount(tx, directory, sealed));
    }
    const known = store.read((tx) => findAccount(tx, directory));
    const key = box.open(known?.privateKey ?? "", context);
    const url = known?.url ?? (await authority.account(key));
    if (known?.url !== url) await store.write((tx) => setAccountUrl(tx, directory, url));
    try {
      return await work({ key, url });
    } catch (error) {
      if (error instanceof AcmeProblem && error.kind === "accountDoesNotExist")
        await store.write((tx) => setAccountUrl(tx, directory, null));
      throw error;
    }
  }

  /** An authority that does not answer may still complete the order that it has. */
  async #failWith(id: number, error: unknown): Promise<NextRun> {
    if (error instanceof Slow) {
      await this.#fail(id, "slow", "The certificate authority did not complete the order within an hour.", null);
      return "at_once";
    }
    const surroundings = await this.#lookAround();
    const failure = describeFailure(error, surroundings);
    if (failure === null) {
      // Nothing can be recorded where nothing can be written.
      if (isStorageFailure(error)) throw error;
      this.#reportFault(error);
      const reason = error instanceof Error ? error.message : String(error);
      await this.#fail(id, "fault", `A fault of the server prevents a certificate: ${quoted(reason)}.`, null);
      return "at_once";
    }
    const { status, orderedAt } = this.#find(id);
    const isYoung = this.#options.clock.now() - orderedAt < ORDER_MAX_MS;
    if (failure.kind === "unreachable" && status !== "ordering" && isYoung) {
      if (this.#isNews(failure.says))
        this.#options.log.warn("certificate.delayed", "The certificate authority does not answer; it is asked again", {
          reason: failure.says,
        });
      return POLL_MAX_MS;
    }
    await this.#fail(id, failure.kind, failure.says, failure.retryAfterMs);
    return "at_once";
  }

  async #fail(id: number, kind: FailureKind, says: string, retryAfterMs: number | null): Promise<void> {
    const { store, site, random, log, challenges } = this.#options;
    challenges.offer(null);
    const isMoved = await store.write((tx) => {
      const failures = countFailures(tx, site) + 1;
      const at = retryAt({ kind, retryAfterMs, failures }, tx.now, random.fraction());
      return moveOrder(tx, id, "failed", { failureKind: kind, failure: says, retryAt: at });
    });
    if (isMoved && this.#isNews(says))
      log.warn("certificate.failed", "There is no new certificate; it is tried again", { kind, reason: says });
  }

  #reportFault(error: unknown): void {
    const { log } = this.#options;
    if (this.#isNews(`fault: ${error instanceof Error ? error.message : String(error)}`))
      log.error("certificate.step_failed", "A step towards a certificate failed; it is tried again", { error });
  }

  #isNews(sentence: string): boolean {
    return this.#said.isNew(sentence, this.#options.clock.now());
  }

  async #move(id: number, status: CertificateState, changes: Changes): Promise<void> {
    const isMoved = await this.#options.store.write((tx) => moveOrder(tx, id, status, changes));
    if (!isMoved) throw new Error(`order ${id} cannot become ${status}`);
  }

  #find(id: number): CertificateRow {
    const { store, site } = this.#options;
    const row = store.read((tx) => listCertificates(tx, site)).find((one) => one.id === id);
    if (row === undefined) throw new Error(`order ${id} is gone`);
    return row;
  }
}

/** The authority does not complete an order. */
class Slow extends Error {}
