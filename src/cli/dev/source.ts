/** What the database of `waxwing dev` begins with: the demo, or the workspaces of a seed file. */
import type { SecretBox } from "#src/core/secret.ts";
import type { Tx } from "#src/db/transaction.ts";
import type { Context } from "../context.ts";
import { readInputJson } from "../input.ts";
import { file, number, repeated, text, type Values } from "../option.ts";
import { UsageError } from "../usage-error.ts";
import { type Addresses, DEMO_SETTINGS, type Demo, writeDemo } from "./demo.ts";

/** Writes it all in one transaction. */
export type Source = (tx: Tx, box: SecretBox, addresses: Addresses) => Demo;

export const sourceOptions = {
  seed: file("FILE|-", "JSON file with the workspaces to create instead of the demo; see /docs/testing of the server"),
  randomSeed: number("N", "Take keys and ids from this seed: the same requests then give the same ones"),
  number: repeated(text("P", "Number of the demo workspace, instead of +442079460100; may be given several times")),
  country: text("CC", "Country of the demo workspace (default: IN)"),
  timezone: text("TZ", "Its timezone (default: Asia/Kolkata)"),
  currency: text("CUR", "Its currency (default: USD)"),
};

/** Throws `invalid_request` for a seed that is not one. */
export async function readSource(context: Context, options: Values<typeof sourceOptions>): Promise<Source> {
  const { seed, country, timezone, currency, number: phones } = options;
  const given = Object.entries({ country, timezone, currency }).filter(([, value]) => value !== undefined);
  if (seed === undefined) {
    const numbers = phones.length === 0 ? DEMO_SETTINGS.numbers : phones;
    const settings = { ...DEMO_SETTINGS, ...Object.fromEntries(given), numbers };
    return (tx, box, addresses) => writeDemo(tx, box, addresses, settings);
  }
  const stray = given[0]?.[0] ?? (phones.length > 0 ? "number" : undefined);
  if (stray !== undefined) throw new UsageError(`--${stray} is for the demo; write it into the seed`);
  return seedSource(await readInputJson(context, "--seed", seed));
}

/** The first workspace is the one that dev prints, and whose webhooks the viewer shows. */
async function seedSource(json: unknown): Promise<Source> {
  // Loaded only here: other commands need no validator.
  const { readSeed, writeWorkspace } = await import("#src/http/control/seed.ts");
  const seeds = readSeed(json);
  return (tx, box, { webhook, forward }) => {
    const [first] = seeds.map((seed, index) =>
      writeWorkspace(tx, seed, {
        ...{ box, forwardUrl: forward, path: `workspaces.${index}.` },
        webhookUrl: index === 0 ? webhook : null,
      }),
    );
    if (first === undefined) throw new Error("a seed has a workspace");
    return { ...first, samples: null };
  };
}
