/** The screens of a workspace, in the order in which a shop owner needs them. */
import {
  House,
  Inbox,
  KeyRound,
  LayoutTemplate,
  ListFilter,
  type LucideIcon,
  Megaphone,
  MessagesSquare,
  Phone,
  ScrollText,
  Smartphone,
  UserCog,
  Users,
  Wallet,
  Webhook,
} from "lucide-react";
import type { Right } from "#src/domain/users/roles.ts";
import type { WorkspaceScreen } from "./routes.ts";

export interface NavigationItem {
  to: WorkspaceScreen;
  label: string;
  icon: LucideIcon;
  group: "main" | "developer";
  /** In the bottom bar on phones; all other screens are under "More". */
  isInPhoneBar: boolean;
  /** `g` followed by this letter opens the screen. */
  shortcut: string | null;
  needs: Right;
  /** Shows the number of unread conversations. */
  hasUnread?: boolean;
}

export const navigationItems: readonly NavigationItem[] = [
  {
    to: "/w/$workspace",
    label: "Home",
    icon: House,
    group: "main",
    isInPhoneBar: true,
    shortcut: "h",
    needs: "overview",
  },
  {
    to: "/w/$workspace/inbox",
    label: "Inbox",
    icon: Inbox,
    group: "main",
    isInPhoneBar: true,
    shortcut: "i",
    needs: "inbox",
    hasUnread: true,
  },
  {
    to: "/w/$workspace/broadcasts",
    label: "Broadcasts",
    icon: Megaphone,
    group: "main",
    isInPhoneBar: true,
    shortcut: "b",
    needs: "broadcasts",
  },
  {
    to: "/w/$workspace/contacts",
    label: "Contacts",
    icon: Users,
    group: "main",
    isInPhoneBar: true,
    shortcut: "c",
    needs: "inbox",
  },
  {
    to: "/w/$workspace/messages",
    label: "Messages",
    icon: MessagesSquare,
    group: "main",
    isInPhoneBar: false,
    shortcut: "m",
    needs: "overview",
  },
  {
    to: "/w/$workspace/numbers",
    label: "Numbers",
    icon: Phone,
    group: "main",
    isInPhoneBar: false,
    shortcut: "n",
    needs: "overview",
  },
  {
    to: "/w/$workspace/billing",
    label: "Billing",
    icon: Wallet,
    group: "main",
    isInPhoneBar: false,
    shortcut: "l",
    needs: "manage",
  },
  {
    to: "/w/$workspace/simulator",
    label: "Simulator",
    icon: Smartphone,
    group: "main",
    isInPhoneBar: false,
    shortcut: "s",
    needs: "broadcasts",
  },
  {
    to: "/w/$workspace/groups",
    label: "Groups",
    icon: ListFilter,
    group: "main",
    isInPhoneBar: false,
    shortcut: "u",
    needs: "broadcasts",
  },
  {
    to: "/w/$workspace/templates",
    label: "Templates",
    icon: LayoutTemplate,
    group: "main",
    isInPhoneBar: false,
    shortcut: "t",
    needs: "overview",
  },
  {
    to: "/w/$workspace/members",
    label: "Members",
    icon: UserCog,
    group: "main",
    isInPhoneBar: false,
    shortcut: "e",
    needs: "manage",
  },
  {
    to: "/w/$workspace/audit",
    label: "Audit log",
    icon: ScrollText,
    group: "main",
    isInPhoneBar: false,
    shortcut: "o",
    needs: "manage",
  },
  {
    to: "/w/$workspace/api",
    label: "API settings",
    icon: KeyRound,
    group: "developer",
    isInPhoneBar: false,
    shortcut: "a",
    needs: "manage",
  },
  {
    to: "/w/$workspace/deliveries",
    label: "Webhook deliveries",
    icon: Webhook,
    group: "developer",
    isInPhoneBar: false,
    shortcut: "d",
    needs: "logs",
  },
];
