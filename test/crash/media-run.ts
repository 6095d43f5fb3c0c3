/**
 * The proof of media in its long form, on an executable:
 *
 *   bun run build && bun run test:media [--files 2000] [--kills 50] [--program dist/waxwing] [uploads memory quota kills latency]
 *
 * It prints its measurements: the latency of sending beside the fetching of files, the files under kills, the disk under
 * a quota, and the memory of a 100 MB video and of ten uploads. Exits with 1 if something does not fit.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type MediaLoad, startMediaLoad } from "#test/support/media-load.ts";
import { readOptions } from "#test/support/options.ts";

const { values, positionals } = readOptions(
  {
    call: "bun run test:media",
    about: "Proves on an executable what becomes of media under load, kills, a quota and large files.",
    names: { called: "PART", about: "uploads, memory, quota, kills or latency; without: all" },
  },
  {
    files: { type: "string", default: "2000", about: "how many files arrive" },
    kills: { type: "string", default: "50", about: "how often the server is killed" },
    program: { type: "string", default: "dist/waxwing", value: "FILE", about: "the executable" },
  },
);
const program = [resolve(values.program)];
const fileCount = Number(values.files);
const killCount = Number(values.kills);
const PER_SECOND = 50;
const UPLOADED_TO = "4915112000001";
const ROUNDS = 4;
let isRight = true;

function report(what: string, shown: unknown, isExpected = true): void {
  console.log(`${isExpected ? "ok  " : "BAD "} ${what}: ${typeof shown === "string" ? shown : JSON.stringify(shown)}`);
  if (!isExpected) isRight = false;
}

function quantile(list: readonly number[], q: number): number {
  const sorted = list.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0) * 10) / 10;
}

type Beside = "nothing" | "texts" | "files";

/** Sends from a process of its own, so that the work of this one is not measured. */
async function sendFor(load: MediaLoad, ms: number, beside: Beside): Promise<number[]> {
  const prober = Bun.spawn(
    [process.execPath, join(import.meta.dir, "media-prober.ts"), load.url, load.key, String(ms)],
    {
      stdout: "pipe",
    },
  );
  if (beside !== "nothing") await writeFor(load, ms, beside);
  return JSON.parse(await new Response(prober.stdout).text());
}

async function writeFor(load: MediaLoad, ms: number, beside: Beside): Promise<void> {
  const running = new Set<Promise<unknown>>();
  const until = performance.now() + ms;
  let next = performance.now();
  while (performance.now() < until) {
    const one = beside === "files" ? load.write() : load.writeText();
    running.add(one.finally(() => running.delete(one)));
    next += 1_000 / PER_SECOND;
    await Bun.sleep(Math.max(0, next - performance.now()));
  }
  await Promise.all(running);
}

async function latencyBesideFetching(): Promise<void> {
  await using load = await startMediaLoad(program);
  await load.start();
  await Bun.sleep(1_500);
  await sendFor(load, 5_000, "nothing");
  const kinds: readonly Beside[] = ["nothing", "texts", "files"];
  const found: Record<Beside, number[]> = { nothing: [], texts: [], files: [] };
  const cpu: Record<Beside, number> = { nothing: 0, texts: 0, files: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    for (const beside of kinds) {
      const before = load.cpuMs();
      found[beside].push(...(await sendFor(load, 6_000, beside)));
      cpu[beside] += load.cpuMs() - before;
      await load.settled(30_000);
    }
  }
  for (const beside of kinds) {
    const list = found[beside];
    const shown = {
      count: list.length,
      p50: quantile(list, 0.5),
      p90: quantile(list, 0.9),
      p99: quantile(list, 0.99),
      cpu: `${Math.round(cpu[beside] / (ROUNDS * 60))} %`,
    };
    report(`POST /messages at 50/s, ms, beside 50 ${beside}/s`, shown);
  }
  report("files of this phase", load.problems(), load.problems().length === 0);
}

