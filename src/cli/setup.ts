/**
 * `waxwing setup`: the first hour. It asks what no option answers (at a terminal), does what has not been
 * done, and ends with the list of conditions. Run again, it changes only what is answered differently.
 */
import type { Config } from "#src/config/config.ts";
import type { KeyChange } from "#src/config/edit.ts";
import { visible } from "#src/core/shown-text.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { CommandFailure } from "./failure.ts";
import { choice, directory, text } from "./option.ts";
import type { Report } from "./output.ts";
import { alarmOptions, askAboutAlarms } from "./setup-alarms.ts";
import { describeCallbacks, ensureVerifyToken, hasWhatsapp, subscribe } from "./setup-callbacks.ts";
import { changesOf, Interview, NONE } from "./setup-interview.ts";
import { askAboutStore, remoteOptions } from "./setup-remote.ts";
import { localTls, SetupSteps, waitForCertificate } from "./setup-steps.ts";
import { UsageError } from "./usage-error.ts";

const options = {
  domain: text("NAME", "Name of this machine for automatic HTTPS; none: behind a proxy, or only here"),
  publicUrl: text("URL", "Public address behind a proxy, if there is no domain"),
  backupDirectory: directory("DIR", "Directory of backups, best on another disk; none: in the data directory"),
  keepMessages: text("TIME", 'How long messages are kept, such as "18 months"; none: for ever'),
  ...remoteOptions,
  ...alarmOptions,
  business: text("NAME", "Name of the first workspace"),
  country: text("CC", "Its country, such as IN"),
  timezone: text("TZ", "Its timezone, such as Asia/Kolkata"),
  email: text("E", "E-mail address of the first operator; none: no operator"),
  network: choice(["simulator", "whatsapp", "none"], "Network of the first number; none: no number"),
  phone: text("P", "The first number"),
  phoneNumberId: text("X", "Its id at Meta (whatsapp)"),
  accountId: text("WABA", "Its WhatsApp Business account (whatsapp)"),
  tokenFile: text("FILE", "File with its access token (whatsapp)"),
  appSecretFile: text("FILE", "File with the Meta app's secret (whatsapp)"),
  testTo: text("PHONE", "Who gets the first message; none: no message is sent"),
} as const;

/** For the simulator, which has no templates of its own. */
const HELLO = {
  ...{ name: "hello", language: "en", category: "UTILITY" },
  components: [{ type: "BODY", text: "Hello from Waxwing." }],
};

export const commands: readonly Command[] = [
  command(
    "setup",
    {
      summary: "Set up a server step by step: domain, backups, alarms, first workspace, operator, number and message",
      details:
        "At a terminal it asks for what no option answers. Elsewhere, questions without an option are skipped.\nIt can be run again: what is there stays, and what is answered differently is changed.\nExit code 1 if a condition is critical at the end.",
      needsNoData: true,
    },
    options,
    (context, values) => new Setup(context, values).run(),
  ),
];

class Setup extends Interview<keyof typeof options> {
  readonly #steps: SetupSteps;

  constructor(context: Context, given: Interview<keyof typeof options>["given"]) {
    super(context.io, given, context.options.json);
    this.#steps = new SetupSteps(context);
  }

