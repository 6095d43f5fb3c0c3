/**
 * Import, export, opt-out and erasure of contacts from the command line, on a real database without a running server.
 */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { program } from "#test/support/program.ts";

let directory = "";
let data = "";

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "waxwing-contact-"));
  data = join(directory, "data");
  await waxwing("workspace", "create", "--name", "Shop", "--country", "IN", "--timezone", "Asia/Kolkata");
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function waxwing(...argv: string[]): Promise<{ code: number; json: Record<string, unknown>; text: string }> {
  const command = [...program, "--data", data, "--json", ...argv];
  const child = Bun.spawn(command, { cwd: directory, env: { PATH: "" }, stdout: "pipe", stderr: "pipe" });
  const text = await new Response(child.stdout).text();
  return { code: await child.exited, json: text.startsWith("{") ? JSON.parse(text) : {}, text };
}

function write(name: string, content: string | Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const importFile = (path: string, ...options: string[]) =>
  waxwing("contact", "import", "--workspace", "1", path, ...options);

describe("contact import", () => {
  test("contact import detects delimiter, columns and dates, reports each failed row, and changes nothing when repeated", async () => {
    await waxwing(
      "field",
      "add",
      "--workspace",
      "1",
      "--key",
      "tier",
      "--label",
      "Tier",
      "--kind",
      "choice",
      "--choices",
      "gold,silver",
    );
    const path = write(
      "people.csv",
      [
        "Mobile;Full Name;E-Mail;DOB;Tags;Tier;Shoe size",
        '98765 43210;"Rao; Asha";asha@example.com;28/02/1990;vip|new;gold;41',
        "+919876543211;Ben;;--02-29;;silver;",
        "12;Nobody;;;;;",
        "9876543212;Cara;not an address;31/02/1990;;bronze;",
        "",
      ].join("\r\n"),
    );
    const dry = await importFile(path, "--dry-run", "--bad-cells", "refuse");
    expect(dry.json).toMatchObject({ rows: 4, created: 2, failed: 2 });
    const first = await importFile(path, "--consent", "opted_in", "--bad-cells", "refuse");
    expect(first.json).toMatchObject({
      lines: 5,
      skipped_lines: 1,
      continued: 0,
      records: 4,
      blank: 0,
      rows: 4,
      created: 2,
      updated: 0,
      unchanged: 0,
      failed: 2,
      opted_in: 2,
      kept_opted_out: 0,
      cells_left_out: 0,
      errors_file: `${path}.errors.csv`,
    });
    expect(first.code).toBe(0);
    const errors = readFileSync(`${path}.errors.csv`, "utf8").trim().split("\r\n");
    expect(errors[0]).toBe("line,error,Mobile,Full Name,E-Mail,DOB,Tags,Tier,Shoe size");
    expect(errors[1]).toBe('4,"phone: ""12"" is not a phone number.",12,Nobody,,,,,');
    expect(errors[2]).toContain("email:");
    expect(errors[2]).toContain("birthday:");
    expect(errors[2]).toContain("fields.tier:");
    const again = await importFile(path, "--consent", "opted_in", "--bad-cells", "refuse");
    expect(again.json).toMatchObject({ rows: 4, created: 0, updated: 0, unchanged: 2, failed: 2, opted_in: 0 });
  });

  test("contact import reads Windows-1252, UTF-16 and UTF-8 with a byte order mark", async () => {
    const windows = write("windows.csv", Buffer.from("Telefon;Name\n+4915123456781;J\xfcrgen\n", "latin1"));
    expect((await importFile(windows)).json).toMatchObject({ created: 1, failed: 0 });
    const utf16 = Buffer.concat([
      Buffer.from([0xff, 0xfe]),
      Buffer.from("phone\tname\n+4915123456782\tÄnne\n", "utf16le"),
    ]);
    expect((await importFile(write("utf16.txt", utf16))).json).toMatchObject({ created: 1, failed: 0 });
    expect((await importFile(write("bom.csv", "\ufeffphone,name\n+4915123456783,Zoë\n"))).json).toMatchObject({
      created: 1,
    });
    const names = (await exported()).split("\r\n").map((line) => line.split(",")[0]);
    expect(names).toEqual(expect.arrayContaining(["Jürgen", "Änne", "Zoë"]));
  });

  test("contact import uses the columns given by --map, and refuses a wrong map with the reason", async () => {
    const path = write("odd.csv", "a,b,c\n+919876500001,Dev,Pune\n");
    expect((await importFile(path)).json).toMatchObject({
      error: { fields: { map: [expect.stringContaining("phone")] } },
    });
    expect((await importFile(path, "--map", "a=phone,b=name,c=city")).json).toMatchObject({ created: 1 });
    const wrong = await importFile(path, "--map", "a=phone,b=nome,x=city");
    expect(wrong.code).toBe(1);
    expect(JSON.stringify(wrong.json)).toContain("no column");
  });

  test("contact import keeps an opt-out, however the number is written, and still updates the contact's data", async () => {
    const out = write("out.txt", "+919876543211\n9876543211\nnonsense\n");
    expect((await waxwing("contact", "opt-out", "--workspace", "1", "--file", out)).json).toMatchObject({
      rows: 3,
      opted_out: 1,
      already: 1,
      failed: 1,
    });
    const path = write("again.csv", "phone,city\n00919876543211,Pune\n");
    expect((await importFile(path, "--consent", "opted_in")).json).toMatchObject({
      updated: 1,
      opted_in: 0,
      kept_opted_out: 1,
    });
    const line = (await exported()).split("\r\n").find((one) => one.split(",")[1] === "+919876543211");
    expect(line).toContain(",Pune,");
    expect(line).toContain(",opted_out,bulk,");
  });
});

describe("contact import --skip-bad-cells", () => {
  const header = "phone,name,email,birthday,anniversary,fields.size,fields.since,fields.member,fields.rank,groups,city";
  /** A contact with a value in each column, whom the tests update. */
  const known = "+919876600001,Asha,asha@example.com,1990-02-28,2015-05-01,41,2020-01-31,yes,gold,Regulars,Pune";
  const bad = "+919876600001,Asha Rao,nowhere,31/02/1990,soon,wide,never,perhaps,bronze,Everyone,Goa";
  const rowOf = async (number: string) =>
    (await exported()).split("\r\n").find((line) => line.split(",")[1] === number) ?? "";
  const errorsOf = (path: string) => readFileSync(`${path}.errors.csv`, "utf8").trim().split("\r\n");

  beforeAll(async () => {
    const field = (key: string, ...options: string[]) =>
      waxwing("field", "add", "--workspace", "1", "--key", key, "--label", key, ...options);
    await field("size", "--kind", "number");
    await field("since", "--kind", "date");
    await field("member", "--kind", "boolean");
    await field("rank", "--kind", "choice", "--choices", "gold,silver");
    const filter = '{"all":[{"field":"tag","is":"VIP"}]}';
    await waxwing("group", "create", "--workspace", "1", "--name", "Everyone", "--filter", filter);
    const made = await importFile(write("known.csv", `${header}\n${known}\n`), "--skip-bad-cells");
    expect(made.json).toMatchObject({ created: 1, failed: 0, cells_left_out: 0 });
    expect(made.json).not.toHaveProperty("errors_file");
  });
  afterAll(async () => {
    for (const key of ["size", "since", "member", "rank"]) await waxwing("field", "remove", "--workspace", "1", key);
  });

  test.each([
    ["email", "nowhere", 'email: ""nowhere"" cannot be read.'],
    ["birthday", "31/02/1990", 'birthday: ""31/02/1990"" cannot be read. There is no 31 February 1990.'],
    ["anniversary", "soon", 'anniversary: ""soon"" cannot be read.'],
    ["fields.size", "wide", "fields.size: This field holds a number."],
    ["fields.since", "never", "fields.since: This field holds a date such as 2026-11-21."],
    ["fields.member", "perhaps", "fields.member: This field holds true or false."],
    ["fields.rank", "bronze", "fields.rank: This field holds one of gold, silver."],
    ["groups", "Everyone|Fresh", "groups: Everyone is a dynamic group; contacts cannot be added to it or removed."],
  ])("a bad cell of the column %s fails its row, or is skipped and reported", async (column, cell, reason) => {
    const path = write("cell.csv", `phone,${column}\n+919876600001,${cell}\n`);
    const before = await rowOf("+919876600001");
    const failed = await importFile(path, "--bad-cells", "refuse");
    expect(failed.json).toMatchObject({ unchanged: 0, failed: 1, cells_left_out: 0 });
    expect(errorsOf(path)[1]).not.toContain("Skipped");
    const skipped = await importFile(path, "--skip-bad-cells");
    expect(skipped).toMatchObject({ code: 0, json: { updated: 0, unchanged: 1, failed: 0, cells_left_out: 1 } });
    expect(errorsOf(path)[0]).toBe(`line,error,phone,${column}`);
    expect(errorsOf(path)[1]?.replaceAll(/^2,"?|"?,'?\+.*$/g, "")).toBe(`Skipped: ${reason}`);
    expect(await rowOf("+919876600001")).toBe(before);
  });

  test("a row with many bad cells is imported without them, in a dry run, once more, and for a new contact", async () => {
    const stranger = bad.replace("600001", "600002");
    const path = write("bad.csv", [header, bad, stranger, ""].join("\n"));
    const before = await exported();
    const dry = await importFile(path, "--skip-bad-cells", "--dry-run", "--consent", "opted_in");
    expect(await exported()).toBe(before);
    const reported = errorsOf(path);
    const real = await importFile(path, "--skip-bad-cells", "--consent", "opted_in");
    expect(real.json).toMatchObject({
      rows: 2,
      created: 1,
      updated: 1,
      unchanged: 0,
      failed: 0,
      opted_in: 2,
      kept_opted_out: 0,
      cells_left_out: 16,
      errors_file: `${path}.errors.csv`,
    });
    const dryResult: unknown = { ...dry.json, stored: [], import_id: real.json.import_id };
    expect(dryResult).toEqual(real.json);
    expect(errorsOf(path)).toEqual(reported);
    expect(reported.map((line) => line.split(",")[0])).toEqual(["line", "2", "3"]);
    const kept = await rowOf("+919876600001");
    for (const value of ["Asha Rao", "asha@example.com", "1990-02-28", "2015-05-01", "41", "2020-01-31", "gold", "Goa"])
      expect(kept).toContain(value);
    const made = await rowOf("+919876600002");
    expect(made).toContain("Asha Rao");
    expect(made).toContain("Goa");
    for (const value of ["nowhere", "1990", "soon", "wide", "never", "perhaps", "bronze", "Everyone"])
      expect(made).not.toContain(value);
    const again = await importFile(path, "--skip-bad-cells", "--consent", "opted_in");
    expect(again.json).toMatchObject({ updated: 0, unchanged: 2, failed: 0, opted_in: 0, cells_left_out: 16 });
  });

  test("a row that does not say who the person is fails with all its reasons, and none of its cells counts as skipped", async () => {
    const id = "US.13491208655302741918";
    const path = write(
      "nobody.csv",
      [
        "phone,WhatsApp user id,email,groups",
        "12,,nowhere,",
        "+919876600003,someone,nowhere,",
        ",,nowhere,",
        "12,,,Everyone",
        `,${id},nowhere,`,
        "",
      ].join("\n"),
    );
    const { json } = await importFile(path, "--skip-bad-cells");
    expect(json).toMatchObject({ rows: 5, created: 1, failed: 4, cells_left_out: 1 });
    const [, number = "", userId = "", none = "", group = "", skipped = ""] = errorsOf(path);
    expect(number).toContain('"email: ""nowhere"" cannot be read. phone: ""12"" is not a phone number."');
    expect(userId).toContain("user_id:");
    expect(userId).toContain("email:");
    expect(none).toContain("phone: this field is missing.");
    expect(group).toContain('"phone: ""12"" is not a phone number."');
    expect(skipped).toStartWith('6,"Skipped: email:');
    expect(await rowOf("+919876600003")).toBe("");
  });

  test("the errors file, corrected, brings in what was skipped, and the text has the number in one line", async () => {
    const path = write("fix.csv", "phone,name,email\n+919876600004,Dev,nowhere\n");
    const argv = ["--data", data, "contact", "import", "--workspace", "1", path, "--skip-bad-cells"];
    const child = Bun.spawn([...program, ...argv], { cwd: directory, env: { PATH: "" }, stdout: "pipe" });
    const lines = (await new Response(child.stdout).text()).split("\n");
    expect(lines.filter((line) => /^cells_left_out +1$/.test(line))).toHaveLength(1);
    const corrected = write("fixed.csv", errorsOf(path).join("\r\n").replaceAll("nowhere", "dev@example.com"));
    expect((await importFile(corrected)).json).toMatchObject({ updated: 1, failed: 0 });
    expect(await rowOf("+919876600004")).toContain("dev@example.com");
  });
});

test("the receipt of an erasure names the copies that still contain the person, and until when", async () => {
  const path = write("receipt.csv", "phone,name\n+919812345679,Mira\n");
  expect((await importFile(path)).json).toMatchObject({ created: 1 });
  const copies = {
    backup: join(data, "backups", "waxwing-20261120T023000Z.db"),
    kept: join(data, "waxwing.db.before-schema-4-20261101T000000Z"),
  };
  mkdirSync(join(data, "backups"), { recursive: true });
  for (const file of Object.values(copies)) writeFileSync(file, "");
  try {
    const { json } = await waxwing("contact", "erase", "--workspace", "1", "+919812345679");
    expect(json.backups).toEqual([
      {
        kind: "scheduled",
        place: join(data, "backups"),
        until: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:30:00Z$/),
      },
      { kind: "kept", place: copies.kept, until: null },
    ]);
    // The default keeps seven, one a night.
    const days = (Date.parse((json.backups as { until: string }[])[0]?.until ?? "") - Date.now()) / 86_400_000;
    expect([days > 5.9, days < 7.1]).toEqual([true, true]);
  } finally {
    rmSync(copies.kept);
    rmSync(join(data, "backups"), { recursive: true });
  }
});

test("an exported file can be imported again and changes nothing", async () => {
  const file = write("export.csv", await exported());
  const { json } = await importFile(file);
  expect(json).toMatchObject({ created: 0, updated: 0, failed: 0 });
});

test("erasing a contact removes its data from every file of the data directory, and a later import keeps the opt-out", async () => {
  const secrets = ["Zacharias Unmistakable", "919812345678", "secret-city-name"];
  const path = write("one.csv", `phone,name,city,tags\n+${secrets[1]},${secrets[0]},${secrets[2]},vip\n`);
  expect((await importFile(path)).json).toMatchObject({ created: 1 });
  await waxwing("contact", "opt-out", "--workspace", "1", "--file", write("o.txt", `${secrets[1]}\n`));
  expect(foundIn(secrets)).not.toEqual([]);
  const erased = await waxwing("contact", "erase", "--workspace", "1", `+${secrets[1]}`);
  expect(erased.json).toEqual({
    erased: true,
    counts: {
      ...{ sent: 0, of_broadcasts: 0, scheduled: 0, received: 0, by_other_senders: 0, notes: 0, files: 0, drafts: 0 },
      ...{ events: 1, callbacks: 0, answers: 0, audit_entries: 0 },
    },
    is_replicated: false,
    log_emptied: true,
    waiting_imports: [],
    shared_uploads: [],
    still_blocked_on: [],
    backups: [],
  });
  expect(foundIn(secrets)).toEqual([]);
  expect((await waxwing("contact", "erase", "--workspace", "1", `+${secrets[1]}`)).code).toBe(1);
  expect((await importFile(path, "--consent", "opted_in")).json).toMatchObject({ opted_in: 0, kept_opted_out: 1 });
  expect((await exported()).split("\r\n").find((one) => one.split(",")[1] === `+${secrets[1]}`)).toContain(
    ",opted_out,",
  );
});

test("contact duplicates lists pairs, contact join shows first what it would do, and joins them once", async () => {
  const [stays, goes] = ["+442079460280", "+442079460281"];
  const rows = [`${stays},Asha Rao,pair@example.com`, `${goes},Asha R.,PAIR@example.com`];
  await importFile(write("pair.csv", ["phone,name,email", ...rows].join("\n")), "--consent", "opted_in");
  const isIt = ({ one }: { one: { phone: string } }): boolean => one.phone === stays;
  const listed = async () => {
    const { json } = await waxwing("contact", "duplicates", "--workspace", "1");
    return (json.duplicates as { one: { phone: string } }[]).filter(isIt);
  };
  const pair = { reasons: ["same_email"], one: { phone: stays }, other: { phone: goes } };
  expect(await listed()).toMatchObject([pair]);
  const joined = ["contact", "join", "--workspace", "1", stays ?? "", goes ?? ""];
  const dry = await waxwing(...joined, "--dry-run");
  expect([dry.code, dry.json]).toEqual([0, expect.objectContaining({ consent: "opted_in", further_phone: goes })]);
  expect(await listed()).toHaveLength(1);
  const done = await waxwing(...joined, "--take", "name");
  expect([done.code, done.json]).toEqual([0, expect.objectContaining({ phone: stays, name: "Asha R." })]);
  expect(await listed()).toEqual([]);
  const again = await waxwing(...joined);
  expect([again.code, again.json.error]).toEqual([1, expect.objectContaining({ code: "invalid_request" })]);
});

test("contact keep ends a doubt, also from a number written in the local form, and changes no consent", async () => {
  const number = "+919812340077";
  await importFile(write("doubtful.csv", `phone\n${number}\n`));
  const client = new Database(join(data, "waxwing.db"));
  client.run("UPDATE contacts SET may_want_to_stop_since = 1, may_want_to_stop_said_at = 1 WHERE phone = ?", [number]);
  client.close();
  const before = await waxwing("contact", "keep", "--workspace", "1", "098123 40077");
  expect([before.code, before.json.phone]).toEqual([0, number]);
  expect(before.json.consent).toEqual({
    status: "unknown",
    source: null,
    at: null,
    purpose: null,
    notice: null,
    may_want_to_stop_since: null,
  });
  expect((await waxwing("contact", "keep", "--workspace", "1", number)).code).toBe(0);
  const missing = await waxwing("contact", "keep", "--workspace", "1", "+919812340078");
  expect([missing.code, missing.json.error]).toEqual([1, expect.objectContaining({ code: "not_found" })]);
});

test("group create counts a dynamic group and names the place of a mistake in its filter; groups and fields can be removed", async () => {
  const filter = '{"all":[{"field":"tag","is":"VIP"},{"field":"name","contains":"asha"}]}';
  const made = await waxwing("group", "create", "--workspace", "1", "--name", "Asha and co", "--filter", filter);
  expect(made.json).toMatchObject({ name: "Asha and co", type: "dynamic", count: 1 });
  const wrong = await waxwing(
    "group",
    "create",
    "--workspace",
    "1",
    "--name",
    "x",
    "--filter",
    '{"all":[{"field":"city","over":3}]}',
  );
  expect(JSON.stringify(wrong.json)).toContain("filter.all.0");
  expect((await waxwing("group", "remove", String(made.json.id))).json).toEqual({ removed: made.json.id });
  expect((await waxwing("field", "remove", "--workspace", "1", "tier")).json).toEqual({ removed: "tier" });
  expect((await waxwing("field", "list", "--workspace", "1")).text.trim()).toBe("[]");
});

async function exported(): Promise<string> {
  const file = join(directory, "out.csv");
  await waxwing("contact", "export", "--workspace", "1", "--file", file);
  return readFileSync(file, "utf8");
}

/** Returns the words that occur, byte for byte, in any file of the data directory. */
function foundIn(words: string[]): string[] {
  expect(existsSync(data)).toBe(true);
  const files = readdirSync(data).map((name) => readFileSync(join(data, name)));
  return words.filter((word) => files.some((bytes) => bytes.includes(word)));
}
