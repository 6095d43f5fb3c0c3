/** The right that each screen of a workspace takes. Without it there is nothing at its address, and no link leads there. */
import type { Right } from "#src/domain/users/roles.ts";

/** By the beginning of the address below the workspace. */
const rights: Readonly<Record<string, Right>> = {
  "": "overview",
  "/inbox": "inbox",
  "/broadcasts": "broadcasts",
  "/contacts": "inbox",
  "/contacts/import": "broadcasts",
  "/contacts/duplicates": "broadcasts",
  "/groups": "broadcasts",
  "/messages": "overview",
  "/numbers": "overview",
  "/numbers/connect": "manage",
  "/templates": "overview",
  "/templates/new": "broadcasts",
  "/quick-replies": "broadcasts",
  "/simulator": "broadcasts",
  "/billing": "manage",
  "/members": "manage",
  "/settings": "manage",
  "/audit": "manage",
  "/api": "manage",
  "/requests": "logs",
  "/deliveries": "logs",
};

/** From `/w/` to what follows the workspace, without a slash at its end. */
export function belowWorkspace(address: string): string {
  return address.replace(/^\/w\/[^/]+/, "").replace(/\/$/, "");
}

/** `address`: from `/w/`. */
export function rightOf(address: string): Right | undefined {
  const below = belowWorkspace(address);
  return rights[below] ?? rights[below.replace(/\/[^/]*$/, "") || below];
}
