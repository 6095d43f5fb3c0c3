/**
 * Backups that are kept off-site: sent encrypted, read back, kept by count, and restored. The store is a fake one that
 * checks signatures, and loses, changes or refuses what it is told to.
 */
import { afterAll, expect, test } from "bun:test";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeArchive } from "#src/backup/archive/archive.ts";
import { encrypt, newRecoveryKey } from "#src/backup/remote/encryption.ts";
import { archiveName } from "#src/backup/remote/names.ts";
import { ObjectStore } from "#src/backup/remote/object-store.ts";
import { sendBackup } from "#src/backup/remote/send.ts";
import { readRemoteState } from "#src/backup/remote/state.ts";
import { systemClock } from "#src/core/clock.ts";
import { openClient } from "#src/db/driver.ts";
import { busyShop } from "#test/support/busy-shop.ts";
import { FakeObjectStore, failure } from "#test/support/object-store.ts";
import { startTestServer } from "#test/support/server.ts";
import { CallingWorkshop } from "../cli/spawn.ts";

const PLACE = "s3://backups/shop/";

interface Site extends AsyncDisposable {
  workshop: CallingWorkshop;
  store: FakeObjectStore;
  recipient: string;
  /** The directory of backups. */
  backups: string;
}

/** The data directory that every test begins with. */
let shop: Promise<string> | null = null;

async function makeShop(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-remote-"));
  await using app = await startTestServer({ directory });
  await busyShop(app);
  return directory;
}

afterAll(async () => {
  if (shop !== null) rmSync(await shop, { recursive: true });
});

/** An installation with a busy shop, whose configuration names the store. */
async function openSite(more = ""): Promise<Site> {
  const workshop = new CallingWorkshop();
  const store = new FakeObjectStore();
  const { recoveryKey, recipient } = await newRecoveryKey();
  workshop.write("secret", `${store.secret}\n`);
  workshop.write("recovery-key", `# a comment\n${recoveryKey}\n`);
  workshop.write("waxwing.toml", store.configuration(workshop.path("secret"), recipient, more));
  shop ??= makeShop();
  cpSync(await shop, workshop.path("data"), { recursive: true });
  return {
    ...{ workshop, store, recipient, backups: workshop.path("data/backups") },
    async [Symbol.asyncDispose]() {
      await store.stop();
      workshop[Symbol.dispose]();
    },
  };
}

/** All files of a directory with their bytes, except locks and what SQLite keeps beside a database. */
function contents(directory: string): Record<string, string> {
  if (!existsSync(directory)) return {};
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const kept = files.filter(({ name }) => !/-lock$|remote\.lock|-(wal|shm)$/.test(name));
  return Object.fromEntries(
    kept.map((one) => [
      join(one.parentPath, one.name),
      Bun.hash(readFileSync(join(one.parentPath, one.name))).toString(),
    ]),
  );
}

