/** The screens of a workspace, in the order in which a shop owner needs them. */
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
  group: "main" | "developer";
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
    group: "main",
    isInPhoneBar: true,
    shortcut: "h",
  },
  {
    to: "/w/$workspace/inbox",
    label: "Inbox",
    icon: Inbox,
    group: "main",
    isInPhoneBar: true,
    shortcut: "i",
    hasUnread: true,
  },
  {
    to: "/w/$workspace/broadcasts",
    label: "Broadcasts",
    icon: Megaphone,
    group: "main",
    isInPhoneBar: true,
    shortcut: "b",
  },
  {
    to: "/w/$workspace/contacts",
    label: "Contacts",
    icon: Users,
    group: "main",
    isInPhoneBar: true,
    shortcut: "c",
  },
  {
    to: "/w/$workspace/messages",
    label: "Messages",
    icon: MessagesSquare,
    group: "main",
    isInPhoneBar: false,
    shortcut: "m",
  },
  {
    to: "/w/$workspace/numbers",
    label: "Numbers",
    icon: Phone,
    group: "main",
    isInPhoneBar: false,
    shortcut: "n",
  },
  {
    to: "/w/$workspace/billing",
    label: "Billing",
    icon: Wallet,
    group: "main",
    isInPhoneBar: false,
    shortcut: "l",
  },
  {
    to: "/w/$workspace/simulator",
    label: "Simulator",
    icon: Smartphone,
    group: "main",
    isInPhoneBar: false,
    shortcut: "s",
  },
  {
    to: "/w/$workspace/groups",
    label: "Groups",
    icon: ListFilter,
    group: "main",
    isInPhoneBar: false,
    shortcut: "u",
  },
  {
    to: "/w/$workspace/templates",
    label: "Templates",
    icon: LayoutTemplate,
    group: "main",
    isInPhoneBar: false,
    shortcut: "t",
  },
  {
    to: "/w/$workspace/members",
    label: "Members",
    icon: UserCog,
    group: "main",
    isInPhoneBar: false,
    shortcut: "e",
  },
  {
    to: "/w/$workspace/quick-replies",
    label: "Quick replies",
    icon: MessageSquareReply,
    group: "main",
    isInPhoneBar: false,
    shortcut: "q",
  },
  {
    to: "/w/$workspace/settings",
    label: "Settings",
    icon: Settings,
    group: "main",
    isInPhoneBar: false,
    shortcut: null,
  },
  {
    to: "/w/$workspace/audit",
    label: "Audit log",
    icon: ScrollText,
    group: "main",
    isInPhoneBar: false,
    shortcut: "o",
  },
  {
    to: "/w/$workspace/api",
    label: "API settings",
    icon: KeyRound,
    group: "developer",
    isInPhoneBar: false,
    shortcut: "a",
  },
  {
    to: "/w/$workspace/requests",
    label: "API requests",
    icon: ArrowLeftRight,
    group: "developer",
    isInPhoneBar: false,
    shortcut: "r",
  },
  {
    to: "/w/$workspace/deliveries",
    label: "Webhook deliveries",
    icon: Webhook,
    group: "developer",
    isInPhoneBar: false,
    shortcut: "d",
  },
];
