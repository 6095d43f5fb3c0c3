/**
 * Workspaces as a test describes them: their keys, numbers, templates, contacts and groups. `dev --seed` reads a file of
 * them, and `POST /control/v1/workspaces` one more.
 */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { FieldProblems } from "#src/core/fault.ts";
import { readMoney } from "#src/core/money.ts";
import { invalidRequest, noProblems, Problem } from "#src/core/problem.ts";
import { Form, OneOf } from "#src/core/schema.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Tx } from "#src/db/transaction.ts";
import { credit, setPrice } from "#src/domain/billing/account.ts";
import { putContactOf } from "#src/domain/contacts/put.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { addNumber, DEFAULT_THROUGHPUT } from "#src/domain/numbers/add.ts";
import { addTemplate, readNewTemplate } from "#src/domain/templates/add.ts";
import { templateStatuses } from "#src/domain/templates/template.ts";
import { setWebhook } from "#src/domain/webhooks/address.ts";
import { setForward } from "#src/domain/webhooks/forward.ts";
import { createKey, EVERY_SCOPE, TEST_KEY } from "#src/domain/workspaces/api-keys.ts";
import { createWorkspace } from "#src/domain/workspaces/update.ts";
import { findWebhookUrlProblem } from "#src/net/address.ts";
import { readContactChanges } from "../bodies/contact.ts";
import { findFieldProblems } from "../validate.ts";

const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
const LIST_MAX = 100_000;
const list = <T extends TSchema>(schema: T) => optional(Type.Array(schema, { maxItems: LIST_MAX }));
const text = Type.String({ minLength: 1 });
const anyObject = Type.Unsafe<Record<string, unknown>>({ type: "object" });
const SECRET_LENGTH_MIN = 16;

const members = {
  name: text,
  country: text,
  timezone: text,
  currency: optional(text),
  rate: optional(text),
  balance: optional(text),
  api_keys: list(text),
  numbers: list(Form({ phone: text, name: text, throughput: optional(Type.Integer({ minimum: 1 })) })),
  templates: list(anyObject),
  contacts: list(anyObject),
  groups: list(Form({ name: text, filter: optional(Type.Unknown()) })),
  webhook: optional(Form({ url: text, secret: optional(text) })),
};
const WorkspaceSeed = Form(members);
export type WorkspaceSeed = Static<typeof WorkspaceSeed>;
const SeedFile = Form({ workspaces: Type.Array(WorkspaceSeed, { minItems: 1, maxItems: 1_000 }) });
const status = OneOf(templateStatuses);

/** The body of `POST /workspaces`: a seed in which everything may be missing. */
export const NewWorkspaceBody = Type.Partial(WorkspaceSeed, { additionalProperties: false });

export interface SeededWorkspace {
  workspaceId: number;
  key: string;
  /** E.164; null where it has none. */
  number: string | null;
  webhookSecret: string | null;
}

/** Throws `invalid_request` with the path of each problem. */
export function readSeed(json: unknown): WorkspaceSeed[] {
  const fields = findFieldProblems(SeedFile, json);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  return (json as { workspaces: WorkspaceSeed[] }).workspaces;
}

interface SeedOptions {
  box: SecretBox;
  /** Where its events go unless it names an address; null: nowhere. */
  webhookUrl: string | null;
  /** A second address for all of them; null: none. */
  forwardUrl: string | null;
  /** Before the paths of problems, such as `workspaces.0.`. */
  path: string;
}