test("a backup is sent encrypted, read back and listed; a bare machine restores it with its key and configuration", async () => {
  await using site = await openSite();
  const { workshop, store, backups } = site;
  const key = readFileSync(workshop.path("data/waxwing.key"), "utf8");
  const sent = await workshop.json<{ archive: string; sha256: string; taken_at: string }>(["backup", "send"]);
  expect(sent.archive).toMatch(/^s3:\/\/backups\/shop\/waxwing-\d{8}T\d{6}Z-[0-9a-f]{8}\.tar\.age$/);
  const stored = [...store.objects.values()][0] ?? Buffer.alloc(0);
  expect(new Bun.CryptoHasher("sha256").update(stored).digest("hex")).toBe(sent.sha256);
  expect(stored.includes("SQLite format 3") || stored.includes(key.trim())).toBe(false);
  expect(readRemoteState(backups, PLACE)).toMatchObject({
    begun: [],
    failure: null,
    archives: [{ sha256: sent.sha256 }],
  });
  const listed = await workshop.json<unknown[]>(["backup", "list", "--remote"]);
  expect(listed).toMatchObject([{ archive: sent.archive, proved: true, bytes: stored.length }]);
  expect(await workshop.json<unknown[]>(["backup", "list"])).toMatchObject([{ verified: true }]);

  // The sheet has all of it, and prints the recovery key only if it is the right one.
  const sheet = ["backup", "recovery-sheet"];
  const page = (await workshop.run(sheet)).stdout;
  for (const words of [store.endpoint, store.accessKey, site.recipient, sent.archive, workshop.path("secret")])
    expect(page).toContain(words);
  for (const secret of ["AGE-SECRET-KEY-1", store.secret, key.trim()])
    expect([secret, page.replace("AGE-SECRET-KEY-1 _", "").includes(secret)]).toEqual([secret, false]);
  expect(page.split("\n").length).toBeLessThan(60);
  workshop.write("other-key", (await newRecoveryKey()).recoveryKey);
  expect(await workshop.refusal([...sheet, "--recovery-key-file", workshop.path("other-key")])).toMatchObject({
    code: "recovery_key_wrong",
  });
  const printed = await workshop.run([...sheet, "--recovery-key-file", workshop.path("recovery-key")]);
  expect(printed.stdout).toMatch(/The recovery key AGE-SECRET-KEY-1[A-Z0-9]{58}\n/);

  // Another machine: nothing but the executable, the sheet and the recovery key.
  rmSync(workshop.path("data"), { recursive: true });
  const configuration = readFileSync(workshop.path("waxwing.toml"), "utf8");
  workshop.write("waxwing.toml", "");
  const restore = ["restore", sent.archive, "--recovery-key-file", workshop.path("recovery-key")];
  expect(await workshop.refusal(restore)).toMatchObject({ code: "no_remote" });
  const named = [
    "--endpoint",
    store.endpoint,
    "--access-key",
    store.accessKey,
    "--secret-key-file",
    workshop.path("secret"),
  ];
  const seen = await workshop.json<{ archive: string }[]>([
    "backup",
    "list",
    "--remote",
    "--bucket",
    "backups",
    "--prefix",
    "shop/",
    ...named,
  ]);
  expect(seen.map(({ archive }) => archive)).toEqual([sent.archive]);
  expect(await workshop.refusal([...restore, ...named])).toMatchObject({ code: "gap" });
  expect(contents(workshop.path("data"))).toEqual({});
  const restored = await workshop.json<{ configuration: string }>([...restore, ...named, "--accept-gap"]);
  expect(restored).toMatchObject({
    ...{ archive: sent.archive, digest: true, backup_taken_at: sent.taken_at, other_key_file: null, media: 0 },
    key_file: workshop.path("data/waxwing.key"),
  });
  expect(readFileSync(workshop.path("data/waxwing.key"), "utf8")).toBe(key);
  expect(readFileSync(restored.configuration, "utf8")).toBe(configuration);
  expect((await workshop.run(["check"])).code).toBe(0);
  expect(readdirSync(workshop.path("data")).filter((name) => name.includes("unfinished"))).toEqual([]);

  // Again, over the database that is there: newer rows are merged, and the key in place stays.
  expect(await workshop.json([...restore, ...named])).toMatchObject({
    gap: null,
    key_file: null,
    other_key_file: null,
  });
  expect(await workshop.json([...restore, ...named, "--rehearse"])).toMatchObject({ rehearsed: true });
  workshop.write("data/waxwing.key", `${"ab".repeat(32)}\n`);
  const other = await workshop.json<{ other_key_file: string }>([...restore, ...named]);
  expect(readFileSync(other.other_key_file, "utf8")).toBe(key);
}, 600_000);

