/** Users, as the server's JSON has them. */
import type { Role } from "../../data/session.ts";
import type { ChipTone } from "../../ui/chip.tsx";
import { strings } from "./strings.ts";

interface BaseUser {
  id: number;
  email: string;
  has_password: boolean;
  second_factor: boolean;
  created_at: string | null;
  disabled_at: string | null;
}

/** The existing account at the address of an invitation. */
export interface Account {
  since: string;
  first_invited_by: string | null;
}

export interface User extends BaseUser {
  is_operator: boolean;
  invitations: { id: number; role: Exclude<Role, "operator">; expires_at: string }[];
  workspaces: { id: number; role: Exclude<Role, "operator"> }[];
}

export interface Member extends BaseUser {
  role: Exclude<Role, "operator">;
  /** Invited, but has not joined yet. */
  is_pending: boolean;
}

export function userChip({ disabled_at, has_password }: BaseUser): { label: string; tone: ChipTone } {
  if (disabled_at !== null) return { label: strings.disabled, tone: "red" };
  return has_password ? { label: strings.active, tone: "green" } : { label: strings.invited, tone: "grey" };
}
