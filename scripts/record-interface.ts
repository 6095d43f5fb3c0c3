/**
 * Records the observable interface of one build: the OpenAPI document, the `--json` of commands, API answers, webhook
 * bodies and the names of metrics, over one long scenario. Times, keys and random ids are replaced by placeholders, so
 * two builds that behave alike give the same files: `bun scripts/record-interface.ts EXECUTABLE DIRECTORY` for each
 * build, then `diff -r` (commands print concurrent steps in varying order: compare those sorted).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [executable = "dist/waxwing", out = "/tmp/interface"] = process.argv.slice(2);
const program = resolve(executable);
const directory = mkdtempSync(join(tmpdir(), "waxwing-record-"));
const data = join(directory, "data");
mkdirSync(out, { recursive: true });

const bodies: { type: string; body: string }[] = [];
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const body = await request.text();
    bodies.push({ type: (JSON.parse(body) as { type: string }).type, body });
    return new Response("ok");
  },
});

const env: Record<string, string> = {
  PATH: "/nonexistent",
  TMPDIR: directory,
  WAXWING_WEBHOOKS_ALLOW_HTTP: "true",
  WAXWING_WEBHOOKS_ALLOW_PRIVATE: "true",
  WAXWING_SIMULATOR_DELIVER_AFTER: "10ms",
  WAXWING_SIMULATOR_READ_AFTER: "20ms",
  WAXWING_SIMULATOR_NO_ANSWER_AFTER: "20ms",
  WAXWING_BROADCASTS_SETTLE_AFTER: "1s",
  WAXWING_BROADCASTS_QUIET: "",
};

/** The text with everything that differs between runs replaced by a placeholder. */
function normalize(text: string): string {
  return text
    .replaceAll(String(receiver.port), "<port>")
    .replaceAll(directory, "<directory>")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, "<time>")
    .replace(/\b20\d\d-\d\d-\d\d[ ,T]+\d\d:\d\d(:\d\d)?\b/g, "<time>")
    .replace(/\b1[78]\d{11}\b/g, "<ms>")
    .replace(/wx1\.[\w.]+/g, "<send token>")
    .replace(/after \d+ ms/g, "after <n> ms")
    .replace(/"delivery": \d+/g, '"delivery": <n>')
    .replace(/evt_\w+/g, "<event>")
    .replace(/wamid\.[\w=+/-]+/g, "<network id>")
    .replace(/wx_\w+/g, "<key>")
    .replace(/whsec_\w+/g, "<secret>")
    .replace(/setup\/[\w-]+|link\/[\w-]+|#[\w-]{20,}/g, "<link>")
    .replace(/\b[\w-]{43,}\b/g, "<random>")
    .replace(/\b[0-9a-f]{12,40}\b/g, "<hex>")
    .replace(
      /"(took_ms|duration_ms|bytes|age_seconds|tookMs|lag_ms|size|pages|free_bytes|elapsed_ms)": ?[\d.]+/g,
      '"$1": <n>',
    )
    .replace(/"t=\d+,v1=[0-9a-f]+"/g, "<signature>");
}

const recorded: string[] = [];
async function waxwing(...words: string[]): Promise<{ code: number; json: unknown }> {
  const child = Bun.spawn([program, "--data", data, "--json", ...words], {
    env,
    cwd: directory,
    stdout: "pipe",
    stderr: "pipe",
    stdin: "ignore",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  recorded.push(
    `$ waxwing ${normalize(words.join(" "))}\nexit ${code}\n${normalize(pretty(stdout))}${stderr === "" ? "" : `stderr: ${normalize(stderr)}`}\n`,
  );
  return { code, json: stdout.trim() === "" ? null : tryParse(stdout) };
}
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
function pretty(text: string): string {
  try {
    return `${JSON.stringify(JSON.parse(text), null, 1)}\n`;
  } catch {
    return text;
  }
}
const answers: string[] = [];
let key = "";
let url = "";
async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const shown = [...response.headers]
    .filter(([name]) => !["date", "x-request-id", "content-length"].includes(name))
    .map(([n, v]) => `${n}: ${v}`)
    .join("\n");
  answers.push(
    `${method} ${normalize(path)} ${body === undefined ? "" : JSON.stringify(body)}\n${response.status}\n${normalize(shown)}\n${normalize(pretty(text))}\n`,
  );
}
/** Polls until the condition holds, and gives up quietly: what is missing shows in the comparison. */
async function until(isSo: () => boolean, limitMs = 15_000): Promise<void> {
  const end = Date.now() + limitMs;
  while (!isSo() && Date.now() < end) await Bun.sleep(50);
}
const file = (name: string, text: string): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};