test("where an installation has made a database and a key of its own, the archive's key takes its place", async () => {
  await using site = await openSite();
  const { workshop, store } = site;
  const key = readFileSync(workshop.path("data/waxwing.key"), "utf8");
  const sent = await workshop.json<{ archive: string }>(["backup", "send"]);
  const command = [
    ...["restore", sent.archive, "--recovery-key-file", workshop.path("recovery-key"), "--endpoint", store.endpoint],
    ...["--access-key", store.accessKey, "--secret-key-file", workshop.path("secret")],
  ];

  // Another machine, on which install.sh has started the service once.
  rmSync(workshop.path("data"), { recursive: true });
  await using own = await startTestServer({ directory: workshop.path("data") });
  await own.stop();
  const ownKey = readFileSync(workshop.path("data/waxwing.key"), "utf8");
  expect(ownKey).not.toBe(key);

  expect(await workshop.refusal(command)).toMatchObject({ code: "gap" });
  expect(readFileSync(workshop.path("data/waxwing.key"), "utf8")).toBe(ownKey);
  expect(readdirSync(workshop.path("data")).filter((name) => name.startsWith("waxwing.key."))).toEqual([]);
  const restored = await workshop.json<{ replaced_key_file: string }>([...command, "--accept-gap"]);
  expect(restored).toMatchObject({ key_file: workshop.path("data/waxwing.key"), other_key_file: null });
  expect(readFileSync(workshop.path("data/waxwing.key"), "utf8")).toBe(key);
  expect(readFileSync(restored.replaced_key_file, "utf8")).toBe(ownKey);
  expect(statSync(workshop.path("data/waxwing.key")).mode & 0o777).toBe(0o600);
}, 600_000);

test("a store that is down, refuses, loses or changes bytes is found; nothing of the attempt is left, and the next one succeeds", async () => {
  await using site = await openSite();
  const { workshop, store, backups } = site;
  const failures: Record<string, string> = {};
  const attempt = async (name: string): Promise<void> => {
    const { code, message } = (await workshop.refusal(["backup", "send"])) as { code: string; message: string };
    failures[name] = `${code}: ${message
      .replaceAll(store.endpoint, "STORE")
      .replace(/waxwing-\S+age/, "NAME")
      .replace(/\d+ bytes of the \d+/, "N bytes of the M")}`;
    expect(readRemoteState(backups, PLACE).archives).toEqual([]);
  };
  await store.stop();
  await attempt("down");
  store.start();
  workshop.write("secret", "another secret that is wrong".replaceAll(" ", "-"));
  await attempt("wrong secret");
  rmSync(workshop.path("secret"));
  await attempt("no secret");
  workshop.write("secret", store.secret);
  store.intercept = () => failure(404, "NoSuchBucket");
  await attempt("no bucket");
  store.intercept = (method) => (method === "PUT" ? failure(507, "InsufficientStorage") : null);
  await attempt("full store");
  store.intercept = () => null;
  store.corrupt = (bytes) => Buffer.from(bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte)));
  await attempt("one bit flipped");
  store.corrupt = (bytes) => bytes.subarray(0, bytes.length - 1);
  await attempt("cut short");
  store.corrupt = (bytes) => bytes;
  expect([store.objects.size, store.uploads.size]).toEqual([0, 0]);
  expect(failures).toEqual({
    down: "store: the store at STORE cannot be reached (ECONNREFUSED)",
    "wrong secret": "store: the store at STORE refuses the credentials (SignatureDoesNotMatch)",
    "no secret": expect.stringContaining("the secret of the access key cannot be read from"),
    "no bucket": "store: the store at STORE has no bucket backups",
    "full store": expect.stringContaining("InsufficientStorage"),
    "one bit flipped": "store: the store returned other bytes than were sent (shop/NAME)",
    "cut short": "store: the store returned N bytes of the M that were sent (shop/NAME)",
  });
  expect(readRemoteState(backups, PLACE).failure).toMatchObject({ attempts: 7 });
  const conditions = async () => {
    const ran = await workshop.run(["status", "--json"]);
    return (JSON.parse(ran.stdout) as { conditions: { id: string; severity: string; says: string }[] }).conditions;
  };
  expect((await conditions()).find(({ id }) => id === "remote_backup_failed")).toMatchObject({
    severity: "critical",
    says: expect.stringMatching(/^The newest backup could not be sent to s3:\/\/backups\/shop\/: the store returned/),
  });

  // What cannot be noted is not begun.
  mkdirSync(join(backups, "remote.json.unfinished"));
  const before = store.requests.length;
  expect((await workshop.run(["backup", "send", "--json"])).code).toBe(1);
  expect(store.requests.slice(before).filter((line) => /^(PUT|POST)/.test(line))).toEqual([]);
  rmSync(join(backups, "remote.json.unfinished"), { recursive: true });

  // Credentials that may only write: the backup counts, and what could not be looked at is said.
  // As s3rver: nothing is wrong, and older archives are deleted.
  store.intercept = (_, __, url) => (url.searchParams.has("uploads") ? failure(501, "NotImplemented") : null);
  expect(await workshop.json(["backup", "send"])).toMatchObject({ not_removed: null });
  store.intercept = (method, key) => (method === "DELETE" || key === "" ? failure(403, "AccessDenied") : null);
  expect(await workshop.json(["backup", "send"])).toMatchObject({
    not_removed: expect.stringContaining("AccessDenied"),
  });
  store.intercept = () => null;
  expect((await conditions()).map(({ id }) => id)).not.toContain("remote_backup_failed");
}, 600_000);

