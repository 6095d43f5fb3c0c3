/**
 * Five servers in which every critical condition can be provoked: a shop on WhatsApp, one whose disk gives out, one with
 * its own certificate, one with a domain, whose authority and network cannot be reached, and one that sends backups off-site.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newRecoveryKey } from "#src/backup/remote/encryption.ts";
import { GRAPH_TOKEN, type Graph, startGraph } from "#test/support/graph.ts";
import { type GraphAccount, graphAccount, graphNumber, graphTemplate } from "#test/support/graph-account.ts";
import { FakeObjectStore } from "#test/support/object-store.ts";
import { type Instance, type Machine, METRICS_TOKEN, makeMachine } from "./machine.ts";

export const ACCOUNT_ID = "100000000000001";
const PHONE_NUMBER_ID = "200000000000001";
const APP_SECRET = "app-secret-of-the-test";

export interface World extends AsyncDisposable {
  machine: Machine;
  graph: Graph;
  account: GraphAccount;
  shop: Instance;
  disk: Instance;
  tls: Instance;
  domain: Instance;
  /** Sends its backups off-site, to this store. */
  remote: Instance;
  objects: FakeObjectStore;
  /** Of the shop's workspace on WhatsApp, and of one that is charged on the simulator. */
  key: string;
  chargedKey: string;
  /** The customer's receiver of webhooks. */
  customer: { isStuck: boolean };
  /** To the network, for the server with a domain. */
  way: { isOpen: boolean };
  writeCertificate(instance: Instance, days: number, options?: { withKey: boolean }): void;
  useOwnCertificate(): Promise<void>;
}

const COMMON = `[webhooks]
allow_http = true
allow_private = true
[log]
level = "info"
`;

