/** `waxwing setup`: from nothing to a first message, without a terminal; and again, without changing anything. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, readFileSync, statSync } from "node:fs";
import fc from "fast-check";
import { parse } from "smol-toml";
import { recipientsOf } from "#src/backup/remote/encryption.ts";
import { changeKey } from "#src/config/edit.ts";
import { GRAPH_ACCOUNT_ID, GRAPH_APP_SECRET, GRAPH_TOKEN, startGraph } from "#test/support/graph.ts";
import { graphAccount, graphNumber } from "#test/support/graph-account.ts";
import { FakeObjectStore } from "#test/support/object-store.ts";
import { Workshop } from "./spawn.ts";

setDefaultTimeout(60_000);

interface Setup {
  steps: { step: string; result: string }[];
  conditions: { id: string }[];
}

test("setup makes configuration, workspace, operator and number, sends a first message, and changes nothing when run again", async () => {
  const free = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = free;
  await free.stop(true);
  using workshop = new Workshop(`# mine\n[server]\nlisten = "127.0.0.1:${port}"\n`);
  const words = [
    ...["setup", "--backup-directory", workshop.path("backups"), "--keep-messages", "18 months"],
    ...["--public-url", "https://wa.example.com", "--business", "Corner Shop", "--country", "IN"],
    ...[
      "--timezone",
      "Asia/Kolkata",
      "--email",
      "ops@example.com",
      "--network",
      "simulator",
      "--phone",
      "+911244001100",
    ],
    ...["--test-to", "+919876500010", "--alarms", "none"],
  ];
  const first = await workshop.json<Setup>(words);
  const result = ({ steps }: Setup, name: string) => steps.find(({ step }) => step === name)?.result;
  expect(result(first, "operator")).toContain("https://wa.example.com/console/join#");
  expect(result(first, "server")).toStartWith("not running");
  const written = readFileSync(workshop.path("waxwing.toml"), "utf8");
  expect(written).toStartWith("# mine\n");
  expect(parse(written)).toEqual({
    server: { listen: `127.0.0.1:${port}`, public_url: "https://wa.example.com" },
    backup: { directory: workshop.path("backups") },
    retention: { messages: "18 months" },
    alerts: { none: true },
  });

  await workshop.start(["serve"]);
  const second = await workshop.json<Setup>(words);
  expect(second.steps.map(({ step }) => step)).toEqual([
    ...["configuration", "workspace", "operator", "number", "server", "first message"],
  ]);
  expect(result(second, "configuration")).toBe("unchanged");
  expect(result(second, "first message")).toBe("+919876500010: sent");
  expect(second.conditions.filter(({ id }) => id !== "disk_low")).toEqual([]);
  const keys = await workshop.json<{ revoked_at: string | null }[]>(["key", "list", "--workspace", "1"]);
  for (const { revoked_at } of keys) expect(revoked_at).not.toBeNull();

  // Without options and a terminal, nothing is asked and nothing changes.
  const third = await workshop.json<Setup>(["setup"]);
  expect(result(third, "first message")).toBe("skipped (--test-to)");
  expect(readFileSync(workshop.path("waxwing.toml"), "utf8")).toBe(written);

  const wrong = await workshop.run(["setup", "--keep-messages", "a while"]);
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain("retention.messages");
  expect(readFileSync(workshop.path("waxwing.toml"), "utf8")).toBe(written);
  await workshop.json<Setup>(["setup", "--keep-messages", "none"]);
  const kept = readFileSync(workshop.path("waxwing.toml"), "utf8");
  expect(parse(kept).retention).toEqual({});
  expect(kept).toContain('# messages = "18 months"');
});

test("setup writes the store of backups, shows a new recovery key once, and changes single answers later", async () => {
  using workshop = new Workshop("# mine\n");
  await using store = new FakeObjectStore();
  const secret = workshop.write("secret", store.secret);
  const place = ["--remote-endpoint", store.endpoint, "--remote-bucket", store.bucket];
  const missing = await workshop.run(["setup", ...place]);
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("the store needs --remote-access-key")]);
  const words = ["setup", ...place, "--remote-access-key", store.accessKey, "--remote-secret-key-file", secret];
  const first = await workshop.run([...words, "--json"]);
  const shown = /AGE-SECRET-KEY-1[A-Z0-9]{58}/.exec(first.stdout)?.[0] ?? "";
  const [recipient] = await recipientsOf([shown]);
  const remote = (): unknown =>
    (parse(readFileSync(workshop.path("waxwing.toml"), "utf8")).backup as { remote: unknown })?.remote;
  const written = {
    ...{ endpoint: store.endpoint, bucket: store.bucket, access_key: store.accessKey },
    ...{ secret_key_file: secret, recipient },
  };
  expect(remote()).toEqual(written);
  const again = await workshop.run([...words, "--json"]);
  expect([again.stdout.includes("AGE-SECRET-KEY"), remote()]).toEqual([false, written]);
  await workshop.run(["setup", "--remote-endpoint", store.endpoint, "--remote-prefix", "shop", "--json"]);
  expect(remote()).toEqual({ ...written, prefix: "shop" });
  const wrong = await workshop.run([
    "setup",
    "--remote-endpoint",
    store.endpoint,
    "--remote-recipient",
    `${recipient?.slice(0, -1)}?`,
    "--json",
  ]);
  expect([wrong.code, wrong.stdout.includes("backup.remote.recipient")]).toEqual([1, true]);
  await workshop.run(["setup", "--remote-endpoint", "none", "--json"]);
  expect(remote()).toEqual({});
});

test("with a number on WhatsApp, the app is subscribed and a verify token made, and nothing is left to be said", async () => {
  const account = graphAccount({
    numbers: [graphNumber("200000000000001", "+49 30 1234567")],
    subscribedApps: [],
  });
  await using graph = await startGraph({ account });
  using workshop = new Workshop(
    `[server]\nlisten = "127.0.0.1:0"\npublic_url = "https://wa.example.com"\n[whatsapp]\ngraph_url = "${graph.url}"\n`,
  );
  const words = [
    ...["setup", "--business", "Corner Shop", "--country", "DE", "--timezone", "Europe/Berlin", "--email", "none"],
    ...["--network", "whatsapp", "--phone", "+49301234567", "--phone-number-id", "200000000000001"],
    ...["--account-id", GRAPH_ACCOUNT_ID, "--token-file", workshop.write("token", GRAPH_TOKEN)],
    ...["--app-secret-file", workshop.write("secret", GRAPH_APP_SECRET)],
  ];
  const { steps, conditions } = await workshop.json<Setup>(words);
  const result = (name: string) => steps.find(({ step }) => step === name)?.result;
  const { whatsapp } = parse(readFileSync(workshop.path("waxwing.toml"), "utf8")) as {
    whatsapp: Record<string, string>;
  };
  expect(whatsapp.verify_token).toMatch(/^\w{24}$/);
  expect(result("callbacks")).toContain(
    `https://wa.example.com/networks/whatsapp with the verify token ${whatsapp.verify_token}`,
  );
  expect(result("subscription")).toBe("The app is subscribed to the account.");
  expect(account.subscribedApps).toHaveLength(1);
  expect(conditions.map(({ id }) => id).filter((id) => /^(connection|number)/.test(id))).toEqual([]);

  // A token that is there stays.
  await workshop.json<Setup>(words);
  expect(parse(readFileSync(workshop.path("waxwing.toml"), "utf8")).whatsapp).toEqual(whatsapp);
});

test("a domain replaces the listen address", async () => {
  using workshop = new Workshop('[server]\nlisten = "127.0.0.1:8080"\n');
  // As install.sh makes it: the service reads it through its group.
  chmodSync(workshop.path("waxwing.toml"), 0o640);
  const ran = await workshop.run(["setup", "--domain", "wa.example.com"]);
  // There is no database yet, and so no list of conditions.
  expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining("status: there is no database") });
  expect(parse(readFileSync(workshop.path("waxwing.toml"), "utf8"))).toEqual({ server: { domain: "wa.example.com" } });
  expect(statSync(workshop.path("waxwing.toml")).mode & 0o777).toBe(0o640);
  expect(readFileSync(workshop.path("waxwing.toml"), "utf8")).toContain('# listen = "127.0.0.1:8080"');
});

test("a changed key has its value, and no other key or comment changes", () => {
  const name = fc.constantFrom("a", "b", "c");
  const section = fc.constantFrom("one", "two", "two.more");
  const line = fc.oneof(
    section.map((one) => `[${one}]`),
    name.map((one) => `${one} = "x"`),
    fc.constantFrom("", "# [one]", "# a = 1"),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), section, name, fc.string(), (lines, one, key, value) => {
      const before = lines.join("\n");
      let document: Record<string, unknown>;
      try {
        document = parse(before);
      } catch {
        return;
      }
      const read = (toml: string) => parse(toml) as Record<string, Record<string, Record<string, unknown>>>;
      const inSection = (all: ReturnType<typeof read>) => (one === "two.more" ? all.two?.more : all[one]);
      // A key of the same name as a section below cannot be both.
      const expected = structuredClone(document) as ReturnType<typeof read>;
      const after = changeKey(before, { section: one, name: key, value });
      const [outer = "", inner] = one.split(".");
      const table = expected[outer] ?? {};
      expected[outer] =
        inner === undefined
          ? { ...table, [key]: value as never }
          : { ...table, [inner]: { ...table[inner], [key]: value } };
      expect(read(after)).toEqual(expected);
      const comments = (text: string) => text.split("\n").filter((each) => each.startsWith("#"));
      expect(comments(after)).toEqual(comments(before));
      const removed = read(changeKey(after, { section: one, name: key, value: null }));
      expect(inSection(removed)?.[key]).toBeUndefined();
    }),
    { numRuns: 300 },
  );
});