test("an archive is refused with another key, changed, cut or foreign, by a wrong name, and where there is no room; nothing changes", async () => {
  await using site = await openSite();
  const { workshop, store, recipient } = site;
  const { archive } = await workshop.json<{ archive: string }>(["backup", "send"]);
  const before = contents(workshop.path("data"));
  const key = archive.slice("s3://backups/".length);
  const good = store.objects.get(key) ?? Buffer.alloc(0);
  const restore = (address: string, recoveryKey = "recovery-key") =>
    workshop.run(["restore", address, "--recovery-key-file", workshop.path(recoveryKey), "--accept-gap", "--json"]);
  const codes: Record<string, unknown> = {};
  const refuse = async (name: string, ran: ReturnType<typeof restore>) => {
    const { code, stdout } = await ran;
    const { error } = JSON.parse(stdout) as { error: { code: string } };
    codes[name] = [code, error.code];
    expect({ name, files: contents(workshop.path("data")) }).toEqual({ name, files: before });
  };
  workshop.write("other-key", (await newRecoveryKey()).recoveryKey);
  workshop.write("no-key", "hello");
  workshop.write(
    "mistyped-key",
    readFileSync(workshop.path("recovery-key"), "utf8").replace(
      /(AGE-SECRET-KEY-1)(.)/,
      (_, start, letter) => start + (letter === "Q" ? "P" : "Q"),
    ),
  );
  await refuse("another key", restore(archive, "other-key"));
  await refuse("no key", restore(archive, "no-key"));
  await refuse("mistyped key", restore(archive, "mistyped-key"));
  await refuse("no recovery key", workshop.run(["restore", archive, "--json"]));
  await refuse("no such name", restore(`${archive}x`));
  for (const name of [
    "s3://backups/",
    "s3://backups",
    "s3:///name",
    "s3://backups/a/../../etc/passwd",
    "s3://backups/./a",
    "s3://../a",
    "s3://backups//a",
    "s3://backups/a?b",
  ])
    await refuse(name, restore(name));
  const changed = (at: number): Buffer => {
    const bytes = Buffer.from(good);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    return bytes;
  };
  const store_ = async (bytes: Buffer) => {
    store.objects.set(key, bytes);
    return restore(archive);
  };
  for (const [at, where] of [
    [3, "version"],
    [60, "recipient"],
    [190, "seal"],
    [good.length >> 1, "middle"],
    [good.length - 1, "end"],
  ] as const)
    await refuse(`a bit in its ${where}`, store_(changed(at)));
  await refuse("cut in a chunk", store_(good.subarray(0, good.length - 700)));
  const chunk = 65_552;
  const header = good.length % chunk;
  await refuse(
    "cut between chunks",
    store_(good.subarray(0, good.length - (good.length - header) / 2 - (((good.length - header) / 2) % chunk))),
  );
  await refuse("empty", store_(Buffer.alloc(0)));
  const packed = async (name: string): Promise<Buffer> => {
    const content = Buffer.from("evil");
    const pieces: Uint8Array[] = [];
    for await (const piece of await encrypt(recipient, writeArchive([{ name, bytes: content.length, content }], true)))
      pieces.push(piece);
    return Buffer.concat(pieces);
  };
  for (const name of ["../evil", "/tmp/r-evil", "media/../../evil", "media/evil", "waxwing.key"])
    await refuse(`holds ${name}`, store_(await packed(name)));
  store.intercept = (_method, asked, url) =>
    asked === "" && url.searchParams.get("list-type") === "2"
      ? new Response(
          `<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>${key}</Key><Size>900000000000000</Size></Contents></ListBucketResult>`,
        )
      : null;
  await refuse("no room", store_(good));
  store.intercept = () => null;
  const usage = [2, "usage"];
  const broken = [1, "broken"];
  expect(codes).toEqual({
    "another key": [1, "recovery_key_wrong"],
    "no key": [1, "recovery_key_wrong"],
    "mistyped key": [1, "recovery_key_wrong"],
    "no recovery key": [1, "recovery_key_missing"],
    "no such name": [1, "not_found"],
    ...{ "s3://backups/": usage, "s3://backups": usage, "s3:///name": usage, "s3://backups/a/../../etc/passwd": usage },
    ...{ "s3://backups/./a": usage, "s3://../a": usage, "s3://backups//a": usage, "s3://backups/a?b": usage },
    ...{ "a bit in its version": broken, "a bit in its recipient": expect.anything(), "a bit in its seal": broken },
    ...{ "a bit in its middle": broken, "a bit in its end": broken, "cut in a chunk": broken },
    ...{ "cut between chunks": broken, empty: broken },
    ...{ "holds ../evil": broken, "holds /tmp/r-evil": broken, "holds media/../../evil": broken },
    ...{ "holds media/evil": broken, "holds waxwing.key": broken },
    "no room": [1, "no_room"],
  });
  expect((await store_(good)).code).toBe(0);
}, 600_000);

