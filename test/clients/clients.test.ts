/**
 * The clients of `clients/`, in short: they are what the document says, the TypeScript client refuses wrong programs, and a
 * part of the script and the examples of Node run against a server. `bun run test:clients` is the long form.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programsAfter } from "#test/openapi/programs.ts";
import packageJson from "../../package.json" with { type: "json" };
import { clientFiles } from "../../scripts/clients.ts";
import { checkout, clients, type DevServer, runScript, script, seed, startDev } from "./conformance.ts";
import { languages, runExamples } from "./examples.ts";

const folder = mkdtempSync(join(tmpdir(), "waxwing-clients-"));
let server: DevServer;
beforeAll(async () => {
  server = await startDev(undefined, ["--seed", seed]);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe("the clients", () => {
  test("are made from the document (`bun run clients`)", () => {
    for (const [path, text] of Object.entries(clientFiles())) {
      expect({ path, isCurrent: readFileSync(join(checkout, path), "utf8") === text }).toEqual({
        path,
        isCurrent: true,
      });
    }
  });

  test("have the version of the server and its licence", () => {
    const read = (path: string) => readFileSync(join(checkout, "clients", path), "utf8");
    expect(JSON.parse(read("typescript/package.json")).version).toBe(packageJson.version);
    expect(JSON.parse(read("php/composer.json")).version).toBe(packageJson.version);
    expect(read("python/pyproject.toml")).toContain(`\nversion = "${packageJson.version}"\n`);
    const licence = readFileSync(join(checkout, "LICENSE"), "utf8");
    for (const language of ["typescript", "python", "php", "go"]) expect(read(`${language}/LICENSE`)).toBe(licence);
  });

  test("need nothing but the standard library", () => {
    expect(
      JSON.parse(readFileSync(join(checkout, "clients/typescript/package.json"), "utf8")).dependencies,
    ).toBeUndefined();
    for (const name of readdirSync(join(checkout, "clients/typescript/src"))) {
      const text = readFileSync(join(checkout, "clients/typescript/src", name), "utf8");
      for (const [, from = ""] of text.matchAll(/ from "([^"]+)"/g)) expect(from).toMatch(/^(\.\/|node:)/);
    }
    expect(readFileSync(join(checkout, "clients/go/go.mod"), "utf8")).not.toContain("require");
  });

  test("for TypeScript compiles right programs and none of the wrong ones", () => {
    const place = join(folder, "programs");
    cpSync(join(checkout, "clients/typescript/src"), join(place, "src"), { recursive: true });
    const prelude = `
import type { ContactInput, CreateBroadcast, Message, SendMessage, SendMessageError, WebhookEvent } from "./index.js";
type SendRefusal = SendMessageError;
type WaxwingEvent = WebhookEvent;`;
    writeFileSync(join(place, "src/programs.ts"), programsAfter(prelude));
    for (const name of ["package.json", "tsconfig.json"]) {
      cpSync(join(checkout, "clients/typescript", name), join(place, name));
    }
    symlinkSync(join(checkout, "node_modules"), join(place, "node_modules"));
    const compiler = join(checkout, "node_modules/typescript/bin/tsc");
    const { stdout } = Bun.spawnSync([process.execPath, compiler, "-p", place, "--noEmit"]);
    expect(stdout.toString()).toBe("");
  }, 60_000);
});

/** Reads, sends of every kind, retries without a wait, pages and signatures. */
const part = script.steps.filter(({ id, call, faults = [] }) => {
  const number = Number(id.slice(1));
  const waits = faults.some((fault) => fault === "late" || (typeof fault === "object" && fault.headers !== undefined));
  const isChosen = number <= 30 || (number >= 53 && number <= 66) || number >= 229;
  return !waits && (isChosen || call === "readWebhook");
});

for (const client of clients(folder).filter(({ name }) => name === "typescript" || name === "python")) {
  test.skipIf(client.missing !== null)(
    `${client.name}: ${part.length} of the ${script.steps.length} calls of the script`,
    async () => {
      expect(await runScript(server, client, part)).toMatchObject({ failures: [], steps: part.length });
    },
    60_000,
  );
}

for (const language of languages.filter(({ name }) => name === "node")) {
  test.skipIf(language.missing !== null)(
    `examples/${language.name}: send, receive, sync`,
    async () => {
      expect(await runExamples(server, language, join(folder, "examples", language.name))).toEqual([]);
    },
    60_000,
  );
}