async function filesUnderKills(): Promise<void> {
  await using load = await startMediaLoad(program);
  await load.start();
  let isWriting = true;
  let kills = 0;
  const writing = (async () => {
    const posts: Promise<void>[] = [];
    for (let index = 0; index < fileCount; index++) {
      posts.push(load.write());
      await Bun.sleep(1_000 / PER_SECOND);
    }
    await Promise.all(posts);
    isWriting = false;
  })();
  const startedAt = Date.now();
  while (kills < killCount) {
    await Bun.sleep(150 + ((kills * 397) % 900));
    await load.kill();
    kills += 1;
    await load.start();
  }
  const wasWriting = isWriting;
  await writing;
  await load.settled(120_000);
  const problems = load.problems();
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  report(
    "files under kills",
    { files: load.sent.size, kills, seconds, wasWriting, problems: problems.slice(0, 10) },
    problems.length === 0,
  );
  const downloads = load.media.requests.filter(({ step }) => step === "download").length;
  report("downloads for them", downloads);
  await load.stop();
  const checked = await load.command("check");
  report("waxwing check", checked.out.split("\n")[0] ?? "", checked.code === 0);
}

async function diskUnderQuota(): Promise<void> {
  const quota = 8_000_000;
  await using load = await startMediaLoad(program, { extra: `[media]\nquota_bytes = ${quota}\n` });
  await load.start();
  let peak = 0;
  const directory = join(load.directory, "data/media");
  const sample = (): void => {
    const sizes = readdirSync(directory).map((name) => {
      try {
        return statSync(join(directory, name)).size;
      } catch {
        return 0;
      }
    });
    peak = Math.max(
      peak,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  };
  for (let index = 0; index < 150; index++) {
    await load.write();
    sample();
  }
  for (let index = 0; index < 30; index++) {
    await Bun.sleep(100);
    sample();
  }
  const states = load.rows<{ state: string; total: number }>(
    "SELECT state, count(*) AS total FROM media GROUP BY state",
  );
  const status = await load.command("status");
  const line = status.out.split("\n").find((one) => one.includes("for room")) ?? "no condition";
  report(
    "disk under a quota of 8,000,000 bytes",
    { peak, states, line: line.trim() },
    peak <= quota && line.includes("for room"),
  );
}

/** Reports by how much the server's memory grows. */
async function watchMemory<T>(load: MediaLoad, what: string, work: () => Promise<T>, limitMb = 20): Promise<T> {
  const before = load.memoryKb();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, load.memoryKb());
  }, 10);
  const result = await work();
  clearInterval(timer);
  const growth = Math.round((peak - before) / 1024);
  report(`memory while ${what}`, `${Math.round(before / 1024)} MB, then at most ${growth} MB more`, growth <= limitMb);
  return result;
}

