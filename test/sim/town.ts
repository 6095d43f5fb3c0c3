/**
 * The start of every scenario: a database with one shop, its number, templates, groups and contacts, created once per
 * run and copied for each round.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, loadConfig } from "#src/config/config.ts";
import { createSecretBox } from "#src/core/secret.ts";
import { readOrCreateInstanceId } from "#src/db/instance.ts";
import { migrate } from "#src/db/migrate.ts";
import { openStore } from "#src/db/store.ts";
import { createGroup } from "#src/domain/groups/create.ts";
import { MARKETING_ONBOARDED, recordMarketingStatus } from "#src/domain/numbers/account-sync.ts";
import { addNumber } from "#src/domain/numbers/add.ts";
import { numbers, portfolios, type SendingNumber } from "#src/domain/numbers/table.ts";
import { addTemplate, readNewTemplate } from "#src/domain/templates/add.ts";
import { setWebhook } from "#src/domain/webhooks/address.ts";
import { createKey, EVERY_SCOPE } from "#src/domain/workspaces/api-keys.ts";
import { createWorkspace } from "#src/domain/workspaces/update.ts";
import { Disk } from "./disk.ts";
import { Life } from "./process.ts";
import { SeededRandom } from "./random.ts";
import { Scheduler } from "./scheduler.ts";

export const PHONES: readonly string[] = Array.from({ length: 24 }, (_, index) => `+9198765430${index + 10}`);
/** The members of the group; the last of them never opted in. */
const MEMBERS = 8;
const CELEBRANTS = 3;

export const templates = ["order_shipped", "summer_sale"] as const;

export interface Town extends Disposable {
  directory: string;
  disk: Disk;
  config: Config;
  secretKey: Uint8Array;
  apiKey: string;
  workspaceId: number;
  number: SendingNumber;
  groups: { list: number; birthdays: number };
  startsAt: number;
}

export function buildTown(): Town {
  const memory = "/dev/shm";
  const directory = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), "waxwing-sim-"));
  const base = loadConfig({ env: {}, searchPaths: [], data: directory, listen: "127.0.0.1:0" });
  const config: Config = {
    ...base,
    webhooks: { ...base.webhooks, allowHttp: true, allowPrivate: true },
    limits: { ...base.limits, requestsPerSecond: 1_000_000, burst: 1_000_000 },
  };
  const random = new SeededRandom(1);
  const secretKey = random.bytes(32);
  const startsAt = Date.parse("2026-11-21T06:00:00Z");
  const scheduler = new Scheduler(random, startsAt);
  const origin = join(directory, "town.db");
  const failures: string[] = [];
  let town: Omit<Town, "disk" | "directory" | "config" | "secretKey" | "startsAt" | typeof Symbol.dispose> | null =
    null;
  scheduler.hold(() => {
    const store = openStore(origin, { busyTimeoutMs: 0 });
    migrate(store.client);
    readOrCreateInstanceId(store.client, startsAt, () => "0simtown", { inode: "1", createdAt: 1 });
    store.close();
    const building = new Disk(join(directory, "building.db"), origin, secretKey);
    const onError = (what: string): void => void failures.push(what);
    building.begin({ scheduler, random, onCommit: () => undefined, onError });
    const life = new Life({
      disk: building,
      config,
      scheduler,
      random,
      secretKey,
      networkOf: () => ({
        name: "simulator",
        parse: () => [],
        isReachable: async () => true,
        probe: async () => true,
        send: async () => ({ kind: "unknown", reason: "there is no network yet" }),
      }),
      posterOf: () => ({ post: () => new Promise(() => undefined), close: () => undefined }),
      onError,
    });
    scheduler.run(1_000);
    const box = createSecretBox(secretKey, random);
    life.store
      .write((tx) => {
        const settings = { name: "Corner Shop", country: "IN", timezone: "Asia/Kolkata", dailyCap: null };
        const { id } = createWorkspace(tx, { ...settings }, true);
        const { key } = createKey(tx, id, "simulation", { limits: EVERY_SCOPE });
        const route = { network: "simulator" } as const;
        const added = addNumber(tx, id, { phone: "+911244001100", name: "Shop", throughput: 1_000, route });
        // As the numbers of a business portfolio have a limit of people.
        tx.db.insert(portfolios).values({ name: "portfolio:1", updatedAt: tx.now }).run();
        tx.db.update(numbers).set({ portfolioId: 1 }).run();
        const number = { ...added, portfolioId: 1 };
        recordMarketingStatus(tx, id, number.accountId, MARKETING_ONBOARDED);
        for (const name of templates) {
          const category = name === "summer_sale" ? "MARKETING" : "UTILITY";
          const components = [{ type: "BODY", text: "{{1}} for {{2}} is on its way." }];
          addTemplate(tx, id, readNewTemplate({ name, language: "en_US", category, components }), "APPROVED");
        }
        setWebhook(tx, box, id, "http://127.0.0.1:9/events");
        const list = createGroup(tx, id, { name: "Regulars", checkedFilter: null }).id;
        const filter = { field: "birthday", within_days: 0 };
        const birthdays = createGroup(tx, id, { name: "Today", checkedFilter: filter }).id;
        town = { apiKey: key, workspaceId: id, number, groups: { list, birthdays } };
      })
      .catch((error: unknown) => failures.push(String(error)));
    scheduler.run(100);
    const key = (town as unknown as Town | null)?.apiKey ?? "";
    PHONES.slice(0, MEMBERS).forEach((phone, index) => {
      const body = {
        name: `Person ${index}`,
        ...(index === MEMBERS - 1 ? {} : { consent: "opted_in" }),
        ...(index < CELEBRANTS ? { birthday: "--11-21" } : {}),
        ...(index === 0 ? { people: [{ name: "Twin Zero", birthday: "--11-21" }] } : {}),
        add_to_groups: ["Regulars"],
      };
      life.request("PUT", `/api/v1/contacts/${encodeURIComponent(phone)}`, { key, body }, (answer) => {
        if (answer?.status !== 201) failures.push(`a contact was not made: ${answer?.text}`);
      });
      scheduler.run(100);
    });
    life.remove();
    building.close();
  });
  if (failures.length > 0 || town === null) throw new Error(`the town could not be built: ${failures.join("; ")}`);
  const made: Omit<Town, "disk" | "directory" | "config" | "secretKey" | "startsAt" | typeof Symbol.dispose> = town;
  const disk = new Disk(join(directory, "waxwing.db"), join(directory, "building.db"), secretKey);
  return {
    ...made,
    disk,
    directory,
    config,
    secretKey,
    startsAt,
    [Symbol.dispose]: () => {
      disk.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
