/** The example in the help of each command: it is there, it reads, and it runs wherever a throwaway database is enough. */
import { expect, test } from "bun:test";
import { readArguments } from "#src/cli/arguments.ts";
import { type Command, nameOf } from "#src/cli/command.ts";
import { groups } from "#src/cli/commands.ts";
import { helpOnCommand } from "#src/cli/help.ts";
import { helpExamples } from "#src/cli/help-examples.ts";
import { tokensOf } from "#src/cli/tokens.ts";
import { openClient } from "#src/db/driver.ts";
import { wordsOf } from "../support/shell-blocks.ts";
import { CallingWorkshop } from "./spawn.ts";

/** They run until they are stopped, change the machine, or need the real network or the server that they look for. */
const NOT_RUN = [
  ...["serve", "setup", "dev", "listen", "trigger", "tail"],
  ...[
    "upgrade",
    "upgrade back",
    "upgrade try",
    "number sync",
    "number connect",
    "number rotate-callback",
    "template submit",
    "template correct",
    "template delete",
    "webhook test",
    "move in",
    "backup send",
    "backup list",
  ],
];
/** They need a row that only a running server makes: here they say that it is missing, and nothing else. */
const NOT_FOUND = [
  ...["simulate status", "inbound show", "message show", "delivery show", "callback show", "contact join"],
  ...["broadcast show", "broadcast pause", "broadcast resume", "broadcast cancel"],
];

const commands: Command[] = (await Promise.all(groups.map((group) => group.load()))).flat();

test("every command has an example, shown in its help, that its parser accepts", () => {
  expect(Object.keys(helpExamples).toSorted()).toEqual(commands.map(nameOf).toSorted());
  for (const command of commands) {
    const example = helpExamples[nameOf(command)] ?? "";
    expect(helpOnCommand(command)).toContain(`Example: waxwing ${example}`);
    const words = wordsOf(example);
    const name = nameOf(command).split(" ");
    expect(words.slice(0, name.length)).toEqual(name);
    expect(() => readArguments(command, tokensOf(words.slice(name.length)))).not.toThrow();
  }
});

test("the examples run one after the other", async () => {
  using workshop = new CallingWorkshop();
  const template = (name: string, components: unknown[]) =>
    workshop.write(`${name}.json`, JSON.stringify({ name, language: "en_US", category: "UTILITY", components }));
  const example = { body_text: [["Asha", "10042"]] };
  const body = { type: "BODY", text: "Hi {{1}}, your order {{2}} is on its way.", example };
  template("order_shipped", [body, { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Stop these" }] }]);
  template("new_menu", [
    { type: "HEADER", format: "IMAGE" },
    { type: "BODY", text: "Our new menu is here." },
  ]);
  workshop.write("people.csv", "Mobile,Name,City\n+442079460210,Asha Rao,Pune\n");
  workshop.write("stop.csv", "+442079460233\n");
  const here = (words: string[]) =>
    words.map((word) => (/^[\w-]+\.(json|csv|db|move|txt|zip)$/.test(word) ? workshop.path(word) : word));
  const failed: unknown[] = [];
  for (const [name, example] of Object.entries(helpExamples)) {
    if (NOT_RUN.includes(name)) continue;
    if (name === "template sample") {
      const file = ["--file", workshop.path("new_menu.json"), "--status", "APPROVED"];
      await workshop.run(["template", "add", "--workspace", "1", ...file]);
    }
    if (name === "user disable")
      await workshop.run(["user", "create", "--role", "operator", "--email", "former@example.com"]);
    if (name === "user role") {
      // As if the invitation had been accepted.
      const client = openClient(workshop.path("data/waxwing.db"), {});
      client.exec(
        "INSERT INTO memberships (user_id, workspace_id, role, created_at) SELECT id, 1, 'member', 1 FROM users WHERE email = 'colleague@example.com'",
      );
      client.close();
    }
    const ran = await workshop.run([...here(wordsOf(example)), "--json"]);
    const code = ran.code === 0 ? null : (JSON.parse(ran.stdout).error?.code ?? ran.stdout);
    const expected = NOT_FOUND.includes(name) ? "not_found" : null;
    // What a new server lacks is no fault of the example.
    if (["doctor", "status", "config check", "alarm test"].includes(name)) expect([0, 1]).toContain(ran.code);
    else if (code !== expected) failed.push({ example, ...ran });
  }
  expect(failed).toEqual([]);
}, 60_000);
