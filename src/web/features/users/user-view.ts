/** Users, as the server's JSON has them. */
import type { Entry, Output } from "../../data/api.ts";
import type { ChipTone } from "../../ui/chip.tsx";
import { strings } from "./strings.ts";

/** The existing account at the address of an invitation. */
export type Account = NonNullable<Output<"POST /w/{workspace}/people">["account"]>;

export type User = Entry<"GET /users">;

export type Member = Entry<"GET /w/{workspace}/people">;

export function userChip({ disabled_at, has_password }: Pick<Member, "disabled_at" | "has_password">): {
  label: string;
  tone: ChipTone;
} {
  if (disabled_at !== null) return { label: strings.disabled, tone: "red" };
  return has_password ? { label: strings.active, tone: "green" } : { label: strings.invited, tone: "grey" };
}
