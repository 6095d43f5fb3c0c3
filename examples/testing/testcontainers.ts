/**
 * NOT RUN by this repository's tests: they have no container runtime. The generic class of Testcontainers with the OCI
 * image of a release (`skopeo copy oci-archive:waxwing-oci.tar docker-daemon:waxwing:0.1.0`). Test control answers its
 * own machine only, so the suite runs in the container's network namespace, or does without test control as here.
 */
import { GenericContainer, Wait } from "testcontainers";

const container = await new GenericContainer("waxwing:0.1.0")
  .withCommand(["dev", "--json", "--listen", "0.0.0.0:8080", "--seed", "/seed.json"])
  .withCopyFilesToContainer([{ source: "shop.seed.json", target: "/seed.json" }])
  .withExposedPorts(8080)
  .withWaitStrategy(Wait.forLogMessage(/"base_url"/))
  .start();

const base = `http://${container.getHost()}:${container.getMappedPort(8080)}/api/v1`;
// The fixed key of the seed.
const headers = { authorization: "Bearer wx_test_corner_shop_0001", "content-type": "application/json" };
const message = { to: "+442079460210", template: "order_shipped", variables: ["Asha", "A-1042"] };
const answer = await fetch(`${base}/messages`, { method: "POST", headers, body: JSON.stringify(message) });
console.log(answer.status);
await container.stop();
