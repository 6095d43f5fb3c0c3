/**
 * Writes the generated files of the clients from the OpenAPI document: `bun run clients`. `test/clients` fails when they
 * differ from it.
 */

import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readOptions } from "#test/support/options.ts";
import packageJson from "../package.json" with { type: "json" };
import { goFile } from "./clients/go.ts";
import { clientModel } from "./clients/model.ts";
import { phpFile } from "./clients/php.ts";
import { pythonFile } from "./clients/python.ts";
import { typescriptFile } from "./clients/typescript.ts";

/** By path from the checkout. */
export function clientFiles(): Record<string, string> {
  const model = clientModel(packageJson.version);
  return {
    "clients/typescript/src/generated.ts": typescriptFile(model),
    "clients/go/generated.go": goFile(model),
    "clients/php/src/Operations.php": phpFile(model),
    "clients/python/waxwing/_generated.py": pythonFile(model),
  };
}

if (import.meta.main) {
  readOptions(
    { call: "bun run clients", about: "Writes the generated files of the clients from docs/openapi.json." },
    {},
  );
  const checkout = resolve(import.meta.dir, "..");
  for (const [path, text] of Object.entries(clientFiles())) writeFileSync(join(checkout, path), text);
}
