/**
 * Every command there is, by its first word, in the order of the help. A group's file is only read when it is asked for:
 * most commands need neither the networks nor the server, and should not wait for them.
 */
import type { Group } from "./command.ts";

export const groups: readonly Group[] = [
  { word: "serve", summary: "Run the server", load: async () => (await import("./serve.ts")).commands },
  {
    word: "setup",
    summary: "Set up a server step by step",
    load: async () => (await import("./setup.ts")).commands,
  },
  { word: "dev", summary: "Run a throwaway server", load: async () => (await import("./dev.ts")).commands },
  {
    word: "listen",
    summary: "Pass a server's events on to this machine",
    load: async () => (await import("./listen.ts")).commands,
  },
  {
    word: "trigger",
    summary: "Make an event happen on a server under test control",
    load: async () => (await import("./trigger.ts")).commands,
  },
  {
    word: "tail",
    summary: "Show requests and events as they happen",
    load: async () => (await import("./tail.ts")).commands,
  },
  {
    word: "workspace",
    summary: "Customer accounts: settings, balance, suspension",
    load: async () => (await import("./workspace.ts")).commands,
  },
  { word: "key", summary: "API keys", load: async () => (await import("./key.ts")).commands },
  {
    word: "key-file",
    summary: "The master key of stored secrets",
    load: async () => (await import("./key-file.ts")).commands,
  },
  {
    word: "user",
    summary: "Users of the console",
    load: async () => (await import("./user.ts")).commands,
  },
  { word: "number", summary: "Sending phone numbers", load: async () => (await import("./number.ts")).commands },
  { word: "template", summary: "Message templates", load: async () => (await import("./template.ts")).commands },
  {
    word: "contact",
    summary: "People: import, export, opt-outs, erasure",
    load: async () => (await import("./contact.ts")).commands,
  },
  { word: "group", summary: "Groups of contacts", load: async () => (await import("./group.ts")).commands },
  { word: "field", summary: "Custom fields of contacts", load: async () => (await import("./field.ts")).commands },
  {
    word: "broadcast",
    summary: "Broadcasts: progress, pause, resume, cancel",
    load: async () => (await import("./broadcast.ts")).commands,
  },
  {
    word: "webhook",
    summary: "The address that receives events",
    load: async () => (await import("./webhook.ts")).commands,
  },
  { word: "delivery", summary: "Deliveries of events", load: async () => (await import("./delivery.ts")).commands },
  {
    word: "simulate",
    summary: "Play the network and its users on the simulator",
    load: async () => (await import("./simulate.ts")).commands,
  },
  {
    word: "callback",
    summary: "Callbacks that had no effect: list, replay",
    load: async () => (await import("./callback.ts")).commands,
  },
  { word: "message", summary: "Timeline of a message", load: async () => (await import("./message.ts")).commands },
  {
    word: "backup",
    summary: "Back up the database online, and verify the backup",
    load: async () => (await import("./backup.ts")).commands,
  },
  {
    word: "restore",
    summary: "Replace the database with a backup",
    load: async () => (await import("./restore.ts")).commands,
  },
  {
    word: "move",
    summary: "Move the server to another machine",
    load: async () => (await import("./move.ts")).commands,
  },
  {
    word: "upgrade",
    summary: "Install a signed release, with a way back",
    load: async () => (await import("./upgrade.ts")).commands,
  },
  {
    word: "check",
    summary: "Check the database: integrity and invariants",
    load: async () => (await import("./check.ts")).commands,
  },
  {
    word: "status",
    summary: "What needs attention, and what to do",
    load: async () => (await import("./status.ts")).commands,
  },
  {
    word: "config",
    summary: "The configuration",
    load: async () => (await import("./config.ts")).commands,
  },
  {
    word: "doctor",
    summary: "Find problems with the setup and the next step for each",
    load: async () => (await import("./doctor.ts")).commands,
  },
  { word: "openapi", summary: "The OpenAPI document", load: async () => (await import("./openapi.ts")).commands },
  {
    word: "completion",
    summary: "Completion script for a shell",
    load: async () => (await import("./completion.ts")).commands,
  },
  { word: "version", summary: "Versions", load: async () => (await import("./version.ts")).commands },
];