const template = (name: string, category: string, body: string, more: object[] = []) =>
  file(
    `${name}.json`,
    JSON.stringify({
      name,
      language: "en",
      category,
      components: [
        ...more,
        {
          type: "BODY",
          text: body,
          ...(body.includes("{{1}}")
            ? { example: { body_text: [["Asha", "20"].slice(0, body.includes("{{2}}") ? 2 : 1)] } }
            : {}),
        },
      ],
    }),
  );

await waxwing("version"); // before a database exists
await waxwing("workspace", "list");
await waxwing(
  "workspace",
  "create",
  "--name",
  "Corner Shop",
  "--country",
  "IN",
  "--timezone",
  "Asia/Kolkata",
  "--currency",
  "USD",
  "--rate",
  "0.0085",
  "--balance",
  "100",
);
const created = await waxwing("key", "create", "--workspace", "1", "--name", "shop");
key = (created.json as { key?: string } | null)?.key ?? "";
await waxwing(
  "number",
  "add",
  "--workspace",
  "1",
  "--phone",
  "+911244001100",
  "--name",
  "Corner Shop",
  "--network",
  "simulator",
);
await waxwing(
  "template",
  "add",
  "--workspace",
  "1",
  "--file",
  template("order_shipped", "UTILITY", "Hi {{1}}, your order {{2}} is on its way."),
);
await waxwing(
  "template",
  "add",
  "--workspace",
  "1",
  "--file",
  template("weekend_offer", "MARKETING", "Hello {{1}}, {{2}}% off"),
);
await waxwing(
  "template",
  "add",
  "--workspace",
  "1",
  "--file",
  template("waiting", "UTILITY", "Soon."),
  "--status",
  "PENDING",
);

const server = Bun.spawn([program, "--data", data, "serve", "--listen", "127.0.0.1:0"], {
  env,
  cwd: directory,
  stdout: "pipe",
  stderr: Bun.file(join(out, "server-log.txt")),
  stdin: "ignore",
});
const reader = server.stdout.getReader();
let printed = "";
while (!/listening on (\S+)/.test(printed)) {
  const { value, done } = await reader.read();
  if (done) throw new Error(`the server ended: ${printed}`);
  printed += new TextDecoder().decode(value);
}
url = /listening on (\S+)/.exec(printed)?.[1] ?? "";

await waxwing("webhook", "set", "--workspace", "1", "--url", `http://127.0.0.1:${receiver.port}/hook`);
await waxwing("webhook", "show", "--workspace", "1");
await waxwing("webhook", "test", "--workspace", "1");
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
await waxwing("field", "list", "--workspace", "1");
await waxwing(
  "contact",
  "import",
  "--workspace",
  "1",
  file(
    "people.csv",
    "phone,name,city,tier\n+919811100001,Asha Rao,Pune,gold\n+919811100012,Vikram Mehta,Delhi,silver\nnonsense,Nobody,,\n+919811100013,Fatima Khan,Pune,\n+919811100003,Ravi,Pune,\n+919811100004,Meera,Pune,\n",
  ),
  "--consent",
  "opted_in",
);
await waxwing("group", "create", "--workspace", "1", "--name", "Pune", "--filter", '{"field":"city","is":"Pune"}');
await waxwing("group", "create", "--workspace", "1", "--name", "Friends");
await waxwing("group", "list", "--workspace", "1");
for (const path of [
  "/api/v1/me",
  "/api/v1/groups",
  "/api/v1/templates",
  "/api/v1/contacts",
  "/api/v1/nowhere",
  "/api/v1/contacts/919811100012",
])
  await call("GET", path);
