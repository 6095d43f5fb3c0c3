/** What `waxwing dev` prints when it is ready: addresses, the key, and commands that work as pasted. */
import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { lines } from "../output.ts";
import type { Demo } from "./demo.ts";
import type { RunningDev } from "./running-devs.ts";

/** What a program gets that starts dev: one line of JSON. */
export interface Ready extends RunningDev {
  metrics_token: string | null;
  webhook_viewer_url: string;
  webhook_secret: string | null;
  docs_url: string;
  /** Makes the first operator. */
  console_url: string;
}

interface Surroundings {
  readonly demo: Demo;
  /** Where `--forward` delivers every webhook too; null: nowhere. */
  readonly forward: string | null;
  /** Why the server does not listen on its usual port; null if it does. */
  readonly note: string | null;
  /** Whether the database is kept when dev ends. */
  readonly isKept: boolean;
}

export function devWords(ready: Ready, { demo, forward, note, isKept }: Surroundings): string {
  const { base_url: baseUrl, data } = ready;
  return lines(
    note !== null && [note, ""],
    isKept
      ? `A demo server with a simulated network is ready. Its database is kept in ${data}.`
      : "A throwaway server with a simulated network is ready. Its data is deleted when it stops.",
    "",
    `  API       ${baseUrl}`,
    `  key       ${ready.api_key}`,
    `  number    ${ready.number ?? "none"}`,
    `  webhooks  ${ready.webhook_viewer_url}    (webhooks as a receiver gets them, with verified signatures)`,
    forward !== null && `  forward   ${forward}    (gets every webhook too; start your receiver first)`,
    ready.webhook_secret !== null && `  secret    ${ready.webhook_secret}    (signs the webhooks)`,
    `  docs      ${ready.docs_url}`,
    `  control   ${ready.control_url}    (for tests: the clock, network faults, what was sent; with the token ${ready.control_token})`,
    `  metrics   ${baseUrl.replace("/api/v1", "/metrics")}    (with the key ${ready.metrics_token})`,
    `  console   ${ready.console_url}    (choose an e-mail address and a password; valid for 30 minutes)`,
    "",
    demo.samples !== null && sampleCommands(demo, demo.samples, baseUrl, data),
    "The last digits of a recipient, 0001 to 0009, choose a failure: 0001 is not on the network, 0006 is throttled twice …",
    "",
    "Ctrl-C stops it.",
  );
}

/** Commands to paste. */
function sampleCommands(demo: Demo, samples: NonNullable<Demo["samples"]>, baseUrl: string, data: string): string[] {
  const curl = (path: string, body: Record<string, unknown>): string =>
    [
      `  curl ${baseUrl}${path} \\`,
      `    -H 'Authorization: Bearer ${demo.key}' \\`,
      "    -H 'Content-Type: application/json' \\",
      `    -d ${shellWord(JSON.stringify(body))}`,
    ].join("\n");
  const from = samples.from === null ? {} : { from: samples.from };
  const to = samples.from === null ? "" : ` --to ${samples.from}`;
  const waxwing = `${thisProgram()} --data ${shellWord(data)}`;
  return [
    "Send a template message:",
    "",
    curl("/messages", { to: samples.person, ...from, template: "order_shipped", variables: ["Asha", "A-1042"] }),
    "",
    `Send a text: ${samples.writer} has just written, so the 24-hour window is open:`,
    "",
    curl("/messages", { to: samples.writer, ...from, text: "Yes, until eight. See you!" }),
    "",
    "Send a broadcast in which each recipient gets their own name, and watch its progress:",
    "",
    curl("/broadcasts", {
      name: "Weekend offer",
      template: "weekend_offer",
      group: samples.groupId,
      ...from,
      variables: [{ field: "first_name", fallback: "there" }, "20"],
    }),
    `  ${waxwing} broadcast show 1 --watch`,
    "",
    "Receive a message:",
    "",
    `  ${waxwing} simulate inbound --workspace ${demo.workspaceId} --from ${samples.person}${to} --text 'Where is my order?'`,
    "",
  ];
}

/** How this program was started, as typed from the working directory. */
function thisProgram(): string {
  if (import.meta.url.includes("/$bunfs/")) return shellWord(fromHere(process.execPath));
  return `${shellWord(bunFromHere())} ${shellWord(fromHere(Bun.main).replace(/^\.\//, ""))}`;
}

/** A Bun inside the checkout is only on this process's PATH (install.sh sets it), so the command needs its full path. */
function bunFromHere(): string {
  const found = Bun.which("bun");
  if (found === null || realpathSync(found) !== realpathSync(process.execPath)) return fromHere(process.execPath);
  return fromHere(found) === found ? "bun" : fromHere(found);
}

/** Relative if it is below the working directory. */
function fromHere(path: string): string {
  const near = relative(process.cwd(), path);
  if (near.startsWith("..")) return path;
  return near.includes("/") ? near : `./${near}`;
}

function shellWord(word: string): string {
  return /^[\w./:@+-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}
