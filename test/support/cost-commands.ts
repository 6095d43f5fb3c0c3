/**
 * What each command costs a server that runs beside it: the longest of its writes, for which the server's own wait, with the
 * bytes that it prints and the memory that it takes. Each runs as the example of its help, on a database that is filled to
 * its limits.
 */
import { spyOn } from "bun:test";
import { type Command, nameOf } from "#src/cli/command.ts";
import { groups } from "#src/cli/commands.ts";
import { helpExamples } from "#src/cli/help-examples.ts";
import { Store } from "#src/db/store.ts";
import { CallingWorkshop } from "#test/cli/spawn.ts";
import type { Bounds } from "./cost-bounds.ts";
import type { Objects } from "./matrix-objects.ts";
import { wordsOf } from "./shell-blocks.ts";
import { measureTurns, processorMs } from "./thread-turns.ts";

const ROWS = 2_000;
/** More than a list ever has. */
const LIMIT = "100000";

/** Not measured, and why. */
export const unmeasured: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["serve", "dev", "listen", "trigger", "tail"].map((name) => [
      name,
      "runs until it is stopped, as a server or its client",
    ]),
  ),
  ...Object.fromEntries(
    ["upgrade", "upgrade back", "upgrade try", "move in", "restore", "move out", "move cancel"].map((name) => [
      name,
      "runs while no server serves",
    ]),
  ),
  ...Object.fromEntries(
    [
      "setup",
      "number sync",
      "number rotate-callback",
      "webhook test",
      "backup send",
      "backup list",
      "template library",
      "template sync",
      "template submit",
      "template correct",
      "template delete",
      "alarm test",
    ].map((name) => [name, "waits for another machine, or for a server"]),
  ),
};

export interface CommandCost extends Bounds {
  /** The exit code. */
  status: number;
}

export async function commandNames(): Promise<string[]> {
  return (await allCommands()).map(nameOf);
}

async function allCommands(): Promise<Command[]> {
  return (await Promise.all(groups.map((group) => group.load()))).flat();
}

/** Runs every command once, beside the server. Call it last. */
export async function measureCommands({ app, phone, workspace }: Objects): Promise<Map<string, CommandCost>> {
  using workshop = new CallingWorkshop();
  workshop.data = app.directory;
  writeFiles(workshop);
  const callback = app.store.client.prepare("SELECT max(id) FROM callbacks").pluck().get();
  const otherPhone = app.store.client
    .prepare("SELECT phone FROM contacts WHERE workspace_id = ? AND phone IS NOT NULL AND phone <> ? LIMIT 1")
    .pluck()
    .get(workspace.id, phone);
  const max: Readonly<Record<string, string>> = {
    "contact keep": `contact keep ${phone} --workspace ${workspace.id}`,
    "contact join": `contact join ${phone} ${otherPhone} --workspace ${workspace.id}`,
    "contact data": `contact data ${phone} --workspace ${workspace.id} --out ${workshop.path("person.zip")}`,
    "contact erase": `contact erase ${phone} --workspace ${workspace.id}`,
    "callback show": `callback show ${callback}`,
    "broadcast show": "broadcast show 1",
    check: "check",
  };
  const costs = new Map<string, CommandCost>();
  for (const command of await allCommands()) {
    const name = nameOf(command);
    if (name in unmeasured) continue;
    const words = wordsOf(max[name] ?? helpExamples[name] ?? "").map((word) =>
      /^[\w-]+\.(json|csv|db|txt)$/.test(word) ? workshop.path(word) : word,
    );
    if ("limit" in command.options) words.push("--limit", LIMIT);
    costs.set(name, await measureCommand(workshop, words));
  }
  return costs;
}

async function measureCommand(workshop: CallingWorkshop, words: string[]): Promise<CommandCost> {
  let sliceMs = 0;
  const write = Store.prototype.write;
  using _ = spyOn(Store.prototype, "write").mockImplementation(function (this: Store, operation) {
    return write.call(this, (tx) => {
      const startedAt = processorMs();
      try {
        return operation(tx);
      } finally {
        sliceMs = Math.max(sliceMs, processorMs() - startedAt);
      }
    }) as never;
  });
  const end = measureTurns();
  const { code, stdout, stderr } = await workshop.run(words);
  return { sliceMs, memory: end().memory, bytes: stdout.length + stderr.length, status: code };
}

function writeFiles(workshop: CallingWorkshop): void {
  const body = { type: "BODY", text: "Hi {{1}}, your order {{2}} is on its way." };
  const stop = { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Stop these" }] };
  const template = (name: string, components: unknown[]) =>
    workshop.write(`${name}.json`, JSON.stringify({ name, language: "en_US", category: "UTILITY", components }));
  template("order_shipped", [body, stop]);
  const rows = Array.from({ length: ROWS }, (_, row) => `+9194${String(row).padStart(8, "0")},${"n".repeat(150)},Pune`);
  workshop.write("people.csv", ["Mobile,Name,City", ...rows].join("\n"));
  workshop.write("stop.csv", rows.map((row) => row.slice(0, 13)).join("\n"));
}