await call("PUT", "/api/v1/contacts/919811100012", {
  first_name: "Vikram",
  add_tags: ["vip"],
  add_to_groups: ["Friends"],
  people: [{ name: "Mrs Mehta", birthday: "--11-22" }],
  fields: { tier: "gold" },
});
await call("PUT", "/api/v1/contacts/919811100012", { nonsense: 1, birthday: "tomorrow" });
for (const to of [
  "+919811100012",
  "+919811100001",
  "+919811100002",
  "+919811100003",
  "+919811100004",
  "+919811100005",
  "+919811100008",
  "+919811100009",
])
  await call(
    "POST",
    "/api/v1/messages",
    { to, template: "order_shipped", variables: ["Asha", "10042"] },
    { "idempotency-key": `send-${to.slice(-4)}` },
  );
await call(
  "POST",
  "/api/v1/messages",
  { to: "+919811100012", template: "order_shipped", variables: ["Asha", "10042"] },
  { "idempotency-key": "send-0012" },
);
await call(
  "POST",
  "/api/v1/messages",
  { to: "+919811100012", template: "order_shipped", variables: ["Asha"] },
  { "idempotency-key": "send-0012" },
);
for (const body of [
  { to: "+919811100012", text: "Hi" },
  { to: "+919811100012", template: "unknown" },
  { to: "+919811100012", template: "waiting" },
  { to: "12", template: "order_shipped", variables: ["a", "b"] },
  { template: "order_shipped" },
  { to: "+919811100012", template: "order_shipped", variables: ["a"] },
])
  await call("POST", "/api/v1/messages", body);
