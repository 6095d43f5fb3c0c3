/**
 * Files as shops have them, through the console: what was found is shown, what is not clear is asked, and the import gives
 * what the command gives.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exportContacts } from "#src/transfer/export-contacts.ts";
import { firstOperator, type Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { checkout } from "#test/support/source.ts";
import { refused, taken } from "#test/transfer/expected.ts";

let app: TestServer;
let operator: Visitor;

beforeAll(async () => {
  app = await startTestServer();
  operator = await firstOperator(app);
});
afterAll(() => app[Symbol.asyncDispose]());

async function give({ id }: TestWorkspace, name: string) {
  const response = await fetch(`${app.server.url}/console/api/w/${id}/imports?name=${name}.csv`, {
    method: "POST",
    headers: {
      "sec-fetch-site": "same-origin",
      "content-type": "application/octet-stream",
      cookie: operator.cookie ?? "",
    },
    body: readFileSync(join(checkout, "test/transfer/cases", `${name}.csv`)),
  });
  // biome-ignore lint/suspicious/noExplicitAny: as in test/support, a wrong answer fails its assertion.
  const { data, error } = (await response.json()) as any;
  return { status: response.status, error, path: `/w/${id}/imports/${data?.id}` };
}

async function until(path: string, state: string) {
  for (let turn = 0; turn < 400; turn += 1) {
    const { data } = (await operator.get(path)).body;
    if (data.state === state) return data;
    expect(data.error).toBeNull();
    await app.clock.advance(10);
  }
  throw new Error(`it never was ${state}`);
}

/** The columns as the form has them, each by its place. */
const mapOf = (columns: readonly { target: string }[]): Record<string, string> =>
  Object.fromEntries(columns.map(({ target }, at) => [`#${at + 1}`, target]));

/** What a user of the console chooses instead of giving these options. */
function choicesFor(options: readonly string[]) {
  const choices: Record<string, unknown> = { map: {}, opt_in: false, proof: "" };
  for (let at = 0; at < options.length; at += 2) {
    const [name, value = ""] = options.slice(at, at + 2);
    if (name === "--consent") choices.opt_in = value === "opted_in";
    if (name === "--quotes") choices.quotes = value;
    if (name === "--header-row") choices.header_row = 0;
    if (name === "--map") {
      choices.map = Object.fromEntries(value.split(",").map((pair) => `#${pair}`.split("=")));
    }
  }
  return choices;
}

test.each(taken.map(([name, ...rest]) => [name, rest] as const))(
  "%s gives in the console what the command gives",
  async (name, [counters, texts, country = "IN", ...options]) => {
    const shop = await app.workspace({ country });
    const { path, error } = await give(shop, name);
    expect(error).toBeUndefined();
    const choices = choicesFor(options);
    const shown = await operator.ask("PUT", `${path}/choices`, choices);
    expect(shown.body.error).toBeUndefined();
    const { found, columns } = shown.body.data;
    const isAsked = found.dates !== null && !found.dates.is_certain && found.dates.example !== null;
    const dates = isAsked ? found.dates.order : null;
    const body = { ...choices, map: mapOf(columns), dates };
    expect((await operator.post(`${path}/check`, body)).body.error).toBeUndefined();
    const checked = await until(path, "checked");
    expect(checked.outcome).toMatchObject(counters);
    expect((await operator.post(`${path}/run`)).status).toBe(202);
    const { outcome } = await until(path, "done");
    expect(outcome).toEqual({ ...checked.outcome, stored: [] });
    expect(outcome.lines).toBe(outcome.skipped_lines + outcome.records + outcome.continued);
    expect(outcome.records).toBe(outcome.rows + outcome.repeated + outcome.blank);
    for (const { fix } of [...outcome.reasons, ...outcome.omitted]) expect(fix).not.toMatch(/--[a-z]/);
    let exported = "";
    await exportContacts(app.store, shop.id, (piece) => {
      exported += piece;
    });
    for (const text of texts) expect(exported).toContain(text);
  },
);

/** A user of the console is asked about what the command refuses with an option. */
const ASKED = ["c21-no-header", "c42-esc-header", "c03-brazil"];

test.each(refused.filter(([name]) => !ASKED.includes(name)))(
  "%s is refused when it is given, and the sentence says %s",
  async (name, sentence) => {
    const { status, error } = await give(await app.workspace(), name);
    expect(status).toBe(400);
    expect(error.fields.file.join(" ")).toContain(sentence);
    expect(JSON.stringify(error)).not.toMatch(/\p{Cc}|--[a-z]/u);
  },
);

test("a file without a header shows its columns by number, and a column is chosen before anything is checked", async () => {
  const { path } = await give(await app.workspace({ country: "IN" }), "c21-no-header");
  const { data } = (await operator.get(path)).body;
  expect(data.found.header_line).toBeNull();
  expect(data.columns.map(({ name }: { name: string }) => name)).toEqual(["1", "2", "3"].slice(0, data.columns.length));
  const body = { map: mapOf(data.columns), opt_in: false, proof: "" };
  const { error } = (await operator.post(`${path}/check`, body)).body;
  expect(error.fields.map).toEqual(["Choose the column with the phone number."]);
});

test("a column with control characters in its name is shown without them, and can be chosen", async () => {
  const { path } = await give(await app.workspace({ country: "IN" }), "c42-esc-header");
  const { data } = (await operator.get(path)).body;
  expect(JSON.stringify(data.columns)).not.toContain("\x1b");
  expect(data.columns[0].name).toContain("\\x1b");
});

test("the preview and the check name the rows with damaged characters, and another encoding can be chosen", async () => {
  const { path } = await give(await app.workspace({ country: "IN" }), "c46-damaged-utf8");
  const { data } = (await operator.get(path)).body;
  expect(data.found).toMatchObject({ encoding: "utf-8", damaged: { rows: 2, lines: [8, 20] } });
  const body = { map: mapOf(data.columns), opt_in: false, proof: "" };
  const other = await operator.ask("PUT", `${path}/choices`, { ...body, encoding: "windows-1252" });
  expect(other.body.data.found).toMatchObject({ encoding: "windows-1252", damaged: null });
  expect((await operator.post(`${path}/check`, { ...body, encoding: "utf-8" })).status).toBe(202);
  const { outcome } = await until(path, "checked");
  expect(outcome.omitted).toMatchObject([{ code: "damaged", rows: 2, example_line: 8, lines: [8, 20] }]);
});

test("a file with another country's national numbers is asked about, and is read as the user chooses", async () => {
  const shop = await app.workspace({ country: "IN" });
  const { path } = await give(shop, "c03-brazil");
  const { data } = (await operator.get(path)).body;
  expect(data.found.question.choices).toEqual(["BR", "IN"]);
  const body = { map: mapOf(data.columns), opt_in: false, proof: "" };
  const { error } = (await operator.post(`${path}/check`, body)).body;
  expect(error.fields.country).toEqual(["Choose the country of numbers without a country code."]);
  expect((await operator.post(`${path}/check`, { ...body, country: "BR" })).status).toBe(202);
  const { outcome } = await until(path, "checked");
  expect(outcome).toMatchObject({ question: null, failed: 0 });
});
