/** What `waxwing setup` does so that WhatsApp can report to this server: the verify token, and the app's subscription. */
import { randomText } from "#src/core/id.ts";
import type { Random } from "#src/core/random.ts";
import type { SetupSteps } from "./setup-steps.ts";

const TOKEN_LENGTH = 24;
const PATH = "/networks/whatsapp";

export async function hasWhatsapp(steps: SetupSteps, workspace: string): Promise<boolean> {
  const numbers = await steps.list("number", "list", "--workspace", workspace);
  return numbers.some(({ network }) => network === "whatsapp");
}

/** Writes a verify token if there is none. Returns whether the configuration changed. */
export function ensureVerifyToken(steps: SetupSteps, random: Random): boolean {
  if (steps.config.whatsapp.verifyToken !== null) return false;
  const value = randomText(random, TOKEN_LENGTH);
  return steps.configure([{ section: "whatsapp", name: "verify_token", value }]);
}

/** What remains to be done at Meta, where only a person can do it. */
export function describeCallbacks({ config }: SetupSteps): string {
  const { publicUrl } = config.server;
  if (publicUrl === null)
    return "WhatsApp cannot reach a server without a public address: give --domain or --public-url";
  return `enter at Meta, under WhatsApp, Configuration: ${publicUrl}${PATH} with the verify token ${config.whatsapp.verifyToken}`;
}

/** Subscribes the app to the account where it is not. */
export async function subscribe(steps: SetupSteps, workspace: string): Promise<string> {
  const { json, message } = await steps.run("doctor", "--workspace", workspace, "--subscribe");
  const findings = (json as { findings?: { check: string; message: string; next: string | null }[] } | null)?.findings;
  const found = findings?.find(({ check }) => check === "subscription");
  return found === undefined ? message || "not known" : [found.message, found.next ?? ""].join(" ").trim();
}
