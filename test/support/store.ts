/** A store with a workspace, a number and a template in it, for tests of the domain without a server. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "#src/core/clock.ts";
import { readOrCreateInstanceId as readInstanceId } from "#src/db/instance.ts";
import { openStore, type Store } from "#src/db/store.ts";
import { credit, setPrice } from "#src/domain/billing/account.ts";
import { addNumber } from "#src/domain/numbers/add.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { addTemplate, readNewTemplate } from "#src/domain/templates/add.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { createWorkspace } from "#src/domain/workspaces/update.ts";
import { placeMigrated } from "./database.ts";
import { orderShipped, summerSale } from "./templates.ts";

export const RATE = 8_500;
export const INSTANCE = "testtest";
export const BY_A_KEY = { senderName: "Shop", automated: false, byAi: false } as const;

export interface TestStore extends Disposable {
  store: Store;
  clock: WallClock;
  shop: Workspace;
  number: SendingNumber;
}

/** Stands still until a test moves it. No code in the domain waits. */
export class WallClock implements Clock {
  #now = Date.parse("2026-11-21T08:00:00Z");

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  setTimer(): { cancel: () => void } {
    return { cancel: () => undefined };
  }

  advance(ms: number): void {
    this.#now += ms;
  }
}

/** `credited`: the workspace's credits in millionths; it is charged `RATE` per message. */
export async function openTestStore(credited: number): Promise<TestStore> {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-store-"));
  const clock = new WallClock();
  const path = join(directory, "waxwing.db");
  placeMigrated(path);
  const store = openStore(path, {
    clock,
    busyTimeoutMs: 0,
    hashKey: () => new Uint8Array(32),
  });
  // The disk is not under test here.
  store.client.pragma("synchronous = OFF");
  readInstanceId(store.client, clock.now(), () => INSTANCE);
  const { shop, number } = await store.write((tx) => {
    const settings = { name: "Shop", country: "IN", timezone: "Asia/Kolkata", dailyCap: null };
    const shop = createWorkspace(tx, { ...settings }, true);
    setPrice(tx, shop.id, "USD", RATE);
    credit(tx, shop.id, { amount: credited, note: null, ref: null });
    for (const template of [orderShipped, summerSale]) addTemplate(tx, shop.id, readNewTemplate(template), "APPROVED");
    const route = { network: "simulator" } as const;
    return { shop, number: addNumber(tx, shop.id, { phone: "+911244001100", name: "Shop", throughput: 80, route }) };
  });
  return {
    store,
    clock,
    shop,
    number,
    [Symbol.dispose]() {
      store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