test("thirty arrive and twenty are kept; archives of other servers stay, and those before a restore count", async () => {
  await using site = await openSite("keep = 20");
  const { workshop, store, backups, recipient } = site;
  store.pageSize = 7;
  await workshop.json(["backup", "send"]);
  const [made = ""] = readdirSync(backups).filter((name) => name.endsWith(".db"));
  const [first = ""] = store.objects.keys();
  // A restored copy: what its predecessor sent before that time is its own, and what it sent afterwards is not.
  const at = Date.UTC(2026, 0, 20);
  const client = new (await import("better-sqlite3")).default(join(backups, made));
  client.prepare("UPDATE instance SET lineage = ?").run(JSON.stringify([{ id: "before", at }]));
  client.close();
  store.objects.clear();
  const stranger = "shop/waxwing-20200101T000000Z-0badcafe.tar.age";
  const [earlier, later] = [at - 1, at + 86_400_000].map((time) => `shop/${archiveName("x", time, "before")}`);
  const foreign = [stranger, later ?? "", "shop/notes.txt", "shop/waxwing-20200101T000000Z.tar.age", "else/x"];
  for (const key of [...foreign, earlier ?? ""]) store.objects.set(key, Buffer.from("x"));
  const digest = new Bun.CryptoHasher("sha256").update(readFileSync(join(backups, made))).digest("hex");
  rmSync(join(backups, `${made}.sha256`));
  const remote = {
    endpoint: store.endpoint,
    bucket: store.bucket,
    prefix: "shop",
    region: null,
    accessKey: store.accessKey,
  };
  const settings = { ...remote, secretKeyFile: workshop.path("secret"), recipient, keep: 20, media: false };
  const files = { key: { text: "k" }, configuration: null, mediaDirectory: workshop.path("data/media") };
  let name = made;
  const kept: string[] = [];
  for (let day = 1; day <= 30; day++) {
    const next = `waxwing-202603${String(day).padStart(2, "0")}T023000Z.db`;
    renameSync(join(backups, name), join(backups, next));
    writeFileSync(join(backups, `${next}.sha256`), digest);
    name = next;
    const sent = await sendBackup(
      { directory: backups, name, settings, files },
      { clock: systemClock, onStep: () => undefined },
    );
    kept.push(sent.key);
  }
  expect([...store.objects.keys()].toSorted()).toEqual([...foreign, ...kept.slice(-20)].toSorted());
  expect(readRemoteState(backups, PLACE).archives.map(({ key }) => key)).toEqual(kept.slice(-20));
  // The clock was set back: what was just sent stays, whatever its name.
  renameSync(join(backups, name), join(backups, "waxwing-20250101T000000Z.db"));
  copyFileSync(join(backups, `${name}.sha256`), join(backups, "waxwing-20250101T000000Z.db.sha256"));
  const back = await sendBackup(
    { directory: backups, name: "waxwing-20250101T000000Z.db", settings, files },
    { clock: systemClock, onStep: () => undefined },
  );
  expect([store.objects.has(back.key), store.objects.size - foreign.length, first]).toEqual([true, 20, first]);
}, 600_000);