/** Creates the workspace with everything in it. Throws `invalid_request` with the path of the first problem. */
export function writeWorkspace(
  tx: Tx,
  seed: WorkspaceSeed,
  { box, webhookUrl, forwardUrl, path }: SeedOptions,
): SeededWorkspace {
  const at = <T>(name: string, work: () => T): T => withPath(path + name, work);
  const { name, country, timezone } = seed;
  const workspace = at("", () => createWorkspace(tx, { name, country, timezone }, true));
  const { id } = workspace;
  at("", () => writeBilling(tx, id, seed));
  const keys = (seed.api_keys ?? []).map((key, index) => at(`api_keys.${index}.`, () => createFixedKey(tx, id, key)));
  const key = keys[0] ?? createKey(tx, id, "seed", { limits: EVERY_SCOPE }).key;
  // Before anything happens, so that the first event is delivered as well.
  const webhook = at("webhook.", () => writeWebhook(tx, box, id, seed, webhookUrl));
  if (forwardUrl !== null) setForward(tx, box, id, forwardUrl);
  const numbers = (seed.numbers ?? []).map(({ phone, name: shown, throughput = DEFAULT_THROUGHPUT }, index) =>
    at(`numbers.${index}.`, () =>
      addNumber(tx, id, { phone, name: shown, throughput, route: { network: "simulator" } }),
    ),
  );
  (seed.templates ?? []).forEach((json, index) => {
    at(`templates.${index}.`, () => addTemplate(tx, id, readNewTemplate(json), statusOf(json)));
  });
  (seed.groups ?? []).forEach((group, index) => {
    at(`groups.${index}.`, () => saveGroup(tx, id, { name: group.name, filter: group.filter ?? null }));
  });
  const why = { source: "import", evidence: { note: "seed" } } as const;
  (seed.contacts ?? []).forEach(({ phone, ...changes }, index) => {
    at(`contacts.${index}.`, () => {
      if (typeof phone !== "string") throw invalidRequest({ phone: ["This field is required, and is a text."] });
      putContactOf(tx, workspace, phone, readContactChanges(changes), why);
    });
  });
  return { workspaceId: id, key, number: numbers[0]?.phone ?? null, webhookSecret: webhook };
}

function writeBilling(tx: Tx, id: number, { currency, rate, balance }: WorkspaceSeed): void {
  if (currency === undefined && rate === undefined && balance === undefined) return;
  const amount = readAmount("balance", balance ?? "0");
  setPrice(tx, id, currency ?? "USD", readAmount("rate", rate ?? "0"));
  if (amount > 0) credit(tx, id, { amount, note: "opening balance", ref: null });
}

function readAmount(field: string, written: string): number {
  const amount = readMoney(written);
  if (amount === null) throw invalidRequest({ [field]: ["This is not an amount such as 0.0085."] });
  return amount;
}

function createFixedKey(tx: Tx, id: number, key: string): string {
  if (!TEST_KEY.test(key)) {
    throw invalidRequest({ "": ["A fixed key is wx_test_ and 16 or more letters, digits or underscores."] });
  }
  return createKey(tx, id, "seed", { limits: EVERY_SCOPE, fixed: key }).key;
}

function writeWebhook(tx: Tx, box: SecretBox, id: number, seed: WorkspaceSeed, fallback: string | null): string | null {
  const url = seed.webhook?.url ?? fallback;
  if (url === null) return null;
  const problem = findWebhookUrlProblem(url, { allowHttp: true, allowPrivate: true });
  if (problem !== null) throw invalidRequest({ url: [problem] });
  const secret = seed.webhook?.secret;
  if (secret !== undefined && !/^[!-~]{16,200}$/.test(secret)) {
    throw invalidRequest({ secret: [`A secret has ${SECRET_LENGTH_MIN} to 200 characters without spaces.`] });
  }
  return setWebhook(tx, box, id, url, { first: secret }).secret;
}

/** As Meta lists templates, with their status; without one, a template can be sent. */
function statusOf(json: Record<string, unknown>) {
  if (json.status === undefined) return "APPROVED";
  const fields = findFieldProblems(status, json.status, "status");
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  return json.status as (typeof templateStatuses)[number];
}

/** Puts the place in the seed before the paths of a refusal. */
function withPath<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const found: FieldProblems = error.details.fields ?? { "": [error.message] };
    const fields = noProblems();
    for (const [field, sentences] of Object.entries(found)) fields[`${path}${field}`.replace(/\.$/, "")] = sentences;
    throw invalidRequest(fields);
  }
}
