/** A running server and its store: each backup is sent, failures are repeated and are conditions, a restart continues. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { newRecoveryKey } from "#src/backup/remote/encryption.ts";
import { readRemoteState } from "#src/backup/remote/state.ts";
import { TestClock } from "#test/support/clock.ts";
import { FakeObjectStore } from "#test/support/object-store.ts";
import { METRICS_TOKEN, startTestServer, type TestServer } from "#test/support/server.ts";
import { CallingWorkshop } from "../cli/spawn.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

test("each scheduled backup is sent; while the store is away it is tried again, first a warning, then critical; a restart sends what is missing", async () => {
  using workshop = new CallingWorkshop();
  await using store = new FakeObjectStore();
  const { recipient } = await newRecoveryKey();
  const secretKeyFile = workshop.write("secret", store.secret);
  workshop.write("waxwing.toml", store.configuration(secretKeyFile, recipient, "keep = 3"));
  const directory = join(workshop.data, "backups");
  const clock = new TestClock("2026-11-21T02:29:00Z");
  const remote = {
    ...{ endpoint: store.endpoint, bucket: store.bucket, prefix: "shop", region: null, accessKey: store.accessKey },
    ...{ secretKeyFile, recipient, keep: 3, media: false },
  };
  const start = (): Promise<TestServer> =>
    startTestServer({
      directory: workshop.data,
      clock,
      config: { backup: { schedule: "30 2 * * *", directory, retention: 7, remote } },
      expectedErrors: /remote\.failed/,
    });
  const conditions = async () => {
    const ran = await workshop.run(["status", "--json"], { clock });
    const all = (JSON.parse(ran.stdout) as { conditions: { id: string; severity: string }[] }).conditions;
    return all.flatMap(({ id, severity }) => (id.includes("backup") ? [`${id} ${severity}`] : [])).toSorted();
  };
  const ages = async (app: TestServer): Promise<string[]> => {
    const { text } = await app.call("GET", "/metrics", { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    return text.split("\n").filter((line) => /^waxwing_(remote_)?backup_age_seconds/.test(line));
  };
  /** Moves the time in steps, and waits after each for what began: a worker's end is no timer of the test's clock. */
  const pass = async (app: TestServer, ms: number, stepMs = ms): Promise<void> => {
    for (let left = ms; left > 0; left -= stepMs) {
      await clock.advance(Math.min(left, stepMs));
      while (app.server.isActive()) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const attempts = () => readRemoteState(directory, "s3://backups/shop/").failure?.attempts ?? 0;
  {
    await using app = await start();
    await app.workspace();
    expect(await ages(app)).toEqual([]);
    await pass(app, 2 * MINUTE_MS);
    expect([...store.objects.keys()]).toEqual([expect.stringMatching(/^shop\/waxwing-20261121T023000Z-/)]);
    expect(await ages(app)).toEqual([
      expect.stringMatching(/^waxwing_backup_age/),
      expect.stringMatching(/^waxwing_remote_backup_age/),
    ]);
    expect(await conditions()).toEqual([]);
    expect(app.logged.filter((line) => line.includes("remote.completed"))).toHaveLength(1);

    await store.stop();
    await pass(app, DAY_MS - MINUTE_MS);
    expect([attempts(), await conditions()]).toEqual([1, ["remote_backup_failed warning"]]);
    for (const minutes of [1, 5, 15]) await pass(app, minutes * MINUTE_MS + 1_000);
    expect([attempts(), await conditions()]).toEqual([4, ["remote_backup_failed critical"]]);
    store.start();
    await pass(app, 61 * MINUTE_MS);
    expect([attempts(), await conditions(), store.objects.size]).toEqual([0, [], 2]);

    // An upload that hangs does not hold up the stop.
    const reached = Promise.withResolvers<void>();
    store.intercept = (method) => {
      if (method !== "PUT") return null;
      reached.resolve();
      return new Promise<Response>(() => undefined);
    };
    clock.advance(DAY_MS).catch(() => undefined);
    await reached.promise;
    await app.stop();
  }
  expect(readRemoteState(directory, "s3://backups/shop/").begun).toHaveLength(1);
  store.intercept = () => null;
  {
    await using app = await start();
    await pass(app, 1_000);
    expect([store.objects.size, readRemoteState(directory, "s3://backups/shop/").begun]).toEqual([3, []]);
    await pass(app, 3 * DAY_MS, DAY_MS);
  }
  const kept = [...store.objects.keys()].map((key) => key.slice(13, 21));
  expect(kept).toEqual(["20261124", "20261125", "20261126"]);
}, 600_000);