test("an upload that is killed in the middle, or before it is recorded, leaves nothing in the store after the next one", async () => {
  await using site = await openSite("media = true");
  const { workshop, store, backups } = site;
  mkdirSync(workshop.path("data/media"), { recursive: true });
  const medium = `1-${"a".repeat(64)}`;
  workshop.write(`data/media/${medium}`, "m".repeat(20_000_000));
  workshop.write("data/media/58.part", "unfinished");
  // It is in the archive, but no row of the restored database names it, as after an erasure.
  workshop.write(`data/media/1-${"b".repeat(64)}`, "erased since");
  const client = openClient(workshop.path("data/waxwing.db"), {});
  client.exec(`INSERT INTO media_files (workspace_id, hash, bytes, content_type, refs, created_at)
    VALUES (1, '${"a".repeat(64)}', 20000000, 'image/jpeg', 0, 0)`);
  client.close();
  // The second part, then the answer to the completion, then the first byte that is read back.
  const points: Record<string, (method: string, url: URL) => boolean> = {
    "second part": (method, url) => method === "PUT" && url.searchParams.get("partNumber") === "2",
    completion: (method, url) => method === "POST" && url.searchParams.has("uploadId"),
    "read back": (method, url) => method === "GET" && url.pathname.endsWith(".age"),
  };
  const left: number[] = [];
  for (const isPoint of Object.values(points)) {
    const reached = Promise.withResolvers<void>();
    store.intercept = (method, _key, url) => {
      if (!isPoint(method, url)) return null;
      reached.resolve();
      return new Promise<Response>(() => undefined);
    };
    const child = workshop.background(["backup", "send", "--data", workshop.path("data")]);
    await reached.promise;
    expect(readRemoteState(backups, PLACE).begun).toHaveLength(1);
    child.kill("SIGKILL");
    await child.exited;
    left.push(store.uploads.size);
  }
  store.intercept = () => null;
  expect(left).toEqual([1, 1, 0]);
  const sent = await workshop.json<{ archive: string }>(["backup", "send"]);
  expect([[...store.objects.keys()].map((key) => `s3://backups/${key}`), store.uploads.size]).toEqual([
    [sent.archive],
    0,
  ]);
  expect(readRemoteState(backups, PLACE)).toMatchObject({ begun: [], failure: null });

  // The media come back too; what is there stays.
  rmSync(workshop.path("data/media"), { recursive: true });
  const restore = ["restore", sent.archive, "--recovery-key-file", workshop.path("recovery-key")];
  expect(await workshop.json(restore)).toMatchObject({ media: 1 });
  expect(readdirSync(workshop.path("data/media"))).toEqual([medium]);
  expect(readFileSync(workshop.path(`data/media/${medium}`), "utf8")).toBe("m".repeat(20_000_000));
  expect(await workshop.json(restore)).toMatchObject({ media: 0 });
}, 600_000);

test("a store that falls silent is an error after the limit", async () => {
  await using store = new FakeObjectStore();
  const { endpoint, bucket, accessKey, secret } = store;
  const fires: (() => void)[] = [];
  const clock = {
    ...systemClock,
    setTimer: (_delayMs: number, fire: () => void) => {
      fires.push(fire);
      return { cancel() {} };
    },
  };
  const asked = Promise.withResolvers<void>();
  store.intercept = () => {
    asked.resolve();
    return new Promise<Response>(() => undefined);
  };
  const listing = new ObjectStore({ endpoint, bucket, region: null, accessKey, secret }, clock).list("");
  const failed = listing.catch((error: Error) => error.message);
  await asked.promise;
  for (const fire of fires) fire();
  expect(await failed).toBe(`the store at ${endpoint} has not answered for 120 seconds`);
});
