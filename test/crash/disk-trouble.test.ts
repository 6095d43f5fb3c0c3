/**
 * A disk that is full, read-only or failing under mixed load, and recovers after a while: requests are refused with 503
 * meanwhile, no write is there in part, and the server resumes without a restart. Only in `bun run test:crash`, on the
 * executable; the normal suite tests the same within one process (`flow/send-storage`, `db/writer-failure`).
 */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { audit, untilAtRest } from "#test/support/audit.ts";
import { isFull, program } from "#test/support/crash-form.ts";
import { type Installation, LABELLED, makeInstallation, type RunningServer } from "#test/support/installation.ts";
import { compileInterposer, noInterposer } from "#test/support/interposer.ts";
import { MixedLoad } from "#test/support/mixed-load.ts";

const LIMIT_MS = 120_000;
const LOAD_MS = 700;
const TROUBLE_MS = 1_500;
const PATIENCE_MS = 20_000;
/** More than the 40 MB to which the log grows before it is truncated. */
const DISK_MEGABYTES = 96;
/** Refusals to wait for. */
const REFUSALS = 5;

const notHere = isFull ? null : "in bun run test:crash";
const noMount =
  notHere ?? (process.platform !== "linux" ? "needs Linux" : process.getuid?.() !== 0 ? "needs root" : null);
const noTrouble = notHere ?? noInterposer;
const because = (reason: string | null): string => (reason === null ? "" : ` (skipped: ${reason})`);

interface Trouble {
  begin(installation: Installation): void;
  end(installation: Installation): void;
}

test.skipIf(noMount !== null)(
  `on a full disk sends are answered 503 until there is room again, and then everything resumes${because(noMount)}`,
  async () => {
    const filler = ({ data }: Installation): string => join(data, "filler");
    const trouble: Trouble = {
      // Ends when the disk is full.
      begin: (installation) => void Bun.spawnSync(["dd", "if=/dev/zero", `of=${filler(installation)}`, "bs=4096"]),
      end: (installation) => rmSync(filler(installation)),
    };
    await suffer("full", trouble, {}, DISK_MEGABYTES);
  },
  LIMIT_MS,
);

for (const [what, name] of [
  ["read-only", "trouble"],
  ["failing", "trouble-io"],
] as const) {
  test.skipIf(noTrouble !== null)(
    `on a disk that is ${what} for a while sends are answered 503, and then everything resumes${because(noTrouble)}`,
    async () => {
      const workshop = mkdtempSync(join(tmpdir(), "waxwing-trouble-"));
      const file = join(workshop, name);
      const library = compileInterposer("disk-trouble.c", workshop);
      const trouble: Trouble = { begin: () => writeFileSync(file, ""), end: () => rmSync(file) };
      try {
        await suffer(what, trouble, { LD_PRELOAD: library, TROUBLE_SWITCH: file }, null);
      } finally {
        rmSync(workshop, { recursive: true, force: true });
      }
    },
    LIMIT_MS,
  );
}

async function suffer(what: string, trouble: Trouble, env: Record<string, string>, diskMegabytes: number | null) {
  using waxwing = await program();
  const { command } = waxwing;
  const environment: Record<string, string> = { ...env };
  await using installation = await makeInstallation({
    people: 1,
    throughput: 300,
    command,
    env: environment,
    inDoubtAfter: "2s",
    isTalkative: true,
    ...(diskMegabytes === null ? {} : { diskMegabytes }),
  });
  environment.TROUBLE_DIRECTORY = installation.data;
  const server = installation.start();
  const url = (await server.listening) ?? "";
  const load = new MixedLoad(installation, { hasCommands: false });
  load.begin(server);
  await Bun.sleep(LOAD_MS);

  trouble.begin(installation);
  const begunAt = performance.now();
  for (let refusals = 0; refusals < REFUSALS; ) {
    const answer = await order(server);
    if (answer?.status === 503) {
      refusals += 1;
      expect(answer.body.error).toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("cannot write"),
      });
      expect(Number(answer.retryAfter)).toBeGreaterThan(0);
    } else if (performance.now() > begunAt + PATIENCE_MS) throw new Error(`never refused: ${answer?.status}`);
  }
  // The server is alive, and still answers requests that need no disk. (On a full disk with room left in the log it may
  // be ready.)
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  if (what !== "full") expect((await fetch(`${url}/readyz`)).status).toBe(503);
  expect((await server.call("GET", "/me"))?.status).toBe(200);
  await Bun.sleep(TROUBLE_MS);
  trouble.end(installation);

  const endedAt = performance.now();
  while ((await order(server))?.status !== 201) {
    if (performance.now() > endedAt + PATIENCE_MS) throw new Error("it does not continue automatically");
    await Bun.sleep(10);
  }
  const recoveryMs = performance.now() - endedAt;
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  await Bun.sleep(LOAD_MS);
  await load.close(server);
  await untilAtRest(installation);
  expect(await server.stop()).toBe(0);
  const checked = await installation.command("check").ended;
  expect(checked).toMatchObject({ code: 0 });

  const { ledger } = load;
  const { lost, doubled, counters: measurements } = await audit(installation, ledger);
  expect({ wrong: ledger.wrong, lost, doubled }).toEqual({ wrong: [], lost: [], doubled: [] });
  console.log(
    `a ${what} disk: well again after ${recoveryMs.toFixed(0)} ms; ${measurements.acknowledged} acknowledgements, ` +
      `${lost.length} lost; ${measurements.requests} sends, ${doubled.length} doubles`,
  );
}

let count = 0;

/** A message under its own key, to its own recipient. */
function order(server: RunningServer) {
  const to = `+9196${String(count++).padStart(8, "0")}`;
  return server.call("POST", "/messages", { to, template: LABELLED, variables: [`order-${count}`] }, `order-${count}`);
}
