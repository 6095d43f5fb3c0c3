/**
 * What the console shows to a role. Statically: on no screen that a role may open stands something that asks for a route
 * which the role lacks, unless `may(…, right)` decides about it; and `docs/rights.md` is as it is generated.
 */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Right } from "#src/domain/users/roles.ts";
import { rightOf } from "#src/web/app/screen-rights.ts";
import { mayAsk, nameOf, ranks, readWebFiles, rightsFile, rightsText } from "../../scripts/rights.ts";

const files = readWebFiles();
const byPath = new Map(files.map((file) => [file.path, file]));

/** The component of each screen of a workspace, from `src/web`, by its address below the workspace. */
function screensOfWorkspace(): [address: string, file: string][] {
  const routes = byPath.get("app/routes.ts")?.source ?? "";
  const router = byPath.get("app/router.tsx")?.source ?? "";
  return [...routes.matchAll(/^ {2}(\w+): inWorkspace\("([^"]*)"/gm)].map(([, name = "", path = ""]) => {
    const file = new RegExp(`\\b${name}: lazy\\(\\(\\) => import\\("\\.\\./([^"]+)"`).exec(router)?.[1];
    return [`/w/1${path}`, file ?? "features/home/home.tsx"];
  });
}

interface Part {
  /** The files from the screen to this one. */
  way: string[];
  /** The file is no component of the screen: its functions read for others. */
  isRead: boolean;
}

/** The files of which a screen is made. What is in `app/` is on every screen. */
function partsOf(start: string): Map<string, Part> {
  const parts = new Map<string, Part>([[start, { way: [start], isRead: false }]]);
  for (const [path, { way, isRead }] of parts) {
    for (const { target, isComponent } of importsOf(path)) {
      const known = parts.get(target);
      if (target.startsWith("app/") || (known !== undefined && !(known.isRead && isComponent))) continue;
      parts.delete(target);
      parts.set(target, { way: [...way, target], isRead: isRead || !isComponent });
    }
  }
  return parts;
}

function importsOf(path: string): { target: string; isComponent: boolean }[] {
  const source = byPath.get(path)?.source ?? "";
  return [...source.matchAll(/import (?!type)\{([^}]*)\} from "(\.[^"]+)"/g)]
    .map(([, names = "", target = ""]) => ({
      target: join(dirname(path), target),
      isComponent: names.split(",").some((name) => source.includes(`<${name.trim()}`) && /^[A-Z]/.test(name.trim())),
    }))
    .filter(({ target }) => byPath.has(target));
}

/** Whether a file on the way, or a component of the last one, asks for a right that only roles with this one have. */
function isDecided(way: readonly string[], needs: Right): boolean {
  const components = importsOf(way.at(-1) ?? "").flatMap(({ target, isComponent }) => (isComponent ? [target] : []));
  return [...way, ...components].some((path) =>
    [...(byPath.get(path)?.source.matchAll(/\bmay\([^"]*, "(\w+)"\)/g) ?? [])].some(([, asked]) =>
      ranks.every((role) => !mayAsk(role, asked as Right) || mayAsk(role, needs)),
    ),
  );
}

/** The links of the navigation, which the console filters by the right of the screen. */
const links = [...(byPath.get("app/navigation.ts")?.source ?? "").matchAll(/to: "([^"]+)",\s+label: "([^"]+)"/g)].map(
  ([, to = "", label = ""]) => ({ to, label }),
);

test("a screen that a role may open asks for nothing that the role lacks, unless its rights decide", () => {
  const screens = screensOfWorkspace();
  expect(screens.length).toBeGreaterThan(15);
  const wrong: unknown[] = [];
  for (const [address, file] of screens) {
    const right = rightOf(address);
    if (right === undefined) {
      wrong.push([address, "has no right"]);
      continue;
    }
    for (const role of ranks.filter((one) => mayAsk(one, right))) {
      for (const [path, { way, isRead }] of partsOf(file)) {
        for (const route of byPath.get(path)?.routes ?? []) {
          const { session } = route;
          if (mayAsk(role, session) || (isRead && route.method !== "GET")) continue;
          if (session === "nobody" || session === "user" || session === "server operator") continue;
          if (!isDecided(way, session)) wrong.push([role, address, way.join(" > "), nameOf(route)]);
        }
      }
    }
  }
  expect(wrong).toEqual([]);
});

test("each link of the navigation leads to a screen with a right, and agents get two of them", () => {
  const shown = (role: (typeof ranks)[number]) =>
    links
      .filter(({ to }) => {
        const right = rightOf(to);
        return right !== undefined && mayAsk(role, right);
      })
      .map(({ label }) => label);
  expect(links.length).toBeGreaterThan(12);
  expect(shown("operator")).toEqual(links.map(({ label }) => label));
  expect(shown("owner")).toEqual(shown("operator"));
  expect(shown("operator").filter((label) => !shown("member").includes(label))).toEqual([
    "Billing",
    "Members",
    "Settings",
    "Audit log",
    "API settings",
  ]);
  expect(shown("agent")).toEqual(["Inbox", "Contacts"]);
});

test("docs/rights.md is as `bun run rights` writes it", () => {
  expect(readFileSync(rightsFile, "utf8")).toBe(rightsText());
});

test("the page has a row for each route, and finds where the console asks for it", () => {
  const text = rightsText();
  expect(text).toContain("| `GET /w/{workspace}/contacts/export` ");
  expect(files.find(({ path }) => path.endsWith("contacts/export-dialog.tsx"))?.routes.map(nameOf)).toEqual([
    "GET /w/{workspace}/contacts/export/count",
    "GET /w/{workspace}/contacts/export",
  ]);
});
