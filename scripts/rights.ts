/**
 * Writes `docs/rights.md`: who may do what, from the declarations of the endpoints, the table of roles and the sources of
 * the console. A test compares it, and others try every cell: `test/console/matrix.test.ts` and `test/api/matrix.test.ts`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { hasRight, type Right, type Role, roles } from "#src/domain/users/roles.ts";
import { defaultScopes, isAllowed, scopeRows, scopes } from "#src/domain/workspaces/scopes.ts";
import type { ApiEndpoint, ConsoleEndpoint, Needs } from "#src/http/endpoints/endpoint.ts";
import { apiEndpoints, consoleEndpoints } from "#src/http/endpoints/endpoints.ts";
import { readOptions } from "#test/support/options.ts";

const checkout = resolve(import.meta.dir, "..");
const WEB = join(checkout, "src/web");

export const rightsFile = join(checkout, "docs/rights.md");

/** From the least to the most. */
export const ranks: readonly Role[] = (Object.keys(roles) as Role[]).toReversed();

/** A source file of the console, from `src/web`, with the routes that it asks for. */
export interface WebFile {
  path: string;
  source: string;
  routes: ConsoleEndpoint[];
}

/** A name of a route in a source text; a placeholder of a template literal stands for one part of the path. */
const ROUTE = /["`]((?:GET|POST|PUT|DELETE) \/[^"`]*)["`]/g;

export function readWebFiles(): WebFile[] {
  return readdirSync(WEB, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .sort()
    .map((path) => {
      const source = readFileSync(join(WEB, path), "utf8");
      // The name in a type is no request.
      const names = [...source.matchAll(ROUTE)]
        .filter(({ index }) => /\b(request|reading|addressOf|upload|useEvents)\w*\(\s*$/.test(source.slice(0, index)))
        .map(([, name = ""]) => name);
      return { path, source, routes: consoleEndpoints.filter((route) => names.some((name) => isNamed(route, name))) };
    });
}

export const nameOf = ({ method, path }: ConsoleEndpoint | ApiEndpoint): string => `${method} ${path}`;

function isNamed(route: ConsoleEndpoint, name: string): boolean {
  const parts = name.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^/]+")}$`).test(nameOf(route));
}

/** Whether a role may ask for what needs this. */
export function mayAsk(role: Role, needs: Needs): boolean {
  if (needs === "nobody" || needs === "user") return true;
  return needs === "server operator" ? role === "operator" : hasRight(role, needs);
}

const headings: Readonly<Record<Needs, string>> = {
  nobody: "Without a session",
  user: "One's own account",
  inbox: "Conversations, and contacts one at a time (`inbox`)",
  overview: "The whole workspace (`overview`)",
  broadcasts: "Many at once (`broadcasts`)",
  logs: "What webhooks were sent (`logs`)",
  exports: "Downloads (`exports`)",
  manage: "Settings, people, billing (`manage`)",
  operate: "What operators decide about a workspace (`operate`)",
  "server operator": "The server",
};

const yes = (is: boolean): string => (is ? "yes" : "–");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

export function rightsText(): string {
  const files = readWebFiles();
  const shownIn = (route: ConsoleEndpoint): string => {
    const rooms = files
      .filter(({ routes }) => routes.includes(route))
      .map(({ path }) =>
        path
          .split("/")
          .slice(-2)
          .join("/")
          .replace(/\.tsx?$/, ""),
      );
    return rooms.map((room) => `\`${room}\``).join(", ");
  };
  const sections = (Object.keys(headings) as Needs[]).map((needs) => {
    const rows = consoleEndpoints
      .filter(({ session }) => session === needs)
      .map((route) => [`\`${nameOf(route)}\``, ...ranks.map((role) => yes(mayAsk(role, needs))), shownIn(route)]);
    return `### ${headings[needs]}\n\n${table(["route", ...ranks, "asked for in `src/web`"], rows)}\n`;
  });
  const ofRoles = table(
    ["right", ...ranks],
    (Object.keys(headings) as Needs[])
      .filter((needs): needs is Right => roles.operator.rights.some((right) => right === needs))
      .map((right) => [`\`${right}\``, ...ranks.map((role) => yes(hasRight(role, right)))]),
  );
  const ofScopes = table(
    ["endpoint", ...scopes.map((scope) => `\`${scope}\``), "key of 0.1 with"],
    apiEndpoints.map(({ key, keyOfFirstVersion, ...route }) => {
      const first = keyOfFirstVersion ?? key;
      const ofFirst = first === null ? "any" : first.map((scope) => `\`${scope}\``).join(", ") || "–";
      return [`\`${route.method} ${route.path}\``, ...scopes.map((scope) => yes(isAllowed([scope], key))), ofFirst];
    }),
  );
  return `# Who may do what

Made by \`bun run rights\` from the declarations of the endpoints, the table of roles and the sources of the console. Do not
edit. Tests try every cell both ways: what is allowed gets an answer, what is not gets 403 or 404 and changes nothing. An
endpoint that declares neither a right nor scopes does not compile.

## Roles

A role that lacks the right of a route finds nothing there (404), and the console does not show what asks for it. A role in
one workspace says nothing about another. An agent who is limited to numbers finds only what was written to or from these
numbers. The commands of \`waxwing\` belong to the person who runs the server.

${ofRoles}

${sections.join("\n")}
## Scopes of keys

A key that lacks the scope gets 403 \`api_not_enabled\`, and the sentence names the scope. One of the scopes of a row is
enough. Without \`--scopes\` a key gets ${defaultScopes.map((scope) => `\`${scope}\``).join(", ")}. A key that version 0.1 made
opens what that version had.

${scopes.map((scope) => `- \`${scope}\`: ${scopeRows[scope].description}`).join("\n")}

${ofScopes}
`;
}

if (import.meta.main) {
  readOptions({ call: "bun run rights", about: "Writes docs/rights.md from the declarations of the endpoints." }, {});
  await Bun.write(rightsFile, rightsText());
}
