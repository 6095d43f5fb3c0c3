/** The places of a workspace, in the order in which the owner of a shop asks for them. A place is here when its screen is. */
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
  /** Shows beside it how many conversations are unread. */
  hasUnread?: boolean;
}

export const places: readonly Place[] = [
  { to: "/w/$workspace", label: "Home", icon: House, group: "main", isOnPhones: true, letter: "h", needs: "member" },
  {
    to: "/w/$workspace/inbox",
    label: "Inbox",
    icon: Inbox,
    group: "main",
    isOnPhones: true,
    letter: "i",
    needs: "member",
    hasUnread: true,
  },
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
    to: "/w/$workspace/messages",
    label: "Messages",
    icon: MessagesSquare,
    group: "main",
    isOnPhones: false,
    letter: "m",
    needs: "member",
  },
  {
    to: "/w/$workspace/numbers",
    label: "Numbers",
    icon: Phone,
    group: "main",
    isOnPhones: false,
    letter: "n",
    needs: "member",
  },
  {
    to: "/w/$workspace/billing",
    label: "Billing",
    icon: Wallet,
    group: "main",
    isOnPhones: false,
    letter: "l",
    needs: "owner",
  },
  {
    to: "/w/$workspace/simulator",
    label: "Simulator",
    icon: Smartphone,
    group: "main",
    isOnPhones: false,
    letter: "s",
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
    to: "/w/$workspace/members",
    label: "Members",
    icon: UserCog,
    group: "main",
    isOnPhones: false,
    letter: "e",
    needs: "owner",
  },
  {
    to: "/w/$workspace/audit",
    label: "Audit log",
    icon: ScrollText,
    group: "main",
    isOnPhones: false,
    letter: "o",
    needs: "owner",
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