  async run(): Promise<Report> {
    const before = JSON.stringify(this.#steps.config.alerts);
    const isChanged = await this.#configure();
    if (JSON.stringify(this.#steps.config.alerts) !== before) await this.#testAlarms();
    const workspace = await this.#workspace();
    await this.#operator();
    const number = workspace === null ? null : await this.#number(workspace);
    const whatsapp = workspace !== null && (await hasWhatsapp(this.#steps, workspace)) ? workspace : null;
    const hasToken = whatsapp !== null && ensureVerifyToken(this.#steps, this.io.random);
    const address = await this.#service(isChanged || hasToken);
    if (address !== null) await this.#certificate(address);
    if (whatsapp !== null) await this.#callbacks(whatsapp);
    if (workspace !== null && number !== null && address !== null) await this.#message(workspace, address);
    return this.#report();
  }

  /** Returns whether the configuration changed. */
  async #configure(): Promise<boolean> {
    const { server, backup, retention, alerts } = this.#steps.config;
    const change = (section: string, name: string, answer: string | null, present: string | null): KeyChange[] =>
      answer === null ? [] : changesOf(section, { [name]: present }, { [name]: answer === NONE ? null : answer });
    const machine = "Name of this machine on the internet, for automatic HTTPS";
    const domain = this.ask("domain", machine, server.domain ?? NONE);
    const isNewDomain = domain !== null && domain !== NONE && domain !== server.domain;
    const isBehindProxy = (domain ?? server.domain ?? NONE) === NONE;
    const url = isBehindProxy
      ? this.ask("publicUrl", "Its public address behind a proxy", server.publicUrl ?? NONE)
      : null;
    const directory = this.ask("backupDirectory", "Directory of backups, best on another disk", backup.directory);
    const store = await this.#store(backup.remote);
    const alarms = this.#alarms(alerts);
    const keep =
      this.given.keepMessages !== undefined || retention.messages === null
        ? this.ask("keepMessages", "How long messages are kept", NONE)
        : null;
    const isChanged = this.#steps.configure([
      ...change("server", "domain", domain, server.domain),
      ...(isNewDomain ? [{ section: "server", name: "listen", value: null }] : []),
      ...change("server", "public_url", url, server.publicUrl),
      ...change("backup", "directory", directory, backup.directory),
      ...store,
      ...alarms,
      // Parsed, it does not say what stands in the file, where the same text changes nothing.
      ...change("retention", "messages", keep, retention.messages === null ? null : ""),
    ]);
    this.tell("configuration", isChanged ? `${this.#steps.file} is written` : "unchanged");
    return isChanged;
  }

  async #store(present: Config["backup"]["remote"]): Promise<KeyChange[]> {
    const { changes, recoveryKey } = await askAboutStore(this, present);
    // Before the recipient is written: an unseen key would lock every archive.
    if (recoveryKey !== null)
      this.tell(
        "recovery key",
        `${recoveryKey} (shown once: keep it apart from this machine, or no archive can be restored)`,
      );
    return changes;
  }

  #alarms(present: Config["alerts"]): KeyChange[] {
    const changes = askAboutAlarms(this, present);
    if (changes === null)
      throw new CommandFailure("setup_failed", "that is not a way to be told", "answer webhook, email or none");
    return changes;
  }

  /** Before the first message: what fails after that should reach an operator. */
  async #testAlarms(): Promise<void> {
    const { webhook, emailTo } = this.#steps.config.alerts;
    if (webhook === null && emailTo.length === 0) return;
    const { json, message } = await this.#steps.run("alarm", "test");
    const { channels = [] } = json as { channels?: { channel: string; arrived: boolean; reason: string | null }[] };
    const results = channels.map(
      ({ channel, arrived, reason }) => `${channel}: ${arrived ? "the test alarm arrived" : reason}`,
    );
    this.tell("alarms", results.length === 0 ? message : results.join("; "));
  }

