/** The screens of a workspace: what a shop works in all day, what it sets up, and what its developers need. */
import {
  ArrowLeftRight,
  House,
  Inbox,
  KeyRound,
  LayoutTemplate,
  ListFilter,
  type LucideIcon,
  Megaphone,
  MessageSquareReply,
  MessagesSquare,
  Phone,
  ScrollText,
  Settings,
  Smartphone,
  UserCog,
  Users,
  Wallet,
  Webhook,
} from "lucide-react";
import type { WorkspaceScreen } from "./routes.ts";

export interface NavigationItem {
  to: WorkspaceScreen;
  label: string;
  icon: LucideIcon;
  group: "work" | "setup" | "developers";
  /** In the bottom bar on phones; all other screens are under "More". */
  isInPhoneBar: boolean;
  /** `g` followed by this letter opens the screen. */
  shortcut: string | null;
  /** Shows the number of unread conversations. */
  hasUnread?: boolean;
}

export const navigationItems: readonly NavigationItem[] = [
  {
    to: "/w/$workspace",
    label: "Home",
    icon: House,
    group: "work",
    isInPhoneBar: true,
    shortcut: "h",
  },
  {
    to: "/w/$workspace/inbox",
    label: "Inbox",
    icon: Inbox,
    group: "work",
    isInPhoneBar: true,
    shortcut: "i",
    hasUnread: true,
  },
  {
    to: "/w/$workspace/broadcasts",
    label: "Broadcasts",
    icon: Megaphone,
    group: "work",
    isInPhoneBar: true,
    shortcut: "b",
  },
  {
    to: "/w/$workspace/contacts",
    label: "Contacts",
    icon: Users,
    group: "work",
    isInPhoneBar: true,
    shortcut: "c",
  },
  {
    to: "/w/$workspace/templates",
    label: "Templates",
    icon: LayoutTemplate,
    group: "setup",
    isInPhoneBar: false,
    shortcut: "t",
  },
  {
    to: "/w/$workspace/groups",
    label: "Groups",
    icon: ListFilter,
    group: "setup",
    isInPhoneBar: false,
    shortcut: "u",
  },
  {
    to: "/w/$workspace/quick-replies",
    label: "Quick replies",
    icon: MessageSquareReply,
    group: "setup",
    isInPhoneBar: false,
    shortcut: "q",
  },
  {
    to: "/w/$workspace/numbers",
    label: "Numbers",
    icon: Phone,
    group: "setup",
    isInPhoneBar: false,
    shortcut: "n",
  },
  {
    to: "/w/$workspace/messages",
    label: "Messages",
    icon: MessagesSquare,
    group: "setup",
    isInPhoneBar: false,
    shortcut: "m",
  },
  {
    to: "/w/$workspace/billing",
    label: "Billing",
    icon: Wallet,
    group: "setup",
    isInPhoneBar: false,
    shortcut: "l",
  },
  {
    to: "/w/$workspace/members",
    label: "Members",
    icon: UserCog,
    group: "setup",
    isInPhoneBar: false,
    shortcut: "e",
  },
  {
    to: "/w/$workspace/settings",
    label: "Settings",
    icon: Settings,
    group: "setup",
    isInPhoneBar: false,
    shortcut: null,
  },
  {
    to: "/w/$workspace/audit",
    label: "Audit log",
    icon: ScrollText,
    group: "setup",
    isInPhoneBar: false,
    shortcut: "o",
  },
  {
    to: "/w/$workspace/api",
    label: "API settings",
    icon: KeyRound,
    group: "developers",
    isInPhoneBar: false,
    shortcut: "a",
  },
  {
    to: "/w/$workspace/requests",
    label: "API requests",
    icon: ArrowLeftRight,
    group: "developers",
    isInPhoneBar: false,
    shortcut: "r",
  },
  {
    to: "/w/$workspace/deliveries",
    label: "Webhook deliveries",
    icon: Webhook,
    group: "developers",
    isInPhoneBar: false,
    shortcut: "d",
  },
  {
    to: "/w/$workspace/simulator",
    label: "Simulator",
    icon: Smartphone,
    group: "developers",
    isInPhoneBar: false,
    shortcut: "s",
  },
];
