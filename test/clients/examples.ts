/** Runs the examples of every language against a server, as their first lines say. */
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serviceSignature } from "#src/core/service-signature.ts";
import { linesOf } from "#test/support/database.ts";
import { buildTypescriptClient, checkout, control, type DevServer } from "./conformance.ts";

interface Language {
  name: string;
  missing: string | null;
  /** Makes in `folder` what the commands need. */
  prepare: (folder: string) => void;
  /** `port`: of a receiver, 0 for any. */
  command: (folder: string, program: "send" | "receive" | "sync") => string[];
}

const examples = join(checkout, "examples");
const missing = (command: string): string | null =>
  Bun.which(command) === null ? `${command} is not installed` : null;
const python = Bun.env.PYTHON ?? "python3";

export const languages: readonly Language[] = [
  {
    name: "node",
    missing: missing("node"),
    prepare(folder) {
      cpSync(join(examples, "node"), folder, { recursive: true });
      const client = join(folder, "node_modules/waxwing-client");
      mkdirSync(client, { recursive: true });
      buildTypescriptClient(join(client, "dist"));
      copyFileSync(join(checkout, "clients/typescript/package.json"), join(client, "package.json"));
    },
    command: (folder, program) => ["node", join(folder, `${program}.mjs`)],
  },
  {
    name: "python",
    missing: missing(python),
    prepare() {},
    command: (_, program) => [python, "-B", join(examples, "python", `${program}.py`)],
  },
  {
    name: "php",
    missing: missing("php"),
    prepare() {},
    command: (_, program) => ["php", join(examples, "php", `${program}.php`)],
  },
  {
    name: "go",
    missing: missing("go"),
    prepare(folder) {
      const built = Bun.spawnSync(["go", "build", "-o", folder, "./..."], { cwd: join(examples, "go") });
      if (built.exitCode !== 0) throw new Error(built.stderr.toString());
    },
    command: (folder, program) => [join(folder, program)],
  },
  {
    name: "curl",
    missing: missing("curl") ?? missing("openssl"),
    prepare() {},
    command: (_, program) => ["sh", join(examples, "curl", `${program}.sh`)],
  },
];

/** What did not go as the examples say; empty if all did. */
export async function runExamples(server: DevServer, language: Language, folder: string): Promise<string[]> {
  await control(server, "POST", "/reset", {});
  mkdirSync(folder, { recursive: true });
  language.prepare(folder);
  const problems: string[] = [];
  const env = {
    ...Bun.env,
    WAXWING_URL: server.baseUrl,
    WAXWING_KEY: server.key,
    WAXWING_WEBHOOK_SECRET: server.webhookSecret,
    SEEN_FOLDER: folder,
    PYTHONPATH: join(checkout, "clients/python"),
    PORT: "0",
  };
  const run = (program: "send" | "sync", ...args: string[]): string => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([...language.command(folder, program), ...args], {
      cwd: folder,
      env,
    });
    if (exitCode !== 0) problems.push(`${program} ended with ${exitCode}: ${stdout}${stderr}`);
    return stdout.toString();
  };
  const expect = (what: string, isRight: boolean, text: string): void => {
    if (!isRight) problems.push(`${what}: ${text}`);
  };

  const order = `A-${language.name}`;
  const [first, second] = [run("send", order, "+919876543210", "Asha"), run("send", order, "+919876543210", "Asha")];
  expect("send", /\bsent\b/.test(first), first);
  expect("sending again", first === second, second);
  const sent = await api(server, `/messages?reference=${order}`);
  expect("one message", sent.meta.total === 1, JSON.stringify(sent.meta));

  const file = join(folder, "contacts.json");
  run("sync", join(examples, "customers.csv"), file);
  const kept = existsSync(file) ? readFileSync(file, "utf8") : "";
  expect("sync", kept.includes("+442079460399") && kept.includes("Kochi"), kept);
  await api(server, "/contacts/442079460399", { name: "Meera Nair", city: `Pune ${language.name}` });
  await Bun.write(join(folder, "none.csv"), "phone,name,city\n");
  run("sync", join(folder, "none.csv"), file);
  expect("sync again", readFileSync(file, "utf8").includes(`Pune ${language.name}`), "the change is missing");

  problems.push(
    ...(language.name === "curl" ? await readLog(server, folder, env) : await receive(server, language, folder, env)),
  );
  return problems;
}

