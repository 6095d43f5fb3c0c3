/** The places of a workspace, in the order in which the owner of a shop asks for them. A place is here when its screen is. */
import { House, KeyRound, LayoutTemplate, ListFilter, type LucideIcon, Megaphone, Users, Webhook } from "lucide-react";

export interface Place {
  to: string;
  label: string;
  icon: LucideIcon;
  group: "main" | "developer";
  /** In the bar below on phones; the others are behind "More". */
  isOnPhones: boolean;
  /** `g` and this letter go there. */
  letter: string | null;
  needs: "member" | "owner";
}

export const places: readonly Place[] = [
  { to: "/w/$workspace", label: "Home", icon: House, group: "main", isOnPhones: true, letter: "h", needs: "member" },
  {
    to: "/w/$workspace/broadcasts",
    label: "Broadcasts",
    icon: Megaphone,
    group: "main",
    isOnPhones: true,
    letter: "b",
    needs: "member",
  },
  {
    to: "/w/$workspace/contacts",
    label: "Contacts",
    icon: Users,
    group: "main",
    isOnPhones: true,
    letter: "c",
    needs: "member",
  },
  {
    to: "/w/$workspace/groups",
    label: "Groups",
    icon: ListFilter,
    group: "main",
    isOnPhones: false,
    letter: "u",
    needs: "member",
  },
  {
    to: "/w/$workspace/templates",
    label: "Templates",
    icon: LayoutTemplate,
    group: "main",
    isOnPhones: false,
    letter: "t",
    needs: "member",
  },
  {
    to: "/w/$workspace/api",
    label: "API settings",
    icon: KeyRound,
    group: "developer",
    isOnPhones: false,
    letter: "a",
    needs: "owner",
  },
  {
    to: "/w/$workspace/deliveries",
    label: "Webhook deliveries",
    icon: Webhook,
    group: "developer",
    isOnPhones: false,
    letter: "d",
    needs: "member",
  },
];
