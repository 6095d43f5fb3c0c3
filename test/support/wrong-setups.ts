/** Wrong set-ups of a number at Meta: how each comes about, the step that names it, and what it says to do. */
import { type ConnectWorld, PUBLIC_URL } from "./connecting.ts";
import { GRAPH_ACCOUNT_ID } from "./graph.ts";

/** What the cases need of a server that is connected to the fake Cloud API. */
export interface SetupWorld extends Pick<ConnectWorld, "account"> {
  enter: () => Promise<unknown>;
  connect: () => Promise<unknown>;
}

export interface WrongSetup {
  name: string;
  spoil: (world: SetupWorld) => unknown;
  /** The first request that is refused, or the check that finds it. */
  step: "enter" | "offer" | "choose" | "callbacks" | "register" | "check";
  /** Of a form, the field; of the check, the step of the page; null: the whole form. */
  at: string | null;
  says: string;
  next: string;
  /** The page does not offer what is wrong here. */
  isOnlyOfRequests?: true;
}

const health = (entity: string, code: number, words: string) => ({
  can_send_message: "BLOCKED",
  entities: [
    {
      entity_type: entity,
      id: "1",
      can_send_message: "BLOCKED",
      errors: [{ error_code: code, error_description: words }],
    },
  ],
});
const row = ({ account }: SetupWorld) => account.numbers[0] as Record<string, unknown>;