/** A receiver gets an event that a person causes, and answers a forged one with 400. */
async function receive(server: DevServer, language: Language, folder: string, env: Record<string, string | undefined>) {
  // PHP's own server takes no port 0.
  const port = freePort();
  const command =
    language.name === "php"
      ? ["php", "-S", `127.0.0.1:${port}`, join(examples, "php/receive.php")]
      : language.command(folder, "receive");
  const child = Bun.spawn(command, { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  try {
    const lines = linesOf(child.stdout)[Symbol.asyncIterator]();
    const url = language.name === "php" ? `http://127.0.0.1:${port}/hook` : String((await lines.next()).value);
    await until(() =>
      fetch(url, { method: "POST", body: "{}" }).then(
        ({ status }) => status === 400,
        () => false,
      ),
    );
    await control(server, "PUT", "/webhook", { url });
    await control(server, "POST", "/inbound", { from: "+919820012345", text: `Hello ${language.name}` });
    const problems: string[] = [];
    // Statuses of what was sent before may come first.
    let line = String((await lines.next()).value);
    while (/^(message\.(sent|delivered|read)|contact) /.test(line)) line = String((await lines.next()).value);
    if (line !== `message.received +919820012345: Hello ${language.name}`) problems.push(`received: ${line}`);
    const body = JSON.stringify({
      id: "evt_forged",
      type: "webhook.test",
      created_at: "2026-11-21T08:44:26+05:30",
      data: {},
    });
    const post = async (signature: string) =>
      (await fetch(url, { method: "POST", body, headers: { "service-signature": signature } })).status;
    const forged = await post(serviceSignature(body, "whsec_other", Date.now()));
    const old = await post(serviceSignature(body, server.webhookSecret, Date.now() - 301_000));
    const genuine = await post(serviceSignature(body, server.webhookSecret, Date.now()));
    if (forged !== 400 || old !== 400 || genuine !== 204)
      problems.push(`forged ${forged}, old ${old}, genuine ${genuine}`);
    return problems;
  } finally {
    child.kill();
    await child.exited;
  }
}

/** curl cannot be called: it reads the event log, and a script checks a signature. */
async function readLog(server: DevServer, folder: string, env: Record<string, string | undefined>): Promise<string[]> {
  const script = (name: string, args: string[], more: Record<string, string> = {}) =>
    Bun.spawnSync(["sh", join(examples, "curl", name), ...args], { cwd: folder, env: { ...env, ...more } });
  const problems: string[] = [];
  const once = { ONCE: "yes", WAIT: "0" };
  script("receive.sh", ["cursor"], once);
  await control(server, "POST", "/inbound", { from: "+919820012345", text: "Hello curl" });
  const read = script("receive.sh", ["cursor"], once).stdout.toString();
  if (!read.includes("Hello curl")) problems.push(`receive.sh: ${read}`);
  const again = script("receive.sh", ["cursor"], once).stdout.toString();
  if (again !== "") problems.push(`receive.sh again: ${again}`);

  const body = '{"id":"evt_1","text":"ünï"}';
  writeFileSync(join(folder, "body.json"), body);
  const check = (signature: string) => script("verify.sh", [signature, "body.json"]).exitCode;
  const [good, forged, old] = [
    check(serviceSignature(body, server.webhookSecret, Date.now())),
    check(serviceSignature(body, "whsec_other", Date.now())),
    check(serviceSignature(body, server.webhookSecret, Date.now() - 301_000)),
  ];
  if (good !== 0 || forged !== 1 || old !== 1) problems.push(`verify.sh: ${good}, ${forged}, ${old}`);
  return problems;
}

async function api({ baseUrl, key }: DevServer, path: string, body?: unknown): Promise<{ meta: { total: number } }> {
  const answer = await fetch(baseUrl + path, {
    method: body === undefined ? "GET" : "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return (await answer.json()) as { meta: { total: number } };
}

function freePort(): number {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + 20_000;
  while (!(await isDone())) {
    if (performance.now() > limit) throw new Error("the receiver does not answer");
    await Bun.sleep(20);
  }
}
