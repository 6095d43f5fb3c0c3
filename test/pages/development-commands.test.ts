/** Every development command says with `--help` what it does and takes, and refuses other options. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const checkout = join(import.meta.dir, "../..");
const { scripts }: { scripts: Record<string, string> } = await Bun.file(join(checkout, "package.json")).json();

/** They pass their arguments on, or are waxwing itself. */
const OTHERS = ["scripts/test-fast.ts", "src/main.ts"];

const commands = Object.entries(scripts).flatMap(([name, text]) => {
  const [, file] = /^bun (\S+\.ts)\b/.exec(text) ?? [];
  return file === undefined || OTHERS.includes(file) ? [] : [{ name, file }];
});

async function run(file: string, argument: string): Promise<{ code: number; text: string }> {
  const ran = Bun.spawn([process.execPath, file, argument], { cwd: checkout, stdout: "pipe", stderr: "pipe" });
  const text = await Promise.all([ran.stdout.text(), ran.stderr.text()]);
  return { code: await ran.exited, text: text.join("") };
}

test("there are such commands", () => {
  expect(commands.length).toBeGreaterThan(30);
});

test.concurrent.each(commands)(
  "$name",
  async ({ name, file }) => {
    const { code, text } = await run(file, "--help");
    expect({ code, text }).toEqual({ code: 0, text: expect.stringMatching(new RegExp(`bun (run ${name}|${file})`)) });
    const declared = readFileSync(join(checkout, file), "utf8").matchAll(
      /^ +"?([\w-]+)"?: \{\s*type: "(?:string|boolean)"/gm,
    );
    for (const [, option = ""] of declared)
      if (option !== "help")
        expect([name, option, text]).toEqual([name, option, expect.stringContaining(`--${option}`)]);
    const refused = await run(file, "--no-such-option");
    expect({ ...refused, name }).toMatchObject({ name, text: expect.stringContaining("--no-such-option") });
    expect([name, refused.code]).not.toEqual([name, 0]);
  },
  60_000,
);
