/**
 * The steps of `waxwing setup`. Each runs the command that an operator would run, in a process of its own, so that root
 * becomes the owner of the data there and nowhere else; and each looks first whether it has been done.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { type Config, findConfigFile, loadConfig } from "#src/config/config.ts";
import { changeKey, type KeyChange } from "#src/config/edit.ts";
import { sleep } from "#src/core/clock.ts";
import { usualConfigFile, writeConfigFile } from "./config-file.ts";
import { localOrigin } from "./console-link.ts";
import type { Context, Io } from "./context.ts";
import { CommandFailure } from "./failure.ts";
import { isCompiled, runWithJson } from "./process.ts";

const SERVICE = "waxwing";
const READY_TRIES = 240;
const READY_WAIT_MS = 500;
const ANSWER_MS = 2_000;
/** A minute: an authority takes seconds. */
const CERTIFICATE_TRIES = 120;

export class SetupSteps {
  readonly #context: Context;
  readonly file: string;

  constructor(context: Context) {
    this.#context = context;
    const found = findConfigFile({ file: undefined }, context.io.root !== null)?.name;
    this.file = context.options.config ?? found ?? usualConfigFile();
  }

  get config(): Config {
    const { options, io } = this.#context;
    const hasFile = statSync(this.file, { throwIfNoEntry: false }) !== undefined;
    return loadConfig({ file: hasFile ? this.file : undefined, searchPaths: [], data: options.data, env: io.env });
  }

  /** Writes the file whole, if it changes and the result is valid. Returns whether it changed. */
  configure(changes: readonly KeyChange[]): boolean {
    const present = statSync(this.file, { throwIfNoEntry: false });
    const before = present === undefined ? "" : readFileSync(this.file, "utf8");
    const after = changes.reduce(changeKey, before);
    if (after === before) return false;
    const { options, io } = this.#context;
    loadConfig({ found: { name: this.file, text: after }, data: options.data, env: io.env });
    writeConfigFile(this.#context, this.file, after);
    return true;
  }

  /** Runs a command of this program with `--json`. `json`: what it printed. */
  async run(...words: string[]): Promise<{ ok: boolean; json: unknown; message: string }> {
    const { options } = this.#context;
    const program = isCompiled() ? [process.execPath] : [process.execPath, Bun.main];
    const where = [
      ...(statSync(this.file, { throwIfNoEntry: false }) === undefined ? [] : ["--config", this.file]),
      ...(options.data === undefined ? [] : ["--data", options.data]),
    ];
    const { code, json, log } = await runWithJson([...program, ...words, ...where]);
    const message = messageOf(json) ?? log.trim();
    return { ok: code === 0, json, message };
  }

  /** Like `run`. Throws if the command fails, with its own words. */
  async require(...words: string[]): Promise<Record<string, unknown>> {
    const { ok, json, message } = await this.run(...words);
    if (!ok) throw new CommandFailure("setup_failed", `waxwing ${words.slice(0, 2).join(" ")}: ${message}`);
    return json as Record<string, unknown>;
  }

  async addTemplate(workspace: string, template: object): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "waxwing-setup-"));
    const file = join(folder, "template.json");
    try {
      writeFileSync(file, JSON.stringify(template));
      await this.require("template", "add", "--workspace", workspace, "--file", file, "--status", "APPROVED");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** What a list command lists; nothing without a database. */
  async list(...words: string[]): Promise<Record<string, unknown>[]> {
    const { ok, json } = await this.run(...words);
    return ok ? (json as Record<string, unknown>[]) : [];
  }

  /** Whether systemd has a unit for the server. */
  hasService(): boolean {
    return systemctl("cat", SERVICE);
  }

  restartService(): boolean {
    return systemctl("restart", SERVICE);
  }

  /** The address at which this machine reaches the server that runs; null: none answers. */
  async findServer(waits: boolean): Promise<string | null> {
    const address = localOrigin(this.config);
    const { io } = this.#context;
    for (let tries = 0; tries < (waits ? READY_TRIES : 1); tries++) {
      if (tries > 0) await sleep(io.clock, READY_WAIT_MS);
      if (await isReady(address, io)) return address;
    }
    return null;
  }
}

/**
 * Waits for the certificate of the domain; until it has arrived, the server answers with one that it signed itself. Returns
 * who issued it; null: it has not arrived.
 */
export async function waitForCertificate(address: string, domain: string, { clock }: Io): Promise<string | null> {
  for (let tries = 0; tries < CERTIFICATE_TRIES; tries++) {
    if (tries > 0) await sleep(clock, READY_WAIT_MS);
    const issuer = await issuerOf(new URL(address), domain);
    if (issuer !== null) return issuer;
  }
  return null;
}

/** Null: self-signed, or no answer. */
function issuerOf({ hostname, port }: URL, domain: string): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const host = hostname.replace(/^\[|\]$/g, "");
  const options = { host, port: Number(port || 443), servername: domain, rejectUnauthorized: false };
  const socket = connect(options, () => {
    const { issuer, subject } = socket.getPeerCertificate();
    const isOwn = JSON.stringify(issuer) === JSON.stringify(subject);
    resolve(isOwn ? null : String(issuer?.O ?? issuer?.CN ?? "its authority"));
    socket.destroy();
  });
  socket.on("error", () => resolve(null));
  socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error("no answer")));
  return promise;
}

function systemctl(...words: string[]): boolean {
  try {
    return Bun.spawnSync(["systemctl", ...words], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }).success;
  } catch {
    return false;
  }
}

/** The certificate is for the domain, and this asks by address. */
export const localTls = { tls: { rejectUnauthorized: false } };

async function isReady(address: string, { clock }: Io): Promise<boolean> {
  const limit = new AbortController();
  const timer = clock.setTimer(ANSWER_MS, () => limit.abort());
  try {
    return (await fetch(`${address}/readyz`, { ...localTls, signal: limit.signal })).ok;
  } catch {
    return false;
  } finally {
    timer.cancel();
  }
}

function messageOf(json: unknown): string | null {
  if (typeof json !== "object" || json === null || !("error" in json)) return null;
  const { error } = json as { error: { message?: string; next?: string } };
  return [error.message, error.next].filter((text) => text !== undefined).join("; ");
}
