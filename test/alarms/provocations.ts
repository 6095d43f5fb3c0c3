/**
 * What causes each kind of critical condition on a running executable, and what ends it: the real causes, never a row in
 * the database. A kind without an entry here does not compile.
 */
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { conditionKinds } from "#src/health/kinds.ts";
import { writeCallback } from "#test/support/graph.ts";
import { failure } from "#test/support/object-store.ts";
import { fill, resize } from "./machine.ts";
import { ACCOUNT_ID, type World } from "./world.ts";

type Kinds = typeof conditionKinds;

/** The kinds that may be critical. */
export type CriticalKind = {
  [Name in keyof Kinds]: Kinds[Name] extends { severity: "warning" } ? never : Name;
}[keyof Kinds];

export const criticalKinds = Object.entries(conditionKinds).flatMap(([kind, { severity }]) =>
  severity === "warning" ? [] : [kind],
);

export type InstanceName = "shop" | "disk" | "tls" | "domain" | "remote";

interface Provocation {
  instance: InstanceName;
  /** Provoked alone, after the others are over: it hides them, or they hide it. */
  isLater?: boolean;
  begin: (world: World) => Promise<void>;
  /** Keeps the cause alive over the night. */
  again?: (world: World) => Promise<void>;
  end: (world: World) => Promise<void>;
}

const WRONG_SECRET = "not the app's secret";
const PEOPLE = 25;
const MORE_EVENTS = 80;
const SENT_OF_TEN = 9;

function graphCallback(world: World, value: object, appSecret?: string): Promise<number> {
  return world.graph.callback(writeCallback({ field: "account_update", value }, { accountId: ACCOUNT_ID }), {
    url: `${world.shop.url()}/networks/whatsapp`,
    ...(appSecret === undefined ? {} : { appSecret }),
  });
}

/** What lasts long enough becomes old: the nights of `run.ts` cause it, and what ends the failures ends it. */
const byOthers = async (): Promise<void> => undefined;

async function breakBackups({ shop }: World): Promise<void> {
  resize(shop.backups, "1m");
}

async function mendBackups({ shop }: World): Promise<void> {
  resize(shop.backups, "64m");
}

async function refuseCallback(world: World): Promise<void> {
  const status = await graphCallback(world, { event: "VERIFIED_ACCOUNT" }, WRONG_SECRET);
  if (status === 200) throw new Error("a callback with a wrong signature was accepted");
}

/** Only from then on is it critical: a store may be away for an hour. */
const FAILURES = 4;

async function failToSend({ remote }: World): Promise<void> {
  for (let count = 0; count < FAILURES; count += 1) {
    const isSent = await remote.command("backup", "send").then(
      () => true,
      () => false,
    );
    if (isSent) throw new Error("a store that refuses took a backup");
  }
}

