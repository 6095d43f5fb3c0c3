/**
 * Which scopes of an API key open which endpoint: one of those listed is enough, and null means every key. The order is
 * that of the reference. A key whose list of scopes is empty of them gets 403 before anything of the request is read.
 */
import { Problem } from "#src/core/problem.ts";
import { type Scope, scopes } from "#src/domain/workspaces/scopes.ts";
import type { Endpoint } from "../endpoint.ts";

export const endpointScopes: Readonly<Record<string, readonly Scope[] | null>> = {
  "GET /me": null,
  "GET /usage": ["read"],
  "POST /messages": ["send"],
  "GET /messages": ["read"],
  "GET /messages/{id}": ["read"],
  "POST /broadcasts": ["broadcast"],
  "GET /broadcasts": ["read"],
  "POST /broadcasts/preview": ["broadcast"],
  "GET /broadcasts/{id}": ["read"],
  "GET /broadcasts/{id}/recipients": ["read"],
  "POST /broadcasts/{id}/cancel": ["broadcast"],
  "GET /contacts": ["read", "contacts"],
  "PUT /contacts": ["contacts"],
  "GET /contacts/{phone}": ["read", "contacts"],
  "PUT /contacts/{phone}": ["contacts"],
  "GET /contacts/{phone}/conversation": ["read"],
  "POST /contacts/{phone}/opt-out": ["contacts"],
  "GET /opt-outs": ["read", "contacts"],
  "GET /templates": ["read", "templates"],
  "GET /groups": ["read", "contacts"],
  "GET /events": ["read"],
  "GET /media/{id}": ["read"],
};

/** An endpoint that the table lacks opens to keys without limits only; a test fails for it. */
export function scopesOf({ method, path }: Pick<Endpoint, "method" | "path">): readonly Scope[] | null {
  const accepted = endpointScopes[`${method} ${path}`];
  return accepted === undefined ? [] : accepted;
}

export function missingScope(held: readonly Scope[], accepted: readonly Scope[]): Problem {
  const needed = accepted.map((scope) => `\`${scope}\``).join(" or ");
  const has = scopes.filter((scope) => held.includes(scope)).map((scope) => `\`${scope}\``);
  const sentence = `This API key may not do this: it needs the scope ${needed}, and has ${has.join(", ")}.`;
  const [suggestion] = accepted;
  return new Problem("api_not_enabled", sentence, {
    fault: {
      field: "Authorization",
      rule: "missing_scope",
      sentence,
      ...(suggestion === undefined ? {} : { suggestion }),
    },
  });
}
