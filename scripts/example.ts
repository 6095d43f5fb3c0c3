/**
 * Rewrites the comments of `config.example.toml` from the descriptions of the keys (`src/config/keys.ts`). Values and
 * everything else stay as they are; a test compares the two.
 *
 *   bun scripts/example.ts
 */
import { configKeys } from "#src/config/settings.ts";

const FILE = "config.example.toml";
const WIDTH = 110;

const lines: string[] = [];
let section = "";
for (const line of (await Bun.file(FILE).text()).split("\n")) {
  section = /^\[([\w.]+)\]/.exec(line)?.[1] ?? section;
  const name = /^(\w+) = /.exec(line)?.[1];
  const key = configKeys.find((one) => one.section === section && one.key.name === name);
  if (key !== undefined) {
    while (lines.at(-1)?.startsWith("# ")) lines.pop();
    lines.push(...wrap(key.key.description));
  }
  lines.push(line);
}
await Bun.write(FILE, lines.join("\n"));

function wrap(text: string): string[] {
  const wrapped = [""];
  for (const word of text.split(" ")) {
    const last = wrapped.at(-1) ?? "";
    if (last === "") wrapped[wrapped.length - 1] = word;
    else if (last.length + 1 + word.length <= WIDTH - 2) wrapped[wrapped.length - 1] = `${last} ${word}`;
    else wrapped.push(word);
  }
  return wrapped.map((one) => `# ${one}`);
}