  async #workspace(): Promise<string | null> {
    const [first] = await this.#steps.list("workspace", "list");
    if (first !== undefined) {
      this.tell("workspace", `${first.id}, ${first.name}`);
      return String(first.id);
    }
    const name = this.ask("business", "Name of the business", null);
    const country = name === null ? null : this.ask("country", "Its country, such as IN", null);
    const timezone = country === null ? null : this.ask("timezone", "Its timezone, such as Asia/Kolkata", null);
    if (name === null) return this.skip("workspace", "--business");
    if (country === null || timezone === null) throw new UsageError("--business needs --country and --timezone");
    const created = await this.#steps.require(
      ...["workspace", "create", "--name", name, "--country", country, "--timezone", timezone],
    );
    this.tell("workspace", `${created.id}, ${name}`);
    return String(created.id);
  }

  async #operator(): Promise<void> {
    const users = await this.#steps.list("user", "list");
    const operator = users.find(({ role }) => role === "operator");
    if (operator !== undefined) return this.tell("operator", String(operator.email));
    const email = this.ask("email", "E-mail address of the first operator", null);
    if (email === null || email === NONE) return void this.skip("operator", "--email");
    const { link } = await this.#steps.require("user", "create", "--email", email, "--role", "operator");
    this.tell("operator", `${email}: this link works once: ${link}`);
  }

  async #number(workspace: string): Promise<string | null> {
    const [first] = await this.#steps.list("number", "list", "--workspace", workspace);
    if (first !== undefined) {
      this.tell("number", String(first.phone));
      return String(first.phone);
    }
    const network = this.ask("network", "Network of the first number: simulator, whatsapp or none", NONE);
    if (network === null || network === NONE) return this.skip("number", "--network");
    if (network !== "simulator" && network !== "whatsapp")
      throw new CommandFailure("setup_failed", `${network} is not a network`, "answer simulator, whatsapp or none");
    const need = (name: keyof typeof options, question: string): string => this.need(name, question, "the number");
    const words = ["number", "add", "--workspace", workspace, "--network", network, "--name", "first"];
    words.push("--phone", need("phone", "The number, with its country code"));
    if (network === "whatsapp") {
      words.push("--phone-number-id", need("phoneNumberId", "Its phone number id at Meta"));
      words.push("--account-id", need("accountId", "The id of its WhatsApp Business account"));
      words.push("--token-file", need("tokenFile", "File with its access token"));
      const secret = this.ask("appSecretFile", "File with the Meta app's secret", NONE);
      if (secret !== null && secret !== NONE) words.push("--app-secret-file", secret);
    }
    const { phone } = await this.#steps.require(...words);
    this.tell("number", String(phone));
    return String(phone);
  }

  /** The address of the server; null: none runs. */
  async #service(isChanged: boolean): Promise<string | null> {
    const running = await this.#steps.findServer(false);
    if (!this.#steps.hasService()) {
      if (running === null) this.tell("server", "not running: start it with waxwing serve, then run setup again");
      else this.tell("server", isChanged ? `runs at ${running}; restart it for the changes` : `runs at ${running}`);
      return running;
    }
    if (running !== null && !isChanged) {
      this.tell("service", `runs at ${running}`);
      return running;
    }
    if (!this.#steps.restartService())
      throw new CommandFailure("setup_failed", "the service did not start", "journalctl -u waxwing -e shows why");
    const address = await this.#steps.findServer(true);
    if (address === null)
      throw new CommandFailure("setup_failed", "the service does not answer", "journalctl -u waxwing -e shows why");
    this.tell("service", `runs at ${address}`);
    return address;
  }

  /** The first one takes seconds; a browser that opens the operator's link before would warn. */
  async #certificate(address: string): Promise<void> {
    const { domain, tlsCert } = this.#steps.config.server;
    if (domain === null || tlsCert !== null) return;
    const issuer = await waitForCertificate(address, domain, this.io);
    this.tell("certificate", issuer === null ? "not yet: waxwing status says why" : `for ${domain}, from ${issuer}`);
  }

  async #callbacks(workspace: string): Promise<void> {
    this.tell("subscription", await subscribe(this.#steps, workspace));
    this.tell("callbacks", describeCallbacks(this.#steps));
  }

  async #message(workspace: string, address: string): Promise<void> {
    const to = this.ask("testTo", "Who gets the first message", NONE);
    if (to === null || to === NONE) return void this.skip("first message", "--test-to");
    const template = await this.#template(workspace);
    if (template === null) return this.tell("first message", "no approved template without values; send one later");
    const { key, id } = await this.#steps.require("key", "create", "--workspace", workspace, "--name", "setup");
    try {
      const response = await fetch(`${address}/api/v1/messages`, {
        ...localTls,
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ to, ...template }),
      });
      const body = (await response.json()) as { data?: { status: string }; error?: { message: string } };
      if (!response.ok) throw new CommandFailure("setup_failed", `the first message: ${body.error?.message}`);
      this.tell("first message", `${to}: ${body.data?.status}`);
    } finally {
      await this.#steps.run("key", "revoke", String(id));
    }
  }

  /** One without values; on the simulator, one is made. */
  async #template(workspace: string): Promise<{ template: string; language: string } | null> {
    const templates = await this.#steps.list("template", "list", "--workspace", workspace);
    const found = templates.find(
      ({ sendable, variables, media }) =>
        sendable === true && media === null && Object.values(variables as object).every((count) => count === 0),
    );
    if (found !== undefined) return { template: String(found.name), language: String(found.language) };
    const [number] = await this.#steps.list("number", "list", "--workspace", workspace);
    if (number?.network !== "simulator") return null;
    await this.#steps.addTemplate(workspace, HELLO);
    return { template: HELLO.name, language: HELLO.language };
  }

  async #report(): Promise<Report> {
    const status = await this.#steps.run("status");
    const conditions =
      (status.json as { conditions?: { severity: string; says: string; next: string }[] })?.conditions ?? [];
    const lines = conditions.map(
      ({ severity, says, next }) => `${severity}: ${visible(says)}\n  next: ${visible(next)}`,
    );
    if (!status.ok && conditions.length === 0)
      return { json: { steps: this.done, conditions }, text: `status: ${status.message}`, exitCode: 1 };
    const text = conditions.length === 0 ? "status: nothing needs attention." : `status:\n${lines.join("\n")}`;
    return { json: { steps: this.done, conditions }, text, exitCode: status.ok ? 0 : 1 };
  }
}