export async function makeWorld(): Promise<World> {
  const machine = await makeMachine();
  const stack: AsyncDisposable[] = [machine];
  const account = graphAccount({
    numbers: [graphNumber(PHONE_NUMBER_ID, "+49 30 1234567")],
    templates: [graphTemplate("plain", { components: [{ type: "BODY", text: "Hello." }] })],
  });
  const graph = await startGraph({ account, now: () => machine.now() });
  stack.push(graph);
  const customer = { isStuck: false };
  const receiver = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0, idleTimeout: 0 },
    async fetch() {
      while (customer.isStuck) await Bun.sleep(50);
      return new Response("thanks");
    },
  });
  const way = { isOpen: false };
  const gate = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    async fetch(request) {
      if (!way.isOpen) return new Response("<h1>Bad gateway</h1>", { status: 502 });
      const { pathname, search } = new URL(request.url);
      const body = request.method === "GET" ? null : await request.arrayBuffer();
      return fetch(graph.url + pathname + search, { method: request.method, headers: request.headers, body });
    },
  });

  const whatsapp = (url: string) =>
    `[whatsapp]\ngraph_url = "${url}"\napp_secret = "${APP_SECRET}"\nverify_token = "word"\n`;
  const shop = machine.add(
    "shop",
    `[server]\npublic_url = "https://wa.example.com"\nmetrics_token = "${METRICS_TOKEN}"\n${whatsapp(graph.url)}[backup]\ndirectory = "${join(machine.directory, "shop/backups")}"\n${COMMON}`,
    { megabytes: 1_300 },
  );
  const noBackups = '[backup]\nschedule = ""\n';
  const disk = machine.add("disk", `[server]\nmetrics_token = "${METRICS_TOKEN}"\n${noBackups}${COMMON}`, {
    megabytes: 1_200,
  });
  const tls = machine.add(
    "tls",
    `[server]\ntls_cert = "cert.pem"\ntls_key = "key.pem"\nmetrics_token = "${METRICS_TOKEN}"\n${noBackups}${COMMON}`,
    { megabytes: 1_200 },
  );
  const domainConfig = (files: string) =>
    `[server]\ndomain = "wa.example.com"\n${files}metrics_token = "${METRICS_TOKEN}"\n[acme]\ndirectory = "https://127.0.0.1:9/dir"\nhttp_listen = "127.0.0.1:0"\n${whatsapp(`http://127.0.0.1:${gate.port}`)}${noBackups}${COMMON}`;
  const domain = machine.add("domain", domainConfig(""), { megabytes: 1_200 });
  const objects = new FakeObjectStore();
  stack.push(objects);
  const remoteConfig = `[server]\nmetrics_token = "${METRICS_TOKEN}"\n[backup]\ndirectory = "${join(machine.directory, "remote/backups")}"\n${COMMON}`;
  const secret = join(machine.directory, "remote/secret");
  const { recipient } = await newRecoveryKey();
  const remote = machine.add("remote", `${remoteConfig}${objects.configuration(secret, recipient)}`, {
    megabytes: 1_200,
  });
  remote.write("secret", objects.secret);
  const alerts = (instance: Instance) => `\n[alerts]\nwebhook = "${machine.receiverUrl}/${instance.name}"\n`;

  const world: World = {
    ...{ machine, graph, account, shop, disk, tls, domain, remote, objects, customer, way, key: "", chargedKey: "" },
    writeCertificate(instance, days, { withKey } = { withKey: true }) {
      const from = new Date(machine.now() - 60_000);
      const until = new Date(machine.now() + days * 24 * 60 * 60_000);
      const time = (at: Date) => `${at.toISOString().replace(/[-:T]/g, "").slice(0, 14)}Z`;
      const key = join(instance.directory, withKey ? "key.pem" : "other.pem");
      const made = Bun.spawnSync([
        "openssl",
        "genpkey",
        "-algorithm",
        "EC",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-out",
        key,
      ]);
      if (made.exitCode !== 0) throw new Error(String(made.stderr));
      const request = join(instance.directory, "request.pem");
      const index = join(instance.directory, "ca");
      writeFileSync(
        `${index}.cnf`,
        `[ca]\ndefault_ca = d\n[d]\ndatabase = ${index}.txt\nnew_certs_dir = ${instance.directory}\nserial = ${index}.srl\ndefault_md = sha256\npolicy = p\nx509_extensions = e\nunique_subject = no\n[p]\ncommonName = supplied\n[e]\nsubjectAltName = DNS:wa.example.com,IP:127.0.0.1\n`,
      );
      writeFileSync(`${index}.txt`, "");
      const certificate = join(instance.directory, "cert.pem");
      for (const words of [
        ["req", "-new", "-key", key, "-subj", "/CN=wa.example.com", "-out", request],
        [
          ...["ca", "-batch", "-selfsign", "-rand_serial", "-notext", "-config", `${index}.cnf`, "-keyfile", key],
          ...["-in", request, "-startdate", time(from), "-enddate", time(until), "-out", certificate],
        ],
      ]) {
        const { exitCode, stderr } = Bun.spawnSync(["openssl", ...words]);
        if (exitCode !== 0) throw new Error(`openssl ${words[0]}: ${stderr}`);
      }
    },
    async useOwnCertificate() {
      world.writeCertificate(domain, 400);
      domain.write("waxwing.toml", domainConfig('tls_cert = "cert.pem"\ntls_key = "key.pem"\n') + alerts(domain));
      await domain.kill();
      await domain.start();
    },
    async [Symbol.asyncDispose]() {
      customer.isStuck = false;
      await Promise.all([receiver.stop(true), gate.stop(true)]);
      for (const one of stack.reverse()) await one[Symbol.asyncDispose]();
    },
  };

  const create = (instance: Instance, name: string, ...more: string[]) =>
    instance.command("workspace", "create", "--name", name, "--country", "IN", "--timezone", "UTC", ...more);
  for (const instance of [shop, disk, tls, domain, remote]) {
    await create(instance, "Shop");
    instance.write("token", GRAPH_TOKEN);
  }
  await create(shop, "Charged", "--currency", "USD", "--rate", "1", "--balance", "10");
  await shop.command(
    ...["number", "add", "--workspace", "1", "--phone", "+49301234567", "--name", "Shop", "--network", "whatsapp"],
    ...["--phone-number-id", PHONE_NUMBER_ID, "--account-id", ACCOUNT_ID, "--token-file", "token"],
  );
  const simulated = ["--phone", "+911244001100", "--name", "Charged", "--network", "simulator"];
  await shop.command("number", "add", "--workspace", "2", ...simulated);
  const template = {
    name: "plain",
    language: "en_US",
    category: "UTILITY",
    components: [{ type: "BODY", text: "Hello." }],
  };
  const file = shop.write("template.json", JSON.stringify(template));
  await shop.command("template", "add", "--workspace", "2", "--file", file, "--status", "APPROVED");
  await shop.command(
    "webhook",
    "set",
    "--workspace",
    "2",
    "--url",
    `http://127.0.0.1:${receiver.port}/hook`,
    "--types",
    "contact.updated",
  );
  world.key = String((await shop.command("key", "create", "--workspace", "1")).key);
  world.chargedKey = String((await shop.command("key", "create", "--workspace", "2")).key);
  world.writeCertificate(tls, 400);
  for (const instance of [shop, disk, tls, remote]) await instance.start();
  await remote.command("backup", "send");
  return world;
}
