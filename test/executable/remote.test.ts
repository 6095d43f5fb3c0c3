/**
 * The machine is gone: the executable sends its backup off-site, the data directory is deleted with its configuration,
 * and the executable restores the archive into an empty one. The network, which saw everything, got nothing twice.
 */
import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeExecutable } from "#test/support/executable.ts";
import { LABELLED } from "#test/support/installation.ts";
import { makeLiveInstallation, until } from "#test/support/live-broadcast.ts";
import { FakeObjectStore } from "#test/support/object-store.ts";

const LIMIT_MS = 180_000;
const PATIENCE_MS = 60_000;

test(
  "a bare machine restores an off-site archive with the executable alone; broadcasts wait, and no person gets a message twice",
  async () => {
    const shelf = mkdtempSync(join(tmpdir(), "waxwing-remote-"));
    const executable = join(shelf, "waxwing");
    await placeExecutable(executable);
    await using store = new FakeObjectStore();
    await using site = await makeLiveInstallation({ people: 180, lists: 3, throughput: 8, command: [executable] });
    const { directory, data } = site;
    const configFile = join(directory, "waxwing.toml");
    const [running, scheduled, singles] = site.lists.map(({ people }) => people);
    const command = async (...words: string[]): Promise<Record<string, unknown>> => {
      const { code, output } = await site.command(...words).ended;
      if (code !== 0) throw new Error(`${words.join(" ")}: exit ${code}: ${output}`);
      return JSON.parse(output) as Record<string, unknown>;
    };
    const key = join(shelf, "recovery-key");
    const { recipient } = await command("backup", "recovery-key", "--file", key);
    const secret = join(shelf, "secret");
    writeFileSync(secret, store.secret);
    writeFileSync(configFile, `${readFileSync(configFile, "utf8")}\n${store.configuration(secret, String(recipient))}`);

    // The server's own worker sends what is not yet in the store.
    await store.stop();
    const refused = await site.command("backup", "send").ended;
    expect(refused).toEqual({ code: 1, output: expect.stringContaining("cannot be reached") });
    store.start();
    const first = site.start();
    await first.started();
    await until(
      "the first archive",
      async () => store.objects.size,
      (count) => count === 1,
      PATIENCE_MS,
    );

    const single = (index: number) => ({
      to: singles?.[index] ?? "",
      template: LABELLED,
      variables: [`single ${index}`],
    });
    const order = (label: string, to: readonly string[] | undefined, at: string | null) => ({
      ...{ name: label, template: LABELLED, variables: [label], to },
      ...(at === null ? {} : { send_at: at }),
    });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const ids: number[] = [];
    for (const body of [order("running", running, null), order("scheduled", scheduled, later)]) {
      const answer = await first.call("POST", "/broadcasts", body);
      expect(answer?.status).toBe(202);
      ids.push(answer?.body.data.id);
    }
    for (const index of [0, 1, 2])
      expect((await first.call("POST", "/messages", single(index), `key-${index}`))?.status).toBe(201);
    await until(
      "some are sent",
      async () => (await site.requests()).length,
      (count) => count >= 8,
      PATIENCE_MS,
    );
    const { archive } = await command("backup", "send");
    const atBackup = (await site.requests()).length;
    expect((await first.call("POST", "/messages", single(3)))?.status).toBe(201);
    await until(
      "more are sent",
      async () => (await site.requests()).length,
      (count) => count >= atBackup + 3,
      PATIENCE_MS,
    );
    await first.kill();
    const before = (await site.requests()).length;

    // The machine is gone; another one has the executable, the sheet and two secrets.
    rmSync(data, { recursive: true });
    rmSync(configFile);
    const named = ["--endpoint", store.endpoint, "--access-key", store.accessKey, "--secret-key-file", secret];
    const restored = await command("restore", String(archive), "--recovery-key-file", key, ...named, "--accept-gap");
    expect(restored).toMatchObject({ archive, digest: true, key_file: expect.stringContaining("waxwing.key") });
    renameSync(String(restored.configuration), configFile);
    expect(readdirSync(data).filter((name) => name.includes("unfinished"))).toEqual([]);

    const second = site.start();
    await second.started();
    const status = async (id: number): Promise<string> =>
      (await second.call("GET", `/broadcasts/${id}`))?.body.data.status;
    expect(await Promise.all(ids.map(status))).toEqual(["paused", "paused"]);
    // Callers who repeat what they had sent before the backup get the kept answer.
    for (const index of [0, 1, 2])
      expect((await second.call("POST", "/messages", single(index), `key-${index}`))?.status).toBe(201);
    for (const id of ids) await command("broadcast", "resume", String(id), "--fail-unknown");
    await until(
      "the broadcast ends",
      () => status(ids[0] ?? 0),
      (shown) => shown === "completed",
      PATIENCE_MS,
    );
    expect(await status(ids[1] ?? 0)).toBe("scheduled");
    const seen = (await site.requests()).map(({ to, label }) => `${label} to ${to}`);
    expect(seen.filter((one, at) => seen.indexOf(one) !== at)).toEqual([]);
    expect(seen.filter((one) => one.startsWith("scheduled"))).toEqual([]);
    expect(seen.length).toBe(before);
    expect((await command("check")).ok).toBe(true);
    await second.stop();
    expect(existsSync(join(data, "waxwing.key"))).toBe(true);
    rmSync(shelf, { recursive: true });
  },
  LIMIT_MS,
);