export const wrongSetups: readonly WrongSetup[] = [
  {
    name: "an expired token",
    spoil: ({ account }) => {
      account.refuse = ({ path }) => (path.includes("debug_token") ? { code: 190, status: 401, subcode: 463 } : null);
    },
    ...{
      step: "enter",
      at: "token",
      says: "has expired",
      next: "Create a new token for the system user with the expiry Never",
    },
  },
  {
    name: "a token that was not copied whole",
    spoil: ({ account }) => {
      account.refuse = () => ({ code: 190, status: 401 });
    },
    ...{ step: "enter", at: "token", says: "not copied whole", next: "Copy the token again, whole" },
  },
  {
    name: "a token that Meta calls invalid",
    spoil: ({ account }) => Object.assign(account.token, { isValid: false, subcode: 463 }),
    ...{ step: "enter", at: "token", says: "has expired", next: "Create a new token for the system user" },
  },
  {
    name: "a token that ended with its user's password",
    spoil: ({ account }) => Object.assign(account.token, { isValid: false, subcode: 460 }),
    ...{ step: "enter", at: "token", says: "changed the password", next: "Create a new token" },
  },
  {
    name: "a token without the permission to send",
    spoil: ({ account }) => Object.assign(account.token, { scopes: ["whatsapp_business_management"] }),
    ...{
      step: "enter",
      at: "token",
      says: "lacks the permission whatsapp_business_messaging",
      next: "Create a token with whatsapp_business_messaging",
    },
  },
  {
    name: "a token without the permission to manage",
    spoil: ({ account }) => Object.assign(account.token, { scopes: ["whatsapp_business_messaging"] }),
    ...{
      step: "enter",
      at: "token",
      says: "lacks the permission whatsapp_business_management",
      next: "Create a token with whatsapp_business_messaging",
    },
  },
  {
    name: "access to data that has expired",
    spoil: ({ account }) => Object.assign(account.token, { dataAccessExpiresAt: 1_700_000_000 }),
    ...{ step: "enter", at: "token", says: "may no longer read data", next: "a system user's token keeps its access" },
  },
  {
    name: "another app's secret",
    spoil: ({ account }) => Object.assign(account, { appSecret: "the-secret-of-another-app" }),
    ...{ step: "enter", at: "app_secret", says: "another app's", next: "Copy the app secret from Meta's dashboard" },
  },
  {
    name: "another app's secret at an app that demands the proof",
    spoil: ({ account }) => Object.assign(account, { appSecret: "the-secret-of-another-app", requiresProof: true }),
    ...{ step: "enter", at: "app_secret", says: "another app's", next: "Copy the app secret from Meta's dashboard" },
  },
  {
    name: "no app secret at all",
    spoil: () => undefined,
    ...{
      step: "enter",
      at: "app_secret",
      says: "There is no app secret",
      next: "Copy the app secret from Meta's dashboard",
    },
  },
  {
    name: "Meta is down",
    spoil: ({ account }) => {
      account.refuse = () => ({ code: 2, status: 503 });
    },
    ...{ step: "enter", at: null, says: "down or overloaded", next: "Wait a few minutes" },
  },
  {
    name: "a page of a proxy in Meta's place",
    spoil: ({ account }) => {
      account.refuse = () => ({ status: 200, body: "<h1>Sign in to the network</h1>", contentType: "text/html" });
    },
    ...{ step: "enter", at: null, says: "Sign in to the network", next: "a proxy or firewall" },
  },
  {
    name: "a token that expires between the steps",
    spoil: async ({ account, enter }) => {
      await enter();
      Object.assign(account.token, { isValid: false, subcode: 463 });
    },
    ...{ step: "offer", at: "token", says: "has expired", next: "Create a new token" },
  },
  {
    name: "the wrong account",
    spoil: ({ account }) => Object.assign(account.token, { accountIds: ["100000000000099"] }),
    ...{
      step: "offer",
      at: "100000000000099",
      says: "no account with this id",
      next: "Copy the WhatsApp Business Account ID",
    },
  },
  {
    name: "an account that the system user may not see",
    spoil: ({ account }) => {
      account.refuse = ({ path }) => (path.includes("/phone_numbers") ? { code: 200, status: 403 } : null);
    },
    ...{
      step: "offer",
      at: GRAPH_ACCOUNT_ID,
      says: "no account with this id that the token may see",
      next: "full control of the account",
    },
  },
  {
    name: "a number of another account",
    isOnlyOfRequests: true,
    spoil: ({ account }) => {
      account.visibleNumbers = account.numbers;
      account.numbers = [];
    },
    ...{ step: "choose", at: "phone_number_id", says: "does not show this number", next: "in the account" },
  },
  {
    name: "a number that the workspace has already",
    isOnlyOfRequests: true,
    spoil: async (world) => {
      await world.connect();
    },
    ...{ step: "choose", at: "phone", says: "already a number of this workspace", next: "" },
  },
  {
    name: "a callback address that the internet does not reach",
    spoil: ({ account }) => {
      account.reach = () => null;
    },
    ...{
      step: "callbacks",
      at: null,
      says: "could not verify the callback address",
      next: "reachable from the internet over https",
    },
  },
  {
    name: "a token that may not subscribe the app",
    spoil: ({ account }) => {
      account.refuse = ({ path, method }) =>
        method === "POST" && path.includes("/subscribed_apps") ? { code: 10, status: 403 } : null;
    },
    ...{ step: "callbacks", at: null, says: "lacks a permission", next: "Give the system user" },
  },
  {
    name: "a wrong PIN",
    spoil: ({ account }) => Object.assign(account, { pin: "000000" }),
    ...{ step: "register", at: "pin", says: "PIN of the number is wrong", next: "right PIN" },
  },
  {
    name: "too many wrong PINs",
    spoil: ({ account }) => {
      account.refuse = ({ path }) => (path.includes("/register") ? { code: 133008 } : null);
    },
    ...{ step: "register", at: "pin", says: "wrong too many times", next: "Wait" },
  },
  {
    name: "a number that was registered too often",
    spoil: ({ account }) => {
      account.refuse = ({ path }) => (path.includes("/register") ? { code: 133016 } : null);
    },
    ...{ step: "register", at: null, says: "registered too many times", next: "Wait up to 72 hours" },
  },
  {
    name: "a number that is in the WhatsApp Business app",
    spoil: (world) => Object.assign(row(world), { is_on_biz_app: true }),
    ...{ step: "register", at: null, says: "would sign the phone out", next: "needs no registration" },
  },
  {
    name: "a number that is not registered",
    spoil: (world) => Object.assign(row(world), { status: "PENDING" }),
    ...{
      step: "check",
      at: "registration",
      says: "not registered with the Cloud API",
      next: "Register it with its two-step PIN",
    },
  },
  {
    name: "a number that was disconnected",
    spoil: (world) => Object.assign(row(world), { status: "DISCONNECTED" }),
    ...{ step: "check", at: "registration", says: "is disconnected", next: "A forgotten PIN is reset" },
  },
  {
    name: "a number whose code was never entered",
    spoil: (world) => Object.assign(row(world), { status: "UNVERIFIED" }),
    ...{ step: "check", at: "registration", says: "is not verified", next: "Have a code sent to it" },
  },
  {
    name: "no payment method",
    spoil: (world) => Object.assign(row(world), { health_status: health("WABA", 141006, "No valid payment method") }),
    ...{ step: "check", at: "sending", says: "no valid payment method", next: "Add or correct the payment method" },
  },
  {
    name: "an app in development mode",
    spoil: (world) => Object.assign(row(world), { health_status: health("APP", 1, "In development") }),
    ...{ step: "check", at: "sending", says: "development mode", next: "Set the app to Live" },
  },
  {
    name: "an app that was unsubscribed",
    spoil: ({ account }) => Object.assign(account, { subscribedApps: [] }),
    ...{ step: "check", at: "callbacks", says: "is subscribed to the account", next: "Press Set up at Meta" },
  },
  {
    name: "a webhook that another system moved",
    spoil: ({ account }) =>
      Object.assign(account, { webhook: { callbackUrl: "https://crm.example.com/hook", fields: ["messages"] } }),
    ...{ step: "check", at: "callbacks", says: "crm.example.com", next: "Press Set up at Meta" },
  },
  {
    name: "a webhook without the field messages",
    spoil: ({ account }) =>
      Object.assign(account, {
        webhook: { callbackUrl: `${PUBLIC_URL}/networks/whatsapp`, fields: ["account_update"] },
      }),
    ...{ step: "check", at: "callbacks", says: "not subscribed to messages", next: "Press Set up at Meta" },
  },
  {
    name: "a token that has expired since",
    spoil: ({ account }) => {
      account.refuse = () => ({ code: 190, status: 401, subcode: 463 });
    },
    ...{ step: "check", at: "access", says: "has expired", next: "Enter it under Token and app secret" },
  },
  {
    name: "an app secret that was reset since",
    spoil: ({ account }) => Object.assign(account, { appSecret: "the-new-secret" }),
    ...{ step: "check", at: "access", says: "another app's", next: "Copy the app secret" },
  },
];
