/**
 * Every command there is, by its first word, in the order of the help. A group's file is only read when it is asked for:
 * most commands need neither the networks nor the server, and should not wait for them.
 */
import type { Command, Group } from "./command.ts";

export const groups: readonly Group[] = [
  group("serve", "Run the server", () => import("./serve.ts")),
  group("setup", "Set up a server step by step", () => import("./setup.ts")),
  group("dev", "Run a throwaway server", () => import("./dev.ts")),
  group("listen", "Pass a server's events on to this machine", () => import("./listen.ts")),
  group("trigger", "Make an event happen on a server under test control", () => import("./trigger.ts")),
  group("tail", "Show requests and events as they happen", () => import("./tail.ts")),
  group("workspace", "Customer accounts: settings, balance, suspension", () => import("./workspace.ts")),
  group("key", "API keys", () => import("./key.ts")),
  group("key-file", "The master key of stored secrets", () => import("./key-file.ts")),
  group("user", "Users of the console", () => import("./user.ts")),
  group("number", "Sending phone numbers", () => import("./number.ts")),
  group("template", "Message templates", () => import("./template.ts")),
  group("contact", "People: import, export, opt-outs, erasure", () => import("./contact.ts")),
  group("group", "Groups of contacts", () => import("./group.ts")),
  group("field", "Custom fields of contacts", () => import("./field.ts")),
  group("broadcast", "Broadcasts: progress, pause, resume, cancel", () => import("./broadcast.ts")),
  group("webhook", "The address that receives events", () => import("./webhook.ts")),
  group("delivery", "Deliveries of events", () => import("./delivery.ts")),
  group("simulate", "Play the network and its users on the simulator", () => import("./simulate.ts")),
  group("callback", "Callbacks that had no effect: list, replay", () => import("./callback.ts")),
  group("inbound", "Messages that people sent", () => import("./inbound.ts")),
  group("message", "Timeline of a message", () => import("./message.ts")),
  group("backup", "Back up the database online, and verify the backup", () => import("./backup.ts")),
  group("restore", "Replace the database with a backup", () => import("./restore.ts")),
  group("move", "Move the server to another machine", () => import("./move.ts")),
  group("upgrade", "Install a signed release, with a way back", () => import("./upgrade.ts")),
  group("check", "Check the database: integrity and invariants", () => import("./check.ts")),
  group("status", "What needs attention, and what to do", () => import("./status.ts")),
  group("alarm", "Test whether alarms arrive", () => import("./alarm.ts")),
  group("config", "The configuration", () => import("./config.ts")),
  group("doctor", "Find problems with the setup and the next step for each", () => import("./doctor.ts")),
  group("openapi", "The OpenAPI document", () => import("./openapi.ts")),
  group("completion", "Completion script for a shell", () => import("./completion.ts")),
  group("version", "Versions", () => import("./version.ts")),
];

function group(word: string, summary: string, load: () => Promise<{ commands: readonly Command[] }>): Group {
  return { word, summary, load: async () => (await load()).commands };
}