await waxwing("simulate", "inbound", "--workspace", "1", "--from", "+919811100012", "--text", "Hello");
await until(() => bodies.some(({ type }) => type === "message.received"));
await call("POST", "/api/v1/messages", { to: "+919811100012", text: "How can we help?" });
await waxwing("simulate", "inbound", "--workspace", "1", "--from", "+919811100013", "--text", "STOP");
await until(() => bodies.some(({ type }) => type === "contact.opted_out"));
await call("POST", "/api/v1/messages", { to: "+919811100013", template: "order_shipped", variables: ["a", "b"] });
await call("GET", "/api/v1/opt-outs");
await Bun.sleep(2_100); // STOP and START are compared by whole seconds
await waxwing("simulate", "inbound", "--workspace", "1", "--from", "+919811100013", "--text", "START");
await until(() => bodies.some(({ type }) => type === "contact.opted_in"));
await waxwing("template", "decide", "waiting", "--workspace", "1", "--language", "en", "--status", "APPROVED");
await until(() => bodies.some(({ type }) => type === "template.approved"));
await waxwing(
  "template",
  "decide",
  "waiting",
  "--workspace",
  "1",
  "--language",
  "en",
  "--status",
  "REJECTED",
  "--reason",
  "TAG_CONTENT_MISMATCH",
);
await until(() => bodies.some(({ type }) => type === "template.rejected"));
const variables = [{ field: "first_name", fallback: "there" }, "20"];
await call("POST", "/api/v1/broadcasts/preview", {
  name: "Offer",
  template: "weekend_offer",
  to: ["+919811100012", "+919811100012", "x"],
  variables,
});
await call(
  "POST",
  "/api/v1/broadcasts",
  {
    name: "Offer",
    template: "weekend_offer",
    to: ["+919811100012", "+919811100012", "x", "+919811100001", "+919811100003"],
    variables,
  },
  { "idempotency-key": "b1" },
);
await call("POST", "/api/v1/broadcasts", { name: "Group", template: "weekend_offer", group: 1, variables });
await call("POST", "/api/v1/broadcasts", {
  name: "Later",
  template: "weekend_offer",
  group: 1,
  variables,
  send_at: "2031-01-01T09:00:00Z",
});
await until(() => bodies.filter(({ type }) => type === "broadcast.finished").length >= 2, 30_000);
for (const id of [1, 2, 3]) {
  await call("GET", `/api/v1/broadcasts/${id}`);
  await call("GET", `/api/v1/broadcasts/${id}/recipients`);
}
await waxwing("broadcast", "list", "--workspace", "1");
await waxwing("broadcast", "show", "2");
await waxwing("broadcast", "pause", "3");
await waxwing("broadcast", "resume", "3");
await waxwing("broadcast", "cancel", "3");
await call("POST", "/api/v1/broadcasts/3/cancel");
await call("GET", "/api/v1/broadcasts");
await waxwing("simulate", "status", "--message", "1", "--status", "read");
await until(() => false, 1_500);
for (let id = 1; id <= 9; id++) await call("GET", `/api/v1/messages/${id}`);
await waxwing("message", "show", "1");
await waxwing("delivery", "list", "--workspace", "1");
await waxwing("delivery", "show", "1");
await waxwing("delivery", "replay", "1");
await waxwing("number", "list");
await waxwing("number", "show", "1");
await waxwing("number", "unready", "1", "--reason", "A test.");
await call("POST", "/api/v1/messages", { to: "+919811100012", template: "order_shipped", variables: ["a", "b"] });
await waxwing("number", "ready", "1");
await waxwing("number", "update", "1", "--name", "Shop");
await waxwing("template", "list", "--workspace", "1");
await waxwing("template", "sync", "--workspace", "1");
await waxwing("number", "sync", "1");
await waxwing(
  "template",
  "sample",
  "order_shipped",
  "--workspace",
  "1",
  "--language",
  "en",
  "--link",
  "https://example.com/a.jpg",
);
await waxwing("workspace", "show", "1");
await waxwing("workspace", "list");
await waxwing("workspace", "update", "1", "--daily-cap", "1000", "--stop-words", "ende");
await waxwing("workspace", "credit", "1", "25", "--note", "thanks", "--ref", "r1");
await waxwing("workspace", "suspend", "1", "--reason", "A test.");
await call("POST", "/api/v1/messages", { to: "+919811100012", template: "order_shipped", variables: ["a", "b"] });
await waxwing("workspace", "resume", "1");
await waxwing("workspace", "disable-api", "1");
await call("GET", "/api/v1/me");
await waxwing("workspace", "enable-api", "1");
await waxwing("contact", "export", "--workspace", "1");
await waxwing("contact", "opt-out", "--workspace", "1", "--file", file("out.csv", "phone\n+919811100004\n"));
await waxwing("contact", "erase", "--workspace", "1", "+919811100003");
await waxwing("user", "create", "--email", "op@example.com", "--role", "operator");
await waxwing("user", "list");
await waxwing("user", "reset-password", "--email", "op@example.com");
await waxwing("user", "disable", "--email", "op@example.com");
await waxwing("group", "remove", "2");
await waxwing("field", "remove", "tier", "--workspace", "1");
await waxwing("webhook", "rotate-secret", "--workspace", "1");
await waxwing("key", "list", "--workspace", "1");
await waxwing("doctor");
await waxwing("check");
await waxwing("backup", join(directory, "backup.db"));
await waxwing("check", join(directory, "backup.db"));
await waxwing("key", "revoke", "1");
await call("GET", "/api/v1/me");
await waxwing("webhook", "clear", "--workspace", "1");
await waxwing("nonsense");
await waxwing("key", "create");
await waxwing("number", "remove", "1");
const metrics = await (await fetch(`${url}/metrics`)).text();
server.kill("SIGTERM");
await server.exited;
await waxwing("restore", join(directory, "backup.db"));
await waxwing("check");
await waxwing("workspace", "show", "99");
const openapi = Bun.spawnSync([program, "openapi"], { env, cwd: directory });
writeFileSync(join(out, "openapi.json"), openapi.stdout);
writeFileSync(join(out, "commands.txt"), recorded.join("\n"));
writeFileSync(join(out, "answers.txt"), answers.join("\n"));
const scenarios = bodies.map(({ body }) => normalize(body)).sort();
writeFileSync(join(out, "webhooks.txt"), `${scenarios.map(pretty).join("\n")}`);
writeFileSync(
  join(out, "metrics.txt"),
  [...new Set(metrics.split("\n").map((line) => (line.startsWith("#") ? line : line.replace(/ [\d.e+-]+$/, ""))))]
    .sort()
    .join("\n"),
);
receiver.stop(true);
rmSync(directory, { recursive: true, force: true });
console.log(`${recorded.length} commands, ${answers.length} answers, ${bodies.length} webhooks → ${out}`);
