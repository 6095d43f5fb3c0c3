/** The help lists every documented command and describes everything that can be typed. */
import { expect, test } from "bun:test";
import { type Command, nameOf } from "#src/cli/command.ts";
import { groups } from "#src/cli/commands.ts";
import { helpOnAll, helpOnCommand, helpOnGroup } from "#src/cli/help.ts";
import { flagOf } from "#src/cli/option.ts";
import { Workshop } from "./spawn.ts";

/** The documented commands: positionals, then options. Scripts and the documentation rely on them. */
const PROMISED: Record<string, string> = {
  "inbound show": "ID",
  "message show": "ID",
  backup: "FILE",
  "move out": "FILE",
  "move in": "FILE --code",
  "move cancel": "",
  restore:
    "FILE|s3://BUCKET/NAME --recovery-key-file --endpoint --region --access-key --secret-key-file --accept-gap --rehearse",
  check: "FILE",
  upgrade: "--from --public-key --check",
  "upgrade back": "",
  "upgrade try": "",
  serve: "--listen",
  dev: "--listen --forward --seed --random-seed --number --country --timezone --currency --now --with-parent",
  "workspace create":
    "--name --country --timezone --currency --rate --balance --daily-cap --no-api --stop-words --start-words",
  "workspace list": "",
  "workspace show": "ID",
  "workspace update": "ID --name --country --timezone --currency --rate --daily-cap --stop-words --start-words",
  "workspace enable-api": "ID",
  "workspace disable-api": "ID",
  "workspace suspend": "ID --reason",
  "workspace resume": "ID",
  "workspace credit": "ID AMOUNT --note --ref",
  "key create": "--workspace --name",
  "key list": "--workspace",
  "key-file show": "",
  "key-file rotate": "",
  "key revoke": "ID",
  "user create": "--email --role --workspace",
  "user list": "",
  "user invite": "--email --workspace --role",
  "user role": "--email --workspace --role",
  "user reset-password": "--email",
  "user disable": "--email",
  "number add":
    "--workspace --phone --name --network --throughput --phone-number-id --account-id --token-file --app-secret-file",
  "number list": "--workspace",
  "number show": "ID",
  "number sync": "ID",
  "number update":
    "ID --name --throughput --token-file --app-secret-file --no-app-secret --unsigned-callbacks --no-unsigned-callbacks --portfolio --shared",
  "number ready": "ID",
  "number unready": "ID --reason",
  "number connect": "ID --pin-file --replace-webhook",
  "number rotate-callback": "ID",
  "number remove": "ID",
  "template add": "--workspace --file --status",
  "template library": "--workspace --search --from --language --topic --usecase --industry",
  "template check": "--workspace --file --from",
  "template submit": "--workspace --file --from",
  "template correct": "NAME --workspace --language --file --from",
  "template delete": "NAME --workspace --language --from",
  "template list": "--workspace",
  "template sync": "--workspace",
  "template decide": "NAME --workspace --language --status --reason",
  "template mark": "NAME --workspace --language --button --as",
  "template order": "NAME --workspace --language",
  "template sample": "NAME --workspace --language --link",
  "contact import": "FILE --workspace --map --consent --dry-run --skip-bad-cells",
  "contact export": "--workspace",
  "contact opt-out": "--workspace --file",
  "contact data": "PHONE --workspace --out",
  "contact erase": "PHONE --workspace",
  "contact duplicates": "--workspace",
  "contact join": "STAYS GOES --workspace --take --dry-run",
  "contact keep": "PHONE --workspace",
  "group create": "--workspace --name --filter",
  "group list": "--workspace",
  "group remove": "ID",
  "field add": "--workspace --key --label --kind --choices",
  "field list": "--workspace",
  "field remove": "--workspace",
  "broadcast list": "--workspace --limit",
  "broadcast show": "ID --watch",
  "broadcast pause": "ID",
  "broadcast resume": "ID --send-unknown --fail-unknown",
  "broadcast cancel": "ID",
  "webhook set": "--workspace --url --types",
  "webhook add": "--workspace --url --types",
  "webhook list": "--workspace",
  "webhook update": "--id --workspace --url --types --state",
  "webhook remove": "--id --workspace",
  "webhook show": "--workspace",
  "webhook clear": "--workspace",
  "webhook rotate-secret": "--workspace --id --overlap",
  "webhook test": "--workspace --id",
  "delivery list": "--workspace --status --limit",
  "delivery show": "ID",
  "delivery replay": "ID --workspace --failed-since",
  "simulate inbound": "--workspace --from --to --text --type --file --payload --reply-to",
  "simulate status": "--message --status --code",
  status: "",
  "config check": "",
  "backup recovery-sheet": "--recovery-key-file",
  "backup send": "",
  "backup list": "--remote --bucket --prefix --endpoint --region --access-key --secret-key-file",
  "backup recovery-key": "--file",
  "callback list": "--state --limit",
  "callback show": "ID",
  "callback replay": "ID --state",
  doctor: "--workspace --subscribe",
  openapi: "",
  completion: "",
  listen: "--forward-to --server --key-file --types --after",
  trigger: "EVENT --server --key-file --control-token-file --from --text --type --code",
  tail: "--server --key-file --control-token-file --after --after-request",
  setup:
    "--domain --email --business --country --timezone --network --phone --backup-directory --keep-messages --test-to --remote-endpoint --remote-bucket --remote-prefix --remote-region --remote-access-key --remote-secret-key-file --remote-recipient --alarms --alarm-webhook --alarm-email --smtp-url-file",
  "alarm test": "",
  version: "",
};

