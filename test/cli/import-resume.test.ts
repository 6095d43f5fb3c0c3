/** The executable as users run it: an import that kill -9 cut off again and again is continued by its id. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databaseFiles } from "#src/db/files.ts";
import { lockExclusively } from "#src/db/lock.ts";
import { program } from "#test/support/program.ts";

const PEOPLE = 8_000;
const KILLS = 3;

interface Ran {
  code: number;
  json: Record<string, unknown>;
  error: { code: string; message: string; next?: string };
  err: string;
}

test("an import that kill -9 cut off continues with --resume: counters, reasons, contacts and errors file are those of a whole import", async () => {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-resume-"));
  const data = join(directory, "data");
  const start = (...argv: string[]) =>
    Bun.spawn([...program, "--data", data, "--json", ...argv], {
      cwd: directory,
      env: { PATH: "" },
      stdout: "pipe",
      stderr: "pipe",
    });
  const run = async (...argv: string[]): Promise<Ran> => {
    const child = start(...argv);
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    const json = JSON.parse(out || "{}") as Record<string, unknown>;
    return { code: await child.exited, json, error: json.error as Ran["error"], err };
  };
  /** How many records are in. */
  const positionOf = (id: string): number => {
    using database = new Database(join(data, "waxwing.db"), { readonly: true });
    const row = database.query("SELECT progress ->> '$.position' AS position FROM imports WHERE id = ?").get(id);
    return (row as { position: number | null }).position ?? 0;
  };
  try {
    for (const name of ["Whole", "Cut"]) {
      await run("workspace", "create", "--name", name, "--country", "IN", "--timezone", "Asia/Kolkata");
    }
    const rows = Array.from({ length: PEOPLE }, (_, row) => {
      if (row % 10 === 3) return `12,Nobody ${row}`;
      if (row % 10 === 7) return `9876500001,Again ${row}`;
      return `98765${String(row).padStart(5, "0")},Person ${row}`;
    });
    writeFileSync(join(directory, "people.csv"), ["phone,name", ...rows, ""].join("\n"));
    const whole = await run("contact", "import", "--workspace", "1", "people.csv", "--consent", "opted_in");
    expect(whole).toMatchObject({ code: 0, json: { records: PEOPLE, failed: PEOPLE / 10 } });
    const errors = readFileSync(join(directory, "people.csv.errors.csv"), "utf8");

    // Beside a server transactions are short, so there is much to cut off.
    const server = lockExclusively(databaseFiles(join(data, "waxwing.db")).serverLock);
    let words = ["contact", "import", "--workspace", "2", "people.csv", "--consent", "opted_in"];
    for (let kills = 0; kills < KILLS; kills += 1) {
      const child = start(...words);
      let told = "";
      for await (const piece of child.stderr) {
        told += new TextDecoder().decode(piece);
        if (told.includes("--resume")) break;
      }
      const id = /--resume (\d+)/.exec(told)?.[1] ?? "";
      // Another process with its own clock, which is cut off between two of its transactions or in one.
      const before = positionOf(id);
      while (positionOf(id) === before) await Bun.sleep(2);
      child.kill("SIGKILL");
      await child.exited;
      words = ["contact", "import", "--resume", id];
    }
    server.release();
    const [, , , id = ""] = words;
    expect(positionOf(id)).toBeLessThan(PEOPLE);

    const file = join(directory, "people.csv");
    renameSync(file, join(directory, "kept.csv"));
    writeFileSync(file, "phone\n9876599999\n");
    expect((await run(...words)).error).toMatchObject({ code: "file_changed" });
    renameSync(join(directory, "kept.csv"), file);
    const otherwise = await run(...words, "--country", "DE");
    expect([otherwise.code, otherwise.error.message]).toEqual([2, expect.stringContaining("--country")]);
    expect((await run("contact", "import", "--resume", "99")).error).toMatchObject({
      code: "not_found",
      message: expect.stringContaining("99"),
    });

    const resumed = await run("contact", "import", "--workspace", "2", "people.csv", "--resume", id);
    expect(resumed.json).toEqual({ ...whole.json, import_id: Number(id) });
    expect(readFileSync(join(directory, "people.csv.errors.csv"), "utf8")).toBe(errors);
    const counts = await run("contact", "export", "--workspace", "2", "--file", "out.csv");
    expect(counts.json).toMatchObject({ contacts: whole.json.created });
    // Ended, it tells the same again.
    expect((await run(...words, "people.csv")).json).toEqual(resumed.json);
    expect(readFileSync(join(directory, "people.csv.errors.csv"), "utf8")).toBe(errors);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}, 600_000);

test("without --resume a file and a workspace are needed", async () => {
  const child = Bun.spawn([...program, "contact", "import"], { stdout: "pipe", stderr: "pipe" });
  const text = await new Response(child.stderr).text();
  expect([await child.exited, text]).toEqual([
    2,
    expect.stringMatching(/FILE is missing[\s\S]*--workspace ID is missing/),
  ]);
});
