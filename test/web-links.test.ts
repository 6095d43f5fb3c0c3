/** Links of the console are checked by the compiler: the screen, its placeholders, and its search parameters. */
import { beforeAll, describe, expect, test } from "bun:test";
import { readSources } from "#test/support/source.ts";
import { findTypeProblems, type TypeProblem } from "#test/support/type-check.ts";

const LINKS = "src/web/features/links-of-a-test.tsx";
const sources = readSources("src/web");

/** Each is one line of a component; the message is what the compiler has to say about that line. */
const wrong: readonly { title: string; code: string; message: RegExp }[] = [
  {
    title: "a link to a screen that does not exist",
    code: '<Link to="/w/$workspace/contact" params={{ workspace: "1" }} />',
    message: /"\/w\/\$workspace\/contact"' is not assignable/,
  },
  {
    title: "a button that links to a screen that does not exist",
    code: '<ButtonLink to="/systems" />',
    message: /"\/systems"' is not assignable/,
  },
  {
    title: "a link without the parameters of its screen",
    code: '<Link to="/w/$workspace/contacts" />',
    message: /'params' is missing/,
  },
  {
    title: "a link that lacks one of two parameters",
    code: '<Link to="/w/$workspace/broadcasts/$broadcast" params={{ workspace: "1" }} />',
    message: /'broadcast' is missing/,
  },
  {
    title: "a link with a search parameter that its screen does not have",
    code: '<Link to="/w/$workspace/contacts" params={{ workspace: "1" }} search={{ opened: "1" }} />',
    message: /'opened' does not exist/,
  },
  {
    title: "a link with a value that its search parameter does not have",
    code: '<Link to="/w/$workspace/contacts" params={{ workspace: "1" }} search={{ consent: "perhaps" }} />',
    message: /"perhaps"' is not assignable/,
  },
  {
    title: "a link within a screen that changes a parameter of another screen",
    code: '<ParameterLink screen="/w/$workspace/contacts" change={{ hours: "6" }} />',
    message: /'hours' does not exist/,
  },
  {
    title: "a filter of a parameter that its screen does not have",
    code: '<FilterBar screen="/system/metrics" label="" name="status" choices={[]} />',
    message: /"status"' is not assignable/,
  },
  {
    title: "a filter with a value that its parameter does not have",
    code: '<FilterBar screen="/system/metrics" label="" name="hours" choices={[{ value: "7", label: "" }]} />',
    message: /"7"' is not assignable/,
  },
  {
    title: "a pager on a screen without a cursor",
    code: '<Pager screen="/system/metrics" meta={meta} />',
    message: /"\/system\/metrics"' is not assignable/,
  },
  {
    title: "a list whose rows open in the panel of a screen that has none",
    code: '<List label="" rows={[]} columns={[]} rowKey={() => 1} panelOf="/w/$workspace/billing" />',
    message: /"\/w\/\$workspace\/billing"' is not assignable/,
  },
  {
    title: "a navigation to a screen that does not exist",
    code: '<button type="button" onClick={() => void navigate({ to: "/nowhere" })} />',
    message: /"\/nowhere"' is not assignable/,
  },
  {
    title: "a change of a parameter that the screen does not have",
    code: '<button type="button" onClick={() => void change({ group: "1" })} />',
    message: /'group' does not exist/,
  },
  {
    title: "reading a search parameter that the screen does not have",
    code: "<p>{parameters.group}</p>",
    message: /'group' does not exist/,
  },
];

const right: readonly string[] = [
  '<Link to="/w/$workspace/contacts" params={{ workspace: "1" }} search={{ consent: "opted_in", open: undefined }} />',
  '<Link to="/w/$workspace/broadcasts/$broadcast" params={{ workspace: "1", broadcast: "2" }} />',
  '<ButtonLink to="/system" small tone="primary" />',
  '<ParameterLink screen="/w/$workspace/contacts" change={{ group: undefined, after: undefined }} />',
  '<FilterBar screen="/system/metrics" label="" name="hours" choices={[{ value: "6", label: "" }]} />',
  '<Pager screen="/w/$workspace/billing" meta={meta} />',
  '<List label="" rows={[]} columns={[]} rowKey={() => 1} panelOf="/w/$workspace/contacts" />',
  '<button type="button" onClick={() => void change({ phone: "+14155550100" })} />',
  "<p>{parameters.phone}</p>",
];

const before = `
import { Link, useNavigate } from "@tanstack/react-router";
import type { Meta } from "../data/api.ts";
import { ParameterLink, useChangeParameters, useParameters } from "../ui/address.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { FilterBar, List, Pager } from "../ui/list.tsx";

export function LinksOfATest({ meta }: { meta: Meta }) {
  const navigate = useNavigate();
  const change = useChangeParameters("/w/$workspace/simulator");
  const parameters = useParameters("/w/$workspace/simulator");
  return <>
`.split("\n");

const lines = [...before, ...wrong.map(({ code }) => code), ...right, "</>;", "}", ""];

describe("the compiler refuses", () => {
  let problems: TypeProblem[];

  beforeAll(async () => {
    problems = await findTypeProblems({
      [LINKS]: lines.join("\n"),
      // A renamed screen, and a screen without a component.
      "src/web/app/routes.ts": (source) => source.replace('inWorkspace("/deliveries"', 'inWorkspace("/attempts"'),
      "src/web/app/router.tsx": (source) => source.replace(/\n {2}billing: .*/, ""),
    });
  }, 60_000);

  wrong.forEach(({ title, message }, index) => {
    test(title, () => {
      const line = before.length + index + 1;
      const found = problems.filter((problem) => problem.file === LINKS && problem.line === line);
      expect(found.map((problem) => problem.message).join("\n")).toMatch(message);
    });
  });

  test("only these links, and not the right ones beside them", () => {
    const first = before.length + wrong.length + 1;
    expect(problems.filter(({ file, line }) => file === LINKS && (line <= before.length || line >= first))).toEqual([]);
  });

  test("every link to a screen that was renamed", () => {
    const old = /\/w\/\$workspace\/deliveries/;
    const linking = sources.filter(({ path, text }) => path.startsWith("src/web/features") && old.test(text));
    const reported = new Set(problems.map(({ file }) => file));
    expect(linking.length).toBeGreaterThan(3);
    expect(linking.map(({ path }) => path).filter((path) => !reported.has(path))).toEqual([]);
  });

  test("a screen without a component", () => {
    expect(problems.find(({ file }) => file === "src/web/app/router.tsx")?.message).toMatch(/'billing' is missing/);
  });
});

describe("no link escapes the compiler", () => {
  const functionAsSearch = /\bsearch(?:=\{|\s*[:=])\s*(?:\([^()]*\)|\w+)\s*=>/;

  test("nothing in the console is cast to never", () => {
    expect(sources.filter(({ code }) => /\bas never\b/.test(code)).map(({ path }) => path)).toEqual([]);
  });

  test("only ui/address.tsx computes search parameters by a function, whose names the compiler does not check", () => {
    for (const example of [
      "search={(known) => ({})}",
      "{ to, search: known => ({}) }",
      "const search = (a: B) => ({})",
    ])
      expect(example).toMatch(functionAsSearch);
    const found = sources.filter(({ code }) => functionAsSearch.test(code)).map(({ path }) => path);
    expect(found).toEqual(["src/web/ui/address.tsx"]);
  });
});