async function all(): Promise<Command[]> {
  return (await Promise.all(groups.map((group) => group.load()))).flat();
}

test("every documented command exists with every documented option, and no other command exists", async () => {
  const commands = await all();
  for (const [name, promised] of Object.entries(PROMISED)) {
    const command = commands.find((one) => nameOf(one) === name);
    const known = [
      ...Object.values(command?.positionals ?? {}).map(({ kind, ...rest }) => ("value" in rest ? rest.value : kind)),
      ...Object.keys(command?.options ?? {}).map(flagOf),
    ];
    expect({ name, known }).toEqual({ name, known: expect.arrayContaining(promised.split(" ").filter(Boolean)) });
  }
  expect(commands.map(nameOf).toSorted()).toEqual(Object.keys(PROMISED).toSorted());
});

test("the overall help lists every command with its summary", async () => {
  const text = await helpOnAll(groups);
  for (const command of await all()) {
    expect(text).toContain(`\n  ${nameOf(command)} `);
    expect(text).toContain(command.summary);
  }
});

test("every option and positional is described in the help of its command", async () => {
  for (const command of await all()) {
    const text = helpOnCommand(command);
    expect(command.summary).toMatch(/^[A-Z].*[^.]$/);
    for (const [name, option] of Object.entries({ ...command.positionals, ...command.options })) {
      expect(option.description, `${nameOf(command)} ${name}`).toMatch(/^[A-Z].{5,}[^.]$/);
      expect(text).toContain(option.description);
    }
    for (const line of text.split("\n")) expect(line.length, line).toBeLessThanOrEqual(132);
  }
});

test("every command belongs to the group of its first word, and its name is unique", async () => {
  const names = (await all()).map(nameOf);
  expect(new Set(names).size).toBe(names.length);
  for (const group of groups) {
    const commands = await group.load();
    for (const command of commands) expect(command.group ?? command.name).toBe(group.word);
    if (commands[0]?.group !== null) expect(helpOnGroup(group, commands)).toContain(`waxwing ${group.word} COMMAND`);
  }
});

test("every way to ask for help prints it and exits 0; --json prints one document", async () => {
  using workshop = new Workshop();
  const [whole, word, group, command, misplaced, json] = await Promise.all(
    [
      ["--help"],
      ["help"],
      ["workspace", "--help"],
      ["workspace", "create", "-h"],
      ["help", "workspace", "create"],
      ["key", "create", "--help", "--json"],
    ].map((args) => workshop.run(args)),
  );
  expect(whole).toEqual({ code: 0, stdout: `${await helpOnAll(groups)}\n`, stderr: "" });
  expect(word?.stdout).toBe(whole?.stdout ?? "");
  expect(group?.stdout).toContain("workspace credit ID AMOUNT");
  expect(command?.stdout).toContain("Usage: waxwing workspace create --name NAME");
  expect(misplaced?.stdout).toBe(command?.stdout ?? "");
  expect(JSON.parse(json?.stdout ?? "").help).toContain("Usage: waxwing key create --workspace ID [OPTIONS]");
});

test("an unknown command line exits 2 and says which commands or options exist", async () => {
  using workshop = new Workshop();
  const ran = await Promise.all(
    [
      [],
      ["wrkspace", "list"],
      ["reply", "list"],
      ["workspace"],
      ["workspace", "crate"],
      ["--nonsense"],
      ["key", "create"],
    ].map((args) => workshop.run(args)),
  );
  for (const { code, stdout, stderr } of ran) {
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^waxwing: .*\n {2}next: waxwing .*--help\n$/s);
  }
  expect(ran[0]?.stderr).toContain("serve, setup, dev, ");
  expect(ran[1]?.stderr).toContain('"wrkspace" is not a command; did you mean workspace?');
  expect(ran[2]?.stderr).toContain('"reply" is not a command; there are serve, setup, dev');
  expect(ran[3]?.stderr).toContain("create, list, show, update");
  expect(ran[4]?.stderr).toContain("did you mean create?");
  expect(ran[6]?.stderr).toContain("--workspace ID is missing");
  const inJson = await workshop.run(["key", "create", "--json"]);
  expect(inJson).toMatchObject({ code: 2, stderr: "" });
  expect(JSON.parse(inJson.stdout).error).toMatchObject({ code: "usage", next: "waxwing key create --help" });
  const refusedByCommand = await workshop.run(["workspace", "credit", "1", "much"]);
  expect(refusedByCommand).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/next: waxwing workspace credit --help\n$/),
  });
  const beforeCommand = await workshop.run(["key", "create", "--data"]);
  expect(beforeCommand).toMatchObject({ code: 2, stderr: expect.stringMatching(/next: waxwing --help\n$/) });
});
