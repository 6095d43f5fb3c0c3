/**
 * Every command with a phone number that Waxwing offers for pasting, run exactly as shown: on the console's screens, in
 * workspaces of several countries; in the output of `waxwing dev`; and in README and docs/. docs-samples.test.ts
 * runs those of the pages that the server shows.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as printed from "#src/web/features/developer/printed-commands.ts";
import { Workshop } from "#test/cli/spawn.ts";
import { type ConsoleProcess, startConsole } from "#test/support/console-process.ts";
import { program } from "#test/support/program.ts";
import { checkout } from "#test/support/source.ts";

const LIMIT_MS = 300_000;
/** What the reader types; valid in a workspace of any country. */
const OWN_NUMBER = "+442079460210";

interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs the command in a shell, as a user pastes it. `waxwing` runs this source on the given data directory. */
async function paste(command: string, data: string, env: Record<string, string> = {}): Promise<Ran> {
  const waxwing = `waxwing() { ${program.map((word) => `'${word}'`).join(" ")} "$@" --data '${data}' --json; }`;
  const child = Bun.spawn(["sh", "-c", `${waxwing}\n${command}`], {
    env: { PATH: process.env.PATH ?? "", no_proxy: "*", ...env },
    cwd: data,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}

/** Runs a pasted curl command, and returns the status as well as the body. */
async function pasteCurl(command: string, data: string, env: Record<string, string> = {}) {
  const { out, err } = await paste(command.replace(/^curl /, "curl -sS -w '\\n%{http_code}' "), data, env);
  const end = out.lastIndexOf("\n");
  return { command, status: Number(out.slice(end + 1)), body: out.slice(0, end), err };
}

/** A template file for the simulator, with as many placeholders as the commands fill in. */
function templateFile(name: string, language: string, header: number | string | null, body: number) {
  const places = (count: number) => Array.from({ length: count }, (_, index) => `{{${index + 1}}}`).join(" and ");
  const components: unknown[] = [{ type: "BODY", text: body === 0 ? "Hello." : `Hi ${places(body)}, hello.` }];
  if (typeof header === "string") components.unshift({ type: "HEADER", format: header });
  else if (header !== null && header > 0) components.unshift({ type: "HEADER", format: "TEXT", text: "For {{1}}" });
  return { name, language, category: "MARKETING", components };
}

async function addTemplate(app: ConsoleProcess, workspace: number, json: { name: string }): Promise<void> {
  const file = join(app.directory, `${json.name}.json`);
  await Bun.write(file, JSON.stringify(json));
  const words = ["template", "add", "--workspace", String(workspace), "--status", "APPROVED", "--file", file];
  await app.command(...words);
}

let app: ConsoleProcess;
beforeAll(async () => {
  app = await startConsole();
}, LIMIT_MS);
afterAll(() => app[Symbol.asyncDispose]());

const workspaceIn = async (country: string): Promise<{ id: number; key: string }> => {
  const words = ["workspace", "create", "--name", country, "--country", country, "--timezone", "UTC"];
  const { id } = await app.command(...words);
  const { key } = await app.command("key", "create", "--workspace", String(id));
  return { id: Number(id), key: String(key) };
};

describe("the console", () => {
  const templates: printed.CommandTemplate[] = [
    printed.exampleTemplate("hello"),
    { name: "with_values", language: "en_US", variables: { header: 1, body: 2 }, media: null },
    {
      name: "with_file",
      language: "en_US",
      variables: { header: 0, body: 1 },
      media: { type: "image", default: false },
    },
  ];

  test.each(["IN", "US", "GB", "BR", "CH", "SG"])(
    "the console shows commands that work in a workspace in %s, with one number and with two",
    async (country) => {
      const { id, key } = await workspaceIn(country);
      for (const { name, language, variables, media } of templates) {
        const header = media === null ? variables.header : media.type.toUpperCase();
        // A template belongs to its number's account, which the first of these commands creates.
        if (name === "hello") {
          const added = await paste(printed.addNumberCommand({ workspaceId: id }), app.directory);
          expect(added).toMatchObject({ code: 0, err: "" });
        }
        await addTemplate(app, id, templateFile(name, language, header, variables.body));
      }
      const numbers = async (): Promise<{ phone: string; ready: boolean }[]> => {
        const answered = await fetch(`${app.url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
        return ((await answered.json()) as { data: { numbers: { phone: string; ready: boolean }[] } }).data.numbers;
      };
      const walk = async () => {
        const known = await numbers();
        for (const template of templates) {
          const context = printed.commandContext(app.url, { id, numbers: known }, template, key);
          for (const [name, make] of Object.entries(printed)) {
            if (!name.endsWith("Command") || name === "addNumberCommand") continue;
            // Two broadcasts need two idempotency keys, which the user is meant to choose.
            const command = (make as (given: printed.CommandContext, recipient: string) => string)(context, OWN_NUMBER);
            const own = command.replace("saturday-offer", `saturday-offer-${template.name}-${known.length}`);
            const { status, body, err } = await pasteCurl(own, app.directory);
            const expected = { showWorkspaceCommand: 200, sendBroadcastCommand: 202 }[name] ?? 201;
            expect({ command, status, body, err }).toMatchObject({ command, status: expected, err: "" });
          }
        }
        return known.length;
      };
      expect(await walk()).toBe(1);
      const second = ["--phone", "+911244001101", "--name", "Other", "--network", "simulator"];
      await app.command("number", "add", "--workspace", String(id), ...second);
      expect(await walk()).toBe(2);
    },
    LIMIT_MS,
  );

  test("only one module of the console builds such commands, and the test above covers all of them", () => {
    const folder = join(checkout, "src/web");
    const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => /\.tsx?$/.test(path));
    const offences = sources
      .filter((path) => path !== "features/developer/printed-commands.ts")
      .filter((path) => /["'`]curl |--phone ["'+\d]|"\+\d[\d ]{8,}"/.test(readFileSync(join(folder, path), "utf8")));
    expect(offences).toEqual([]);
    const made = Object.keys(printed).filter((name) => name.endsWith("Command"));
    expect(made.sort()).toEqual([
      "addNumberCommand",
      "sendBroadcastCommand",
      "sendMessageCommand",
      "showWorkspaceCommand",
    ]);
  });
});

describe("README and docs/", () => {
  /** Replaces the placeholders for the reader's server and row ids; the key becomes a shell variable. */
  const ownOf = (command: string, ids: { message: number; broadcast: number; medium: number }): string =>
    command
      .replace(/^curl ("?)(https:\/\/(waxwing|wa)\.example\.com|http:\/\/127\.0\.0\.1:8080)/, `curl $1${app.url}`)
      // A program that reads on waits for the next event; this one has nothing to wait for.
      .replace("after=$CURSOR&wait=30", "after=latest&wait=0")
      .replace("Bearer KEY", "Bearer $KEY")
      .replace("/messages/1042", `/messages/${ids.message}`)
      .replace("/media/58", `/media/${ids.medium}`)
      .replace("/broadcasts/1042", `/broadcasts/${ids.broadcast}`);

  const fromPages = (): string[] =>
    ["README.md", ...readdirSync(join(checkout, "docs")).map((name) => `docs/${name}`)]
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) => [...readFileSync(join(checkout, path), "utf8").matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)])
      .flatMap(([, block = ""]) => [...block.matchAll(/^curl \S+\/api\/v1\/(?:.*\\\n)*(?:[^']*'[^']*'|.*)/gm)])
      .map(([one]) => one);

  test(
    "every request shown in README and in docs/ succeeds",
    async () => {
      const { id, key } = await workspaceIn("IN");
      await paste(printed.addNumberCommand({ workspaceId: id }), app.directory);
      const commands = fromPages();
      expect(commands.length).toBeGreaterThan(2);
      const bodies = commands.flatMap((command) => {
        const [, plain, quoted] = /-d (?:'([\s\S]*)'|"([\s\S]*)")\s*$/.exec(command) ?? [];
        const json = plain ?? quoted?.replaceAll('\\"', '"');
        return json === undefined ? [] : [JSON.parse(json) as Record<string, unknown>];
      });
      // Create the templates, groups and the open window that the example bodies need.
      const made = new Set<string>();
      for (const { template, language = "en_US", variables = [], media, filename } of bodies as Sample[]) {
        if (template === undefined || made.has(template)) continue;
        made.add(template);
        const { header, body } = Array.isArray(variables) ? { header: [], body: variables } : variables;
        const format =
          media === undefined ? null : (media.filename ?? filename) !== undefined ? "DOCUMENT" : kindOf(media);
        await addTemplate(app, id, templateFile(template, language, format ?? header?.length ?? 0, body?.length ?? 0));
      }
      const writes = ["--from", "+442079460210", "--text", "Hello"];
      await app.command("simulate", "inbound", "--workspace", String(id), ...writes);
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      for (const group of ["First", "Second", "Third"]) {
        const answered = await fetch(`${app.url}/api/v1/contacts/442079460210`, {
          method: "PUT",
          headers,
          body: JSON.stringify({ add_to_groups: [group] }),
        });
        expect(answered.status).toBeLessThan(300);
      }
      const make = async (path: string, body: object): Promise<number> => {
        const answered = await fetch(`${app.url}/api/v1${path}`, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
        });
        return ((await answered.json()) as { data: { id: number } }).data.id;
      };
      await addTemplate(app, id, templateFile("own", "en_US", null, 0));
      const later = new Date(Date.now() + 86_400_000).toISOString();
      const own = { name: "Own", template: "own", to: ["+442079460210"], send_at: later };
      const picture = ["--from", "+442079460210", "--type", "image"];
      await app.command("simulate", "inbound", "--workspace", String(id), ...picture);
      const events = await fetch(`${app.url}/api/v1/events?types=media.stored&wait=20`, { headers });
      const [stored] = ((await events.json()) as { data: { data: { media: { id: number } } }[] }).data;
      const ids = {
        medium: stored?.data.media.id ?? 0,
        message: await make("/messages", { to: "+442079460210", template: "own" }),
        broadcast: await make("/broadcasts", own),
      };
      const refused: unknown[] = [];
      // One command opts the person out, so it runs last.
      for (const command of commands.toSorted(
        (a, b) => Number(a.includes("/opt-out")) - Number(b.includes("/opt-out")),
      )) {
        const answered = await pasteCurl(ownOf(command, ids), app.directory, {
          KEY: key,
          WAXWING_KEY: key,
          TO: OWN_NUMBER,
        });
        if (answered.status >= 300 || answered.status === 0) refused.push(answered);
      }
      expect(refused).toEqual([]);
    },
    LIMIT_MS,
  );
});

interface Sample {
  template?: string;
  language?: string;
  variables?: unknown[] | { header?: unknown[]; body?: unknown[] };
  media?: { link: string; filename?: string };
  filename?: string;
}

function kindOf({ link }: { link: string }): string {
  if (/\.(jpe?g|png)$/.test(link)) return "IMAGE";
  return link.endsWith(".mp4") ? "VIDEO" : "DOCUMENT";
}

test.each([[[]], [["--number", "+442079460100", "--number", "+91 124 400 1101"]]])(
  "the commands that `waxwing dev` prints work as printed %p",
  async (numbers) => {
    using workshop = new Workshop();
    const child = Bun.spawn([...program, "dev", "--listen", "127.0.0.1:0", ...numbers], {
      cwd: workshop.directory,
      env: { PATH: process.env.PATH ?? "" },
      stdout: "pipe",
      stderr: "pipe",
    });
    try {
      let text = "";
      for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
        text += part;
        if (text.includes("Ctrl-C stops it.")) break;
      }
      const blocks = text.split("\n\n").filter((block) => /^ {2}\S/.test(block) && !block.startsWith("  API "));
      const commands = blocks.flatMap((block) => block.replace(/\\\n\s*/g, "").split("\n")).map((line) => line.trim());
      expect(commands.length).toBe(5);
      for (const command of commands) {
        if (command.startsWith("curl ")) {
          const answered = await pasteCurl(command, workshop.directory);
          expect(answered).toMatchObject({ status: command.includes("/broadcasts") ? 202 : 201, err: "" });
        } else {
          expect(await paste(command, workshop.directory)).toMatchObject({ code: 0, err: "" });
        }
      }
    } finally {
      child.kill("SIGTERM");
      await child.exited;
    }
  },
  LIMIT_MS,
);
