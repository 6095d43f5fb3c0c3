/**
 * The database of the benchmarks: one workspace that sends through the fake network without a webhook, and one with a
 * webhook, whose deliveries are measured. The domain's own operations create it before the server starts.
 */
import { join } from "node:path";
import { loadKeys } from "#src/core/key-file.ts";
import { systemRandom } from "#src/core/random.ts";
import { createSecretBox } from "#src/core/secret.ts";
import { createPrivateDirectory } from "#src/db/files.ts";
import { migrate } from "#src/db/migrate.ts";
import { openStore } from "#src/db/store.ts";
import { contacts } from "#src/domain/contacts/table.ts";
import { addNumber } from "#src/domain/numbers/add.ts";
import { numbers } from "#src/domain/numbers/table.ts";
import { setWebhook } from "#src/domain/webhooks/address.ts";
import { publish } from "#src/domain/webhooks/publish.ts";
import { createKey } from "#src/domain/workspaces/api-keys.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { createWorkspace } from "#src/domain/workspaces/update.ts";
import { accessTokenContext } from "#src/networks/credentials.ts";

export interface World {
  directory: string;
  database: string;
  /** Of the workspace that sends. */
  key: string;
  /** Contacts that it may write free text to: each wrote to it a moment ago. */
  people: string[];
  /** Of another workspace. */
  otherKey: string;
  /** Of the workspace whose events are delivered. */
  listenerId: number;
}

const PEOPLE = 1_000;
/** The number that the workspace sends from. */
export const SENDER = "+911244001100";
export const PHONE_NUMBER_ID = "106540352242922";
export const ACCOUNT_ID = "102290129340398";
const settings = { country: "IN", timezone: "Asia/Kolkata", dailyCap: null, stopWords: [], startWords: [] };

/** `senderHook`: the webhook of the workspace that sends, if it has one too. */
export async function makeWorld(
  directory: string,
  webhookUrl: string,
  { senderHook }: { senderHook?: string } = {},
): Promise<World> {
  createPrivateDirectory(directory);
  const database = join(directory, "waxwing.db");
  const keyFile = join(directory, "waxwing.key");
  const box = createSecretBox(loadKeys({ keyFile, env: {}, random: systemRandom }, true), systemRandom);
  const store = openStore(database, { busyTimeoutMs: 5_000 });
  migrate(store.client);
  const people = Array.from({ length: PEOPLE }, (_, index) => `+9198765${String(index).padStart(5, "0")}`);
  const made = await store.write((tx) => {
    const sender = createWorkspace(tx, { ...settings, name: "Sender" }, true);
    const { key } = createKey(tx, sender.id, "bench");
    addNumber(tx, sender.id, {
      phone: SENDER,
      name: "Sender",
      throughput: 100_000,
      route: {
        network: "whatsapp",
        phoneNumberId: PHONE_NUMBER_ID,
        accountId: ACCOUNT_ID,
        accessToken: box.seal("bench-token", accessTokenContext(PHONE_NUMBER_ID)),
        appSecret: null,
      },
    });
    tx.db.update(numbers).set({ ready: true, unreadyReason: null }).run();
    if (senderHook !== undefined) setWebhook(tx, box, sender.id, senderHook);
    for (const phone of people) {
      const times = { lastMessageAt: tx.now, createdAt: tx.now, updatedAt: tx.now };
      tx.db
        .insert(contacts)
        .values({ workspaceId: sender.id, phone, consent: "unknown", ...times })
        .run();
    }
    const listener = createWorkspace(tx, { ...settings, name: "Listener" }, true);
    setWebhook(tx, box, listener.id, webhookUrl);
    const { key: otherKey } = createKey(tx, listener.id, "bench");
    return { key, otherKey, listenerId: listener.id };
  });
  store.checkpoint();
  store.close();
  return { directory, database, people, ...made };
}

/** The server's environment variables: limits that are never reached, and receivers on this machine allowed. */
export function serverVariables(directory: string, port: number, networkUrl: string, concurrency: number) {
  return {
    WAXWING_STORAGE_DATA: directory,
    WAXWING_SERVER_LISTEN: `127.0.0.1:${port}`,
    WAXWING_LIMITS_REQUESTS_PER_SECOND: "1000000",
    WAXWING_LIMITS_BURST: "1000000",
    WAXWING_WHATSAPP_GRAPH_URL: networkUrl,
    WAXWING_WEBHOOKS_ALLOW_HTTP: "true",
    WAXWING_WEBHOOKS_ALLOW_PRIVATE: "true",
    WAXWING_WEBHOOKS_CONCURRENCY: String(concurrency),
  };
}

/** The URL at which the fake network accepts the messages of the world's number. */
export function networkMessagesUrl(networkUrl: string): string {
  return `${networkUrl}/v23.0/${PHONE_NUMBER_ID}/messages`;
}

/** A body such as a delivery carries, so that the bare comparison posts as many bytes. */
export function eventData(index: number): { message: unknown } {
  return {
    message: {
      id: index,
      to: "+919876543210",
      from: "+911244001100",
      type: "text",
      template: null,
      text: "Your table is ready. See you at eight!",
      status: "sent",
      error: null,
      charged: false,
      created_at: "2026-11-21T08:44:25+05:30",
      send_at: null,
      sent_at: "2026-11-21T08:44:26+05:30",
      delivered_at: null,
      read_at: null,
    },
  };
}

/** Queues deliveries beside the running server, in one commit: the server finds them all at once. */
export async function queueDeliveries({ database, listenerId }: World, count: number): Promise<void> {
  const store = openStore(database, { busyTimeoutMs: 5_000 });
  await store.write((tx) => {
    const workspace = getWorkspace(tx, listenerId);
    for (let index = 0; index < count; index++) publish(tx, workspace, "message.sent", eventData(index));
  });
  store.close();
}
