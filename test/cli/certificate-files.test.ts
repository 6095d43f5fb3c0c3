/** The operator's own certificate files: taken up while the server runs, refused when they do not fit, named in words. */
import { expect, test } from "bun:test";
import { connect } from "node:tls";
import { selfSigned } from "#src/certificates/der.ts";
import { systemRandom } from "#src/core/random.ts";
import { Workshop } from "./spawn.ts";

const newPair = () => selfSigned("wa.example.com", Date.now(), systemRandom);

function shownBy(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.toString().trim() ?? "");
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

test("changed certificate files and the log level are taken up on SIGHUP; a pair that does not fit is refused and named", async () => {
  using workshop = new Workshop();
  const write = ({ cert, key }: { cert: string; key: string }) => {
    workshop.write("cert.pem", cert);
    workshop.write("key.pem", key);
  };
  const configure = (level: string) =>
    workshop.write(
      "waxwing.toml",
      `[server]\ntls_cert = "cert.pem"\ntls_key = "key.pem"\n[log]\nlevel = "${level}"\n[backup]\nschedule = ""\n`,
    );
  const [first, second] = [newPair(), newPair()];
  configure("warn");

  write({ cert: first.cert, key: second.key });
  const refused = await workshop.run(["serve", "--listen", "127.0.0.1:0"]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("key.pem is not the private key of the certificate in");
  expect(refused.stderr).toContain("name in [server] tls_key the key");

  write(first);
  const { child, firstLine } = await workshop.start(["serve", "--listen", "127.0.0.1:0"]);
  const log = new Response(child.stderr).text();
  const url = firstLine.replace("listening on ", "");
  expect(await shownBy(url)).toBe(first.cert.trim());

  const taken = async (cert: string): Promise<boolean> => {
    for (let tries = 0; tries < 200; tries++) {
      child.kill("SIGHUP");
      if ((await shownBy(url)) === cert.trim()) return true;
      await Bun.sleep(20);
    }
    return false;
  };
  write(second);
  configure("debug");
  expect(await taken(second.cert)).toBe(true);
  await fetch(`${url}/api/v1/me`, { tls: { rejectUnauthorized: false } });

  write({ cert: first.cert, key: second.key });
  child.kill("SIGHUP");
  const told = async (): Promise<string | undefined> => {
    for (let tries = 0; tries < 20; tries++) {
      const { stdout } = await workshop.run(["status", "--json"]);
      const { conditions } = JSON.parse(stdout) as { conditions: { id: string; says: string }[] };
      const found = conditions.find(({ id }) => id === "certificate_unreadable");
      if (found !== undefined) return found.says;
    }
    return undefined;
  };
  expect(await told()).toContain("is not the private key of");
  expect(await shownBy(url)).toBe(second.cert.trim());
  const check = await workshop.run(["config", "check"]);
  expect(check.stdout).toContain("waxwing.toml:3: server.tls_key:");

  // A configuration that cannot be read changes nothing.
  workshop.write("waxwing.toml", "[server\n");
  child.kill("SIGHUP");
  await Bun.sleep(100);
  expect(await shownBy(url)).toBe(second.cert.trim());
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
  const logged = await log;
  for (const event of ["certificate.reloaded", "certificate.files_refused", "request.answered"])
    expect(logged).toContain(event);
  expect(logged).toContain("The configuration is not read again:");
});

test("the samples of the documentation use https where the server does", async () => {
  using workshop = new Workshop();
  const { cert, key } = newPair();
  workshop.write("cert.pem", cert);
  workshop.write("key.pem", key);
  workshop.write("waxwing.toml", '[server]\ntls_cert = "cert.pem"\ntls_key = "key.pem"\n[backup]\nschedule = ""\n');
  const { child, firstLine } = await workshop.start(["serve", "--listen", "127.0.0.1:0"]);
  const url = firstLine.replace("listening on ", "");
  expect(url).toStartWith("https://");
  const page = await fetch(`${url}/docs/first-message`, { tls: { rejectUnauthorized: false } });
  expect(await page.text()).toContain(`${url}/api/v1/messages`);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});