/** Ten files of 100 MB arrive at once, of three workspaces, and one of them is given to the network. */
async function memoryOfUploads(): Promise<void> {
  await using load = await startMediaLoad(program);
  const keys = [load.key];
  for (const name of ["Second", "Third"]) {
    const made = await load.command(
      "workspace",
      "create",
      "--name",
      name,
      "--country",
      "DE",
      "--timezone",
      "UTC",
      "--json",
    );
    const workspace = String(JSON.parse(made.out).id);
    keys.push(JSON.parse((await load.command("key", "create", "--workspace", workspace, "--json")).out).key);
  }
  await load.start();
  await load.write(UPLOADED_TO);
  await load.settled(30_000);
  const size = 100 * 1024 * 1024;
  const file = join(load.directory, "large.pdf");
  await Bun.write(file, Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(size - 9, 7)]));
  /** In a process of its own, so that the work of this one is not measured. */
  const upload = async (key: string): Promise<{ status: number; id: number }> => {
    const form = ["-F", `file=@${file}`, "-H", `Authorization: Bearer ${key}`, `${load.url}/api/v1/media`];
    const child = Bun.spawn(["curl", "-s", "-w", "\n%{http_code}", ...form], { stdout: "pipe" });
    const [body = "{}", status = "0"] = (await new Response(child.stdout).text()).split("\n");
    return { status: Number(status), id: JSON.parse(body).data?.id ?? 0 };
  };
  await upload(load.key);
  const ten = Array.from({ length: 10 }, (_, index) => keys[Math.floor(index / 4)] ?? "");
  const startedAt = performance.now();
  const answers = await watchMemory(
    load,
    "ten files of 100 MB are uploaded at once",
    () => Promise.all(ten.map(upload)),
    80,
  );
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  report(
    "answers",
    { seconds, statuses: answers.map(({ status }) => status) },
    answers.every(({ status }) => status === 201),
  );
  const sent = await watchMemory(
    load,
    "100 MB are given to the network",
    async () => {
      const answered = await fetch(`${load.url}/api/v1/messages`, {
        method: "POST",
        headers: { authorization: `Bearer ${load.key}`, "content-type": "application/json" },
        body: JSON.stringify({ to: `+${UPLOADED_TO}`, media: { id: answers[0]?.id } }),
      });
      return answered.status;
    },
    60,
  );
  report("the message with it", sent, sent === 201);
  report(
    "bytes at the network",
    load.uploads.map(({ size: bytes }) => bytes),
    load.uploads[0]?.size === size,
  );
  const left = readdirSync(join(load.directory, "data/media")).filter((name) => name.endsWith(".part"));
  report("unfinished files", left, left.length === 0);
}

async function memoryOfVideo(): Promise<void> {
  await using load = await startMediaLoad(program);
  await load.start();
  await writeFor(load, 3_000, "files");
  await load.settled(30_000);
  await Bun.sleep(3_000);
  const size = 100 * 1024 * 1024;
  const head = Buffer.from("\0\0\0\x20ftypisom", "latin1");
  const watch = <T>(what: string, work: () => Promise<T>): Promise<T> => watchMemory(load, what, work);
  for (const name of ["v1", "v2"]) {
    await watch("a 100 MB video is fetched", async () => {
      await load.post("video", load.media.addLarge(name, "video/mp4", size, head), "4915112999999");
      await load.settled(60_000);
    });
  }
  const [stored] = load.rows<{ id: number }>("SELECT max(id) AS id FROM media");
  const address = `${load.url}/api/v1/media/${stored?.id}`;
  const headers = { authorization: `Bearer ${load.key}` };
  await watch("it is served whole to a slow reader", async () => {
    const answered = await fetch(address, { headers });
    let bytes = 0;
    for await (const chunk of answered.body ?? []) {
      bytes += chunk.byteLength;
      await Bun.sleep(1);
    }
    report("bytes served", bytes, bytes === size);
  });
  await watch("8 readers get it at once", async () => {
    const lengths = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const answered = await fetch(address, { headers });
        let bytes = 0;
        for await (const chunk of answered.body ?? []) bytes += chunk.byteLength;
        return bytes;
      }),
    );
    report(
      "bytes served to each",
      lengths,
      lengths.every((one) => one === size),
    );
  });
  await load.stop();
  const erased = await load.command("contact", "erase", "+4915112999999", "--workspace", "1");
  const names = readdirSync(join(load.directory, "data"), { recursive: true, encoding: "utf8" });
  const left = names.filter((name) => {
    const path = join(load.directory, "data", name);
    return statSync(path).isFile() && readFileSync(path).includes("ftypisom");
  });
  report("files with bytes of the erased person", left, erased.code === 0 && left.length === 0);
}

const phases = {
  uploads: memoryOfUploads,
  memory: memoryOfVideo,
  quota: diskUnderQuota,
  kills: filesUnderKills,
  latency: latencyBesideFetching,
};
for (const [name, phase] of Object.entries(phases))
  if (positionals.length === 0 || positionals.includes(name)) await phase();
process.exit(isRight ? 0 : 1);
