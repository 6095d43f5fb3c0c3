/**
 * Pebble, the test authority of Let's Encrypt, with a name server of its own whose answers the test chooses. The
 * Debian package `pebble` has it; without it, `hasPebble` is false and its tests are skipped.
 */
import { createSocket, type Socket } from "node:dgram";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { selfSigned } from "#src/certificates/der.ts";
import { systemRandom } from "#src/core/random.ts";

const executable = Bun.which("pebble");
export const hasPebble = executable !== null;

export interface Pebble extends AsyncDisposable {
  directory: string;
  /** File with the certificate of its own address. */
  caFile: string;
  /** PEM of the root of the certificates that it issues. */
  root(): Promise<string>;
  /** The address that its name server gives for every name; null: no such name. */
  address: string | null;
  /** It refuses connections until `start`. */
  kill(): Promise<void>;
  /** What it logged. */
  output(): string;
}

const STARTED_WITHIN_MS = 10_000;

/** `httpPort`: where it looks for the answer to a challenge, in place of port 80. `dnsPort`: of its name server; 0: any. */
export async function startPebble(httpPort: number, dnsPort = 0): Promise<Pebble> {
  const folder = mkdtempSync(join(tmpdir(), "waxwing-pebble-"));
  const own = selfSigned("localhost", Date.now(), systemRandom);
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  writeFileSync(cert, own.cert);
  writeFileSync(key, own.key);
  const [port, managementPort] = [freePort(), freePort()];
  const pebble = {
    ...{ listenAddress: `127.0.0.1:${port}`, managementListenAddress: `127.0.0.1:${managementPort}` },
    ...{ certificate: cert, privateKey: key, httpPort, tlsPort: freePort(), ocspResponderURL: "" },
    externalAccountBindingRequired: false,
  };
  writeFileSync(join(folder, "config.json"), JSON.stringify({ pebble }));
  const names: { address: string | null } = { address: "127.0.0.1" };
  const dns = await startNameServer(() => names.address, dnsPort);
  const started = Bun.spawn(
    [executable ?? "pebble", "-config", join(folder, "config.json"), "-dnsserver", `127.0.0.1:${dns.port}`, "-strict"],
    {
      env: { ...process.env, PEBBLE_VA_NOSLEEP: "1", PEBBLE_WFE_NONCEREJECT: "20", PEBBLE_AUTHZREUSE: "0" },
      stdout: Bun.file(join(folder, "log")),
      stderr: Bun.file(join(folder, "log-2")),
    },
  );
  const fetchFrom = (url: string) => fetch(url, { tls: { ca: own.cert } });
  await until(async () => (await fetchFrom(`https://localhost:${port}/dir`)).ok);
  return {
    directory: `https://localhost:${port}/dir`,
    caFile: cert,
    root: async () => (await fetchFrom(`https://localhost:${managementPort}/roots/0`)).text(),
    get address() {
      return names.address;
    },
    set address(address) {
      names.address = address;
    },
    async kill() {
      started.kill();
      await started.exited;
    },
    output: () => readFileSync(join(folder, "log"), "utf8"),
    async [Symbol.asyncDispose]() {
      started.kill();
      await started.exited;
      dns.socket.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const port = server.port ?? 0;
  void server.stop(true);
  return port;
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + STARTED_WITHIN_MS;
  for (;;) {
    try {
      if (await isDone()) return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    if (performance.now() > end) throw new Error("Pebble did not start");
    await Bun.sleep(20);
  }
}

/** Answers every question for an A record with the address; other questions with nothing. */
async function startNameServer(address: () => string | null, port: number): Promise<{ port: number; socket: Socket }> {
  const socket = createSocket("udp4");
  socket.on("message", (query, sender) => {
    // One question: its name ends with a zero byte; type and class follow.
    const end = query.indexOf(0, 12) + 5;
    const isAddress = query.readUInt16BE(end - 4) === 1;
    const given = address();
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(given === null ? 0x8183 : 0x8180, 2);
    header.writeUInt16BE(isAddress && given !== null ? 1 : 0, 6);
    header.writeUInt32BE(0, 8);
    const answer =
      isAddress && given !== null
        ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...given.split(".").map(Number)])
        : Buffer.alloc(0);
    socket.send(Buffer.concat([header, query.subarray(12, end), answer]), sender.port, sender.address);
  });
  await new Promise<void>((resolve) => socket.bind(port, "127.0.0.1", resolve));
  return { port: socket.address().port, socket };
}