export const provocations: Readonly<Record<CriticalKind, Provocation>> = {
  broadcast_paused: {
    instance: "shop",
    async begin({ shop, graph, key }) {
      graph.fault({ fault: { kind: "error", code: 131031 }, times: PEOPLE });
      const to = Array.from({ length: PEOPLE }, (_, index) => `+4915112345${String(index).padStart(3, "0")}`);
      for (const phone of to) await shop.call("PUT", `/contacts/${phone}`, key, { consent: "opted_in" });
      const { status, body } = await shop.call("POST", "/broadcasts", key, { name: "News", template: "plain", to });
      if (status !== 202) throw new Error(JSON.stringify(body));
    },
    async end({ shop }) {
      await shop.command("broadcast", "cancel", "1");
    },
  },
  balance_low: {
    instance: "shop",
    async begin({ shop, chargedKey }) {
      for (let count = 0; count < SENT_OF_TEN; count += 1) {
        const { status, body } = await shop.call("POST", "/messages", chargedKey, {
          ...{ to: `+9198765432${10 + count}`, template: "plain" },
        });
        if (status !== 201) throw new Error(JSON.stringify(body));
      }
    },
    async end({ shop }) {
      await shop.command("workspace", "credit", "2", "100");
    },
  },
  number_not_ready: {
    instance: "shop",
    async begin({ shop }) {
      await shop.command("number", "unready", "2", "--reason", "stocktaking");
    },
    async end({ shop }) {
      await shop.command("number", "ready", "2");
    },
  },
  queue_stuck: {
    instance: "shop",
    async begin({ shop, customer, chargedKey }) {
      customer.isStuck = true;
      for (let count = 0; count < MORE_EVENTS; count += 1)
        await shop.call("PUT", `/contacts/+9198765${String(count).padStart(5, "0")}`, chargedKey, {
          name: `Asha ${count}`,
        });
    },
    async end({ customer }) {
      customer.isStuck = false;
    },
  },
  callbacks_refused: {
    instance: "shop",
    begin: refuseCallback,
    again: refuseCallback,
    async end(world) {
      const status = await graphCallback(world, { event: "VERIFIED_ACCOUNT" });
      if (status !== 200) throw new Error(`a callback was answered ${status}`);
    },
  },
  number_restricted: {
    instance: "shop",
    isLater: true,
    async begin(world) {
      // While Meta says that a number may send, a report of a restriction is not believed for long.
      for (const number of world.account.numbers) delete number.health_status;
      const restriction = { restriction_type: "RESTRICTED_BIZ_INITIATED_MESSAGING" };
      await graphCallback(world, { event: "ACCOUNT_RESTRICTION", restriction_info: [restriction] });
    },
    async end(world) {
      await graphCallback(world, { event: "ACCOUNT_RECONNECTED" });
    },
  },
  backup_failed: { instance: "shop", begin: breakBackups, end: mendBackups },
  backup_old: { instance: "shop", begin: byOthers, end: mendBackups },
  remote_backup_failed: {
    instance: "remote",
    async begin(world) {
      world.objects.intercept = (method) => (method === "GET" ? null : failure(403, "AccessDenied"));
      await failToSend(world);
    },
    async end({ remote, objects }) {
      objects.intercept = () => null;
      await remote.command("backup", "send");
    },
  },
  remote_backup_old: { instance: "remote", begin: byOthers, end: byOthers },
  disk_full: {
    instance: "disk",
    async begin({ disk }) {
      fill(join(disk.data, "filler"), 1_000);
    },
    async end({ disk }) {
      rmSync(join(disk.data, "filler"));
    },
  },
  database_not_writable: {
    instance: "disk",
    async begin({ disk }) {
      fill(join(disk.data, "everything"), "all");
    },
    async end({ disk }) {
      for (const name of ["everything", "everything.rest"]) rmSync(join(disk.data, name), { force: true });
    },
  },
  database_file: {
    instance: "disk",
    isLater: true,
    async begin({ disk }) {
      renameSync(join(disk.data, "waxwing.db"), join(disk.data, "waxwing.db.away"));
    },
    async end({ disk }) {
      renameSync(join(disk.data, "waxwing.db.away"), join(disk.data, "waxwing.db"));
    },
  },
  database_unreadable: {
    instance: "tls",
    async begin({ tls }) {
      writeFileSync(tls.readTrouble, "");
    },
    async end({ tls }) {
      rmSync(tls.readTrouble);
    },
  },
  certificate_ends: {
    instance: "tls",
    isLater: true,
    async begin(world) {
      world.writeCertificate(world.tls, 6);
    },
    async end(world) {
      world.writeCertificate(world.tls, 400);
    },
  },
  certificate_unreadable: {
    instance: "domain",
    isLater: true,
    // A renewal that wrote the certificate and not its key.
    async begin(world) {
      world.writeCertificate(world.domain, 400);
      world.writeCertificate(world.domain, 400, { withKey: false });
    },
    async end(world) {
      world.writeCertificate(world.domain, 400);
    },
  },
  certificate_missing: {
    instance: "domain",
    // The authority has not answered since the start (`world.ts`).
    async begin({ domain }) {
      await domain.start();
    },
    async end(world) {
      await world.useOwnCertificate();
    },
  },
  connection: {
    instance: "domain",
    // The network has not been reached since the number was added.
    async begin({ domain }) {
      await domain.command(
        ...["number", "add", "--workspace", "1", "--phone", "+49301234567", "--name", "Shop", "--network", "whatsapp"],
        ...["--phone-number-id", "200000000000001", "--account-id", ACCOUNT_ID, "--token-file", "token"],
      );
    },
    async end(world) {
      world.way.isOpen = true;
      await world.domain.command("number", "sync", "1");
    },
  },
};
