/**
 * The long form of the checks of docs/openapi.json, with tools that the product does not need: `bun run test:openapi`.
 * Redocly and Spectral with every rule, three validators, and three code generators, whose output must compile with the
 * right programs and must not compile with any of the wrong ones. The tools are pinned in `tools/` and installed beside
 * the caches of the packages.
 */

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readOptions } from "#test/support/options.ts";
import { programsAfter, wrongPrograms } from "./programs.ts";

readOptions(
  {
    call: "bun run test:openapi",
    about: "Checks docs/openapi.json with validators and code generators, which it installs.",
  },
  {},
);

const checkout = resolve(import.meta.dir, "../..");
const pinned = join(import.meta.dir, "tools");
const tools = join(checkout, "node_modules/.cache/waxwing-openapi-tools");
const binaries = join(tools, "node_modules/.bin");
const document = join(checkout, "docs/openapi.json");
const work = mkdtempSync(join(tmpdir(), "waxwing-openapi-"));

interface Run {
  code: number;
  output: string;
}

function run(command: string[], cwd = work): Run {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, {
    cwd,
    env: {
      PATH: Bun.env.PATH,
      HOME: work,
      REDOCLY_TELEMETRY: "off",
      REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
      NO_COLOR: "1",
    },
  });
  return { code: exitCode, output: `${stdout}${stderr}`.trim() };
}

let failures = 0;

function report(name: string, problems: string): void {
  if (problems !== "") failures += 1;
  console.log(problems === "" ? `ok    ${name}` : `FAIL  ${name}\n${problems}`);
}

function expectSilence(name: string, { code, output }: Run, good: RegExp): void {
  report(name, code === 0 && good.test(output) && !/\bwarning/i.test(output) ? "" : `exit code ${code}\n${output}`);
}

const validators: Readonly<Record<string, string>> = {
  "@apidevtools/swagger-parser": `
    import parser from "@apidevtools/swagger-parser";
    await parser.validate(process.argv[2]);
    console.log("valid");`,
  "@seriousme/openapi-schema-validator": `
    import { Validator } from "@seriousme/openapi-schema-validator";
    const { valid, errors } = await new Validator().validate(process.argv[2]);
    console.log(valid ? "valid" : JSON.stringify(errors));`,
  "@readme/openapi-parser": `
    import { validate } from "@readme/openapi-parser";
    const { valid, errors = [], warnings } = await validate(process.argv[2]);
    console.log(valid && warnings.length === 0 ? "valid" : JSON.stringify({ errors, warnings }));`,
};

interface CodeGenerator {
  command: string[];
  /** Makes of the generator's types those that the programs use. */
  prelude: string;
}

const generators: Readonly<Record<string, CodeGenerator>> = {
  "openapi-typescript": {
    command: [join(binaries, "openapi-typescript"), document, "-o", "generated.ts"],
    prelude: `
import type { components, operations } from "./generated";
type Schemas = components["schemas"];
type SendMessage = Schemas["SendMessage"];
type CreateBroadcast = Schemas["CreateBroadcast"];
type ContactInput = Schemas["ContactInput"];
type Message = Schemas["Message"];
type WaxwingEvent = Schemas["Event"];
type SendRefusal = operations["sendMessage"]["responses"][422]["content"]["application/json"]["error"];`,
  },
  "@hey-api/openapi-ts": {
    command: [
      join(binaries, "openapi-ts"),
      "-i",
      document,
      "-o",
      "generated",
      "-c",
      "@hey-api/client-fetch",
      "--no-log-file",
    ],
    prelude: `
import type { ContactInput, CreateBroadcast, Event as WaxwingEvent, Message, SendMessage, SendMessageErrors } from "./generated";
type SendRefusal = SendMessageErrors[422]["error"];`,
  },
  orval: {
    command: [join(binaries, "orval"), "--input", document, "--output", "generated.ts", "--client", "fetch"],
    prelude: `
import type { ContactInput, CreateBroadcast, Event as WaxwingEvent, Message, SendMessage, sendMessageResponse422 } from "./generated";
type SendRefusal = sendMessageResponse422["data"]["error"];`,
  },
};

const compilerOptions = {
  ...{
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: "ES2022",
    module: "ESNext",
    moduleResolution: "bundler",
  },
  ...{ lib: ["ES2023", "DOM", "DOM.Iterable"], types: [] },
};

function check(): void {
  const redocly = [
    process.execPath,
    join(checkout, "node_modules/@redocly/cli/bin/cli.js"),
    "lint",
    "docs/openapi.json",
  ];
  expectSilence("Redocly, recommended-strict", run(redocly, checkout), /is valid/);

  writeFileSync(join(work, "spectral.yaml"), "extends: [spectral:oas]\n");
  const spectral = [join(binaries, "spectral"), "lint", document, "-r", "spectral.yaml", "--fail-severity=hint"];
  expectSilence("Spectral, spectral:oas", run(spectral), /No results/);

  for (const [name, code] of Object.entries(validators)) {
    const file = join(tools, "validate.mjs");
    writeFileSync(file, code);
    expectSilence(name, run(["node", file, document]), /^valid$/);
  }

  for (const [name, { command, prelude }] of Object.entries(generators)) {
    const folder = join(work, name.replaceAll(/\W/g, "-"));
    mkdirSync(folder);
    const generated = run(command, folder);
    report(`${name} generates`, generated.code === 0 ? "" : generated.output);
    writeFileSync(join(folder, "programs.ts"), programsAfter(prelude));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }));
    const compiled = run([join(binaries, "tsc"), "-p", "."], folder);
    const count = Object.keys(wrongPrograms).length;
    report(`${name} compiles, and each of ${count} wrong programs does not`, explain(compiled, folder));
  }
}

/** Names the wrong program whose error did not come. */
function explain({ code, output }: Run, folder: string): string {
  if (code === 0) return "";
  const lines = readFileSync(join(folder, "programs.ts"), "utf8").split("\n");
  return output.replaceAll(/programs\.ts\((\d+),.*TS2578.*/g, (_, line) => `compiles: ${lines[Number(line) - 1]}`);
}

try {
  mkdirSync(tools, { recursive: true });
  for (const file of ["package.json", "bun.lock"]) copyFileSync(join(pinned, file), join(tools, file));
  const installed = run([process.execPath, "install", "--frozen-lockfile"], tools);
  if (installed.code !== 0) throw new Error(installed.output);
  check();
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exit(failures === 0 ? 0 : 1);
