/**
 * The browser and the server keep the same declarations, and the compiler sees to it: on a copy of the sources, a renamed
 * member of an answer does not compile where the browser reads it, nor where the server writes it.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { readSources } from "#test/support/source.ts";
import { findTypeProblems, type TypeProblem } from "#test/support/type-check.ts";

const ENDPOINTS = "src/http/endpoints";
/** Declares neither a right nor scopes. */
const UNDECLARED = `${ENDPOINTS}/undeclared-of-a-test.ts`;
const undeclared =
  'import { Data, Empty, endpoint } from "./endpoint.ts";\nexport const one = endpoint({ output: Data(Empty) });\n';
const REQUESTS = "src/web/data/requests-of-a-test.ts";

/** One member of one answer of each area, and a file of the browser that reads it. */
const renamed = [
  { file: "groups.ts", member: "filter_error", reader: "src/web/features/groups/groups.tsx" },
  { file: "numbers.ts", member: "unready_reason", reader: "src/web/features/numbers/number-panel.tsx" },
  { file: "system.ts", member: "step_minutes", reader: "src/web/features/system/metrics.tsx" },
  { file: "inbox.ts", member: "window_ends_at", reader: "src/web/features/inbox/composer.tsx" },
  { file: "deliveries.ts", member: "attempt_count", reader: "src/web/features/deliveries/delivery-view.ts" },
  { file: "broadcast-detail.ts", member: "in_doubt", reader: "src/web/features/broadcasts/broadcast-counters.tsx" },
  { file: "workspaces.ts", member: "has_simulator", reader: "src/web/features/templates/templates.tsx" },
  { file: "signed-in.ts", member: "recovery_codes", reader: "src/web/features/account/second-factor.tsx" },
];

/** Each is one statement of the browser; the message is what the compiler has to say about that line. */
const wrong: readonly { title: string; code: string; message: RegExp }[] = [
  {
    title: "a request for a route that does not exist",
    code: 'await request("GET /w/{workspace}/nothing", { workspace: 1 });',
    message: /"GET \/w\/\{workspace\}\/nothing"' is not assignable/,
  },
  {
    title: "a request with a method that its route does not have",
    code: 'await request("PUT /w/{workspace}/keys", { workspace: 1, body: { name: "" } });',
    message: /"PUT \/w\/\{workspace\}\/keys"' is not assignable/,
  },
  {
    title: "a request without a value of its path",
    code: 'await request("GET /w/{workspace}/groups/{id}", { workspace: 1 });',
    message: /'id' is missing/,
  },
  {
    title: "a request with a parameter that its route does not have",
    code: 'await request("GET /w/{workspace}/templates", { workspace: 1, query: { name: "x" } });',
    message: /'name' does not exist/,
  },
  {
    title: "a request with a value that its parameter does not have",
    code: 'await request("GET /w/{workspace}/deliveries", { workspace: 1, query: { status: "lost" } });',
    message: /"lost"' is not assignable/,
  },
  {
    title: "a form without one of its fields",
    code: 'await request("POST /w/{workspace}/numbers", { workspace: 1, body: { name: "" } });',
    message: /'phone' is missing/,
  },
  {
    title: "a form with a field that its route does not have",
    code: 'await request("POST /w/{workspace}/keys", { workspace: 1, body: { name: "", owner: "" } });',
    message: /'owner' does not exist/,
  },
  {
    title: "a member that the answer does not have",
    code: '(await request("GET /me", {})).surname;',
    message: /'surname' does not exist/,
  },
  {
    title: "a download that is requested like data",
    code: 'await request("GET /w/{workspace}/contacts/export", { workspace: 1 });',
    message: /is not assignable to parameter of type/,
  },
];

describe("declarations between browser and server", () => {
  let inBrowser: TypeProblem[] = [];
  let inServer: TypeProblem[] = [];
  const head = 'import { request } from "./api.ts";\n';

  beforeAll(async () => {
    const changes = Object.fromEntries(
      renamed.map(({ file, member }) => [
        `${ENDPOINTS}/${file}`,
        // In schemas, whose names are capitalized; not where a view gives the value.
        (source: string) => source.replaceAll(new RegExp(`\\b${member}: (?=[A-Z])`, "g"), `new_${member}: `),
      ]),
    );
    const requests = head + wrong.map(({ code }) => `${code}\n`).join("");
    [inBrowser, inServer] = await Promise.all([
      findTypeProblems({ ...changes, [REQUESTS]: requests }),
      findTypeProblems({ ...changes, [UNDECLARED]: undeclared }, "."),
    ]);
  }, 240_000);

  for (const { file, member, reader } of renamed) {
    test(`renaming ${member} in ${file} does not compile in ${reader}`, () => {
      const found = inBrowser.filter((problem) => problem.file === reader && problem.message.includes(member));
      expect(found.length).toBeGreaterThan(0);
    });
  }

  test("renaming members of answers does not compile in the server's handlers and views", () => {
    const files = inServer.map(({ file }) => file);
    expect(files).toEqual(expect.arrayContaining(["src/http/endpoints/groups.ts", "src/http/endpoints/signed-in.ts"]));
    expect(files.filter((file) => !file.startsWith("src/http/endpoints/"))).toEqual([]);
  });

  test("an endpoint that declares neither a right nor scopes does not compile", () => {
    const found = inServer.filter(({ file }) => file === UNDECLARED);
    expect(found.map(({ line }) => line)).toEqual([2]);
    expect(found[0]?.message).toContain("'session' is missing");
  });

  for (const [index, { title, message }] of wrong.entries()) {
    test(`${title} does not compile`, () => {
      const line = head.split("\n").length + index;
      const found = inBrowser.filter((problem) => problem.file === REQUESTS && problem.line === line);
      expect(found.map((problem) => problem.message).join("\n")).toMatch(message);
    });
  }

  test("the browser asks the server through its client alone", () => {
    const others = readSources("src/web").filter(
      ({ path, text, code }) =>
        path !== "src/web/data/api.ts" && (/\bfetch\s*\(/.test(code) || /\/console\/api/.test(text)),
    );
    expect(others.map(({ path }) => path)).toEqual([]);
  });
});
