// A throwaway Waxwing in a container, with Testcontainers and the OCI image of a release. Copy it; it needs the package
// `testcontainers` (12 was tried). `podman load --input waxwing-oci.tar`, or `skopeo copy oci-archive:waxwing-oci.tar
// docker-daemon:waxwing:0.1.0`; IMAGE names the image.
import { GenericContainer, Wait } from "testcontainers";

const PORT = 8080;

/** `options`: of `waxwing dev`. `seed`: a file with the workspaces to create. */
export async function startWaxwing({ image = process.env.IMAGE ?? "waxwing:0.1.0", options = [], seed } = {}) {
  const words = ["dev", "--json", "--listen", `0.0.0.0:${PORT}`, ...options];
  let container = new GenericContainer(image)
    // The suite comes from outside the container; the token of the test control still keeps others out.
    .withEnvironment({ WAXWING_SIMULATOR_CONTROL_FROM: "0.0.0.0/0,::/0" })
    .withCommand(seed === undefined ? words : [...words, "--seed", "/seed.json"])
    .withExposedPorts(PORT)
    .withWaitStrategy(Wait.forLogMessage(/"base_url"/));
  if (seed !== undefined) container = container.withCopyFilesToContainer([{ source: seed, target: "/seed.json" }]);
  const started = await container.start();
  const ready = await readyOf(started);
  const origin = `http://${started.getHost()}:${started.getMappedPort(PORT)}`;
  return {
    ready,
    number: ready.number,
    webhookSecret: ready.webhook_secret,
    /** The API, as the shop's own code calls it. */
    api: (method, path, body) => call(`${origin}/api/v1${path}`, ready.api_key, method, body),
    /** The test control. */
    control: (method, path, body) => call(`${origin}/control/v1${path}`, ready.control_token, method, body),
    stop: () => started.stop(),
  };
}

/** The first line that `dev` prints. */
async function readyOf(started) {
  let text = "";
  for await (const piece of await started.logs()) {
    text += piece;
    const line = text.split("\n").find((one, index, all) => index < all.length - 1 && one.includes('"base_url"'));
    if (line !== undefined) return JSON.parse(line.slice(line.indexOf("{")));
  }
  throw new Error(`waxwing dev ended: ${text}`);
}

async function call(url, token, method, body) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await fetch(url, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}
