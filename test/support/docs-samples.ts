/**
 * The code blocks of the pages of /docs as a reader sees them, and a way to run those of one language: all samples of a
 * language in one process, in the pages' order. Languages that are not installed are skipped with a word.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unescaped } from "#src/http/api/docs/html.ts";
import { type Language, languages } from "#src/http/api/docs/samples.ts";

export interface Block {
  /** The address of the page. */
  page: string;
  /** "" for a block without one. */
  language: string;
  text: string;
  /** The same request in curl, of a group; undefined for a block that stands alone. */
  group: readonly { language: string; text: string }[] | undefined;
}

const BLOCK = /<pre(?: data-language="(\w+)")?[^>]*><code(?: class="language-(\w+)")?>([\s\S]*?)<\/code><\/pre>/g;

function blocksOf(page: string, html: string): Omit<Block, "group">[] {
  return [...html.matchAll(BLOCK)].map(([, chosen, named, code = ""]) => ({
    page,
    language: chosen ?? named ?? "",
    text: unescaped(code).trimEnd(),
  }));
}

/** Every code block of a page. The count of `<pre` proves that none was overlooked. */
export function codeBlocks(page: string, html: string): Block[] {
  const parts = html.split(/(<div class="samples">[\s\S]*?<\/div>)/);
  const blocks = parts.flatMap((part): Block[] => {
    const found = blocksOf(page, part);
    const group = part.startsWith('<div class="samples">') ? found : undefined;
    return found.map((block) => ({ ...block, group }));
  });
  const count = html.split("<pre").length - 1;
  if (blocks.length !== count) throw new Error(`${page}: ${blocks.length} of ${count} code blocks are read`);
  return blocks;
}

interface Runtime {
  /** Found on the PATH; null: not installed. */
  program: string | null;
  ending: string;
  /** Prepares the files, and returns the command that runs those with these numbers, one after another. */
  prepare(folder: string, texts: readonly string[]): (numbers: readonly number[]) => string[];
}

const write = (folder: string, name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** One file for each text, and a program that runs the named ones. */
function interpreted(names: readonly string[], ending: string, runner: string): Runtime {
  const program = names.map((name) => Bun.which(name)).find((path) => path !== null) ?? null;
  return {
    program,
    ending,
    prepare(folder, texts) {
      const paths = texts.map((text, index) => write(folder, `sample${index}.${ending}`, text));
      const run = write(folder, `run.${ending}`, runner);
      return (numbers) => [program ?? "", run, ...numbers.map((number) => paths[number] ?? "")];
    },
  };
}

export const runtimes: Readonly<Record<Language, Runtime>> = {
  sh: interpreted(["sh"], "sh", 'for file; do . "$file"; echo; done\n'),
  ts: interpreted(
    ["node", "bun"],
    "mjs",
    'import { pathToFileURL } from "node:url";\nfor (const file of process.argv.slice(2)) await import(pathToFileURL(file).href);\n',
  ),
  python: interpreted(
    ["python3"],
    "py",
    'import sys\nfor file in sys.argv[1:]:\n    exec(compile(open(file).read(), file, "exec"), {"__name__": "__main__"})\n',
  ),
  php: interpreted(
    ["php"],
    "php",
    "<?php\nfunction run($file) { include $file; }\nforeach (array_slice($argv, 1) as $file) run($file);\n",
  ),
  go: {
    program: process.env.DOCS_FULL === "1" ? Bun.which("go") : null,
    ending: "go",
    // One program of all samples: a sample alone takes a second to build.
    prepare(folder, texts) {
      const calls = texts.map((text, index) => {
        mkdirSync(join(folder, `sample${index}`), { recursive: true });
        const own = text.replace("package main", `package sample${index}`).replace("func main()", "func Main()");
        write(folder, `sample${index}/sample.go`, own);
        return { import: `"docs/sample${index}"`, entry: `"${index}": sample${index}.Main,` };
      });
      const main = `package main\n\nimport (\n"os"\n${calls.map((call) => call.import).join("\n")}\n)\n
func main() {\nsamples := map[string]func(){\n${calls.map((call) => call.entry).join("\n")}\n}
for _, number := range os.Args[1:] {\nsamples[number]()\n}\n}\n`;
      write(folder, "main.go", main);
      write(folder, "go.mod", "module docs\n\ngo 1.19\n");
      const built = Bun.spawnSync(["go", "build", "-o", "samples", "."], {
        cwd: folder,
        env: { ...process.env, GOPROXY: "off", GOFLAGS: "-mod=mod" },
        stderr: "pipe",
      });
      if (!built.success) throw new Error(built.stderr.toString());
      return (numbers) => [join(folder, "samples"), ...numbers.map(String)];
    },
  },
};

for (const language of languages) {
  if (runtimes[language].program === null) {
    const reason = language === "go" && process.env.DOCS_FULL !== "1" ? "without DOCS_FULL=1" : "not installed";
    console.log(`${language}: ${reason}, so its samples are not run`);
  }
}
