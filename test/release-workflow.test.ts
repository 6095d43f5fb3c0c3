/**
 * The release workflow: its steps are scripts that run anywhere, it asks for the owner's tokens alone, it publishes what a
 * token is there for, in the right order and once, and a release that lacks a file does not pass.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout } from "./support/source.ts";
import { writeRelease } from "./support/upgrades.ts";

const workflow = readFileSync(join(checkout, ".github/workflows/release.yml"), "utf8");
const workshop = mkdtempSync(join(tmpdir(), "waxwing-publish-"));
afterAll(() => rmSync(workshop, { recursive: true, force: true }));

describe("the release workflow", () => {
  const { jobs } = Bun.YAML.parse(workflow) as { jobs: { release: { steps: { run?: string }[] } } };
  const steps = jobs.release.steps.flatMap(({ run }) => (run === undefined ? [] : [run]));

  test("runs scripts of the checkout, which can be run elsewhere too", () => {
    const own = steps.flatMap((step) => [...step.matchAll(/scripts\/[\w/.-]+/g)].map(([path]) => path));
    expect(own).toEqual(["make.sh", "clients.sh", "check.ts", "publish.sh"].map((name) => `scripts/release/${name}`));
    for (const path of own) expect(existsSync(join(checkout, path))).toBe(true);
    for (const name of ["make.sh", "clients.sh", "publish.sh"]) {
      const { exitCode, stderr } = Bun.spawnSync(["sh", "-n", join(checkout, "scripts/release", name)]);
      expect({ name, exitCode, said: stderr.toString() }).toEqual({ name, exitCode: 0, said: "" });
    }
  });

  test("needs the owner's key and tokens, and nothing else", () => {
    const asked = [...workflow.matchAll(/secrets\.(\w+)/g)].map(([, name]) => name);
    expect(asked).toEqual(["RELEASE_KEY", "NPM_TOKEN", "PYPI_TOKEN"]);
  });
});

describe("publish.sh", () => {
  const place = join(workshop, "checkout");
  const log = join(workshop, "log");
  /** Writes down what it is called with; npm says of the platforms of arm64 that they are published already. */
  const fake = (name: string, body = "") => {
    const path = join(workshop, "bin", name);
    writeFileSync(path, `#!/bin/sh\necho "${name} $*" >>'${log}'\n${body}\n`);
    chmodSync(path, 0o755);
  };
  beforeAll(() => {
    mkdirSync(join(workshop, "bin"));
    mkdirSync(join(place, "scripts/release"), { recursive: true });
    cpSync(join(checkout, "scripts/release/publish.sh"), join(place, "scripts/release/publish.sh"));
    for (const name of [
      "release/waxwing-1.2.3.tgz",
      "clients/waxwing_client-1.2.3.tar.gz",
      "clients/waxwing_client.whl",
    ]) {
      mkdirSync(join(place, "dist", name, ".."), { recursive: true });
      writeFileSync(join(place, "dist", name), "");
    }
    fake("gh", 'if [ "$2" = view ]; then exit 1; fi');
    fake("skopeo");
    fake("npm", 'case "$*" in "view waxwing-linux-arm64"*) echo 1.2.3 ;; esac');
    // A virtual environment whose programs are these fakes.
    fake("python3", `mkdir -p "$3/bin"; for name in pip twine; do cp '${join(workshop, "bin")}/'$name "$3/bin/"; done`);
    fake("pip");
    fake("twine", 'test "$TWINE_PASSWORD" = pypi-secret');
  });

  function publish(env: Record<string, string>): { code: number; said: string; calls: string[] } {
    rmSync(log, { force: true });
    const { exitCode, stdout, stderr } = Bun.spawnSync(["sh", "scripts/release/publish.sh", "v1.2.3"], {
      cwd: place,
      env: {
        PATH: `${join(workshop, "bin")}:${process.env.PATH}`,
        GITHUB_REPOSITORY: "Shop/Waxwing",
        GITHUB_ACTOR: "shop",
        ...env,
      },
    });
    const calls = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
    return { code: exitCode, said: `${stdout}${stderr}`, calls };
  }

  test("without a token publishes nothing, and says what it skipped", () => {
    const { code, said, calls } = publish({});
    expect({ code, calls }).toEqual({ code: 0, calls: [] });
    for (const token of ["GH_TOKEN", "NPM_TOKEN", "PYPI_TOKEN"]) expect(said).toContain(`(no ${token})`);
  });

  test("with all of them publishes everything, the platforms before waxwing, and nothing a second time", () => {
    const tokens = { GH_TOKEN: "gh-secret", NPM_TOKEN: "npm-secret", PYPI_TOKEN: "pypi-secret" };
    const { code, said, calls } = publish(tokens);
    expect({ code, said: said.includes("skipped") }).toEqual({ code: 0, said: false });
    const published = calls.filter((call) => / (publish|create|upload|copy) /.test(call));
    expect(published.map((call) => call.split(" ").slice(0, 4).join(" "))).toEqual([
      "gh release create v1.2.3",
      "skopeo copy --all oci-archive:dist/release/waxwing-oci.tar",
      "npm publish dist/release/waxwing-linux-x64-1.2.3.tgz --access",
      "npm publish dist/release/waxwing-darwin-arm64-1.2.3.tgz --access",
      "npm publish dist/release/waxwing-1.2.3.tgz --access",
      "npm publish dist/clients/waxwing-client-1.2.3.tgz --access",
      "twine upload --non-interactive --skip-existing",
    ]);
    expect(said).toContain("there already: waxwing-linux-arm64 1.2.3");
    expect(published[1]).toEndWith("docker://ghcr.io/shop/waxwing:1.2.3");
    // A list of processes would show them.
    for (const secret of Object.values(tokens)) expect(calls.join("\n")).not.toContain(secret);
  });

  test("ends with the error of a place that refuses", () => {
    fake("gh", 'if [ "$2" = view ]; then exit 1; fi; echo refused >&2; exit 4');
    expect(publish({ GH_TOKEN: "gh-secret", NPM_TOKEN: "npm-secret" })).toMatchObject({
      code: 4,
      said: expect.stringContaining("refused"),
      calls: [expect.any(String), expect.stringContaining("gh release create")],
    });
  });
});

test("a release that lacks its packages does not pass the check, which names each", async () => {
  const release = join(workshop, "release");
  writeFileSync(join(workshop, "program"), '#!/bin/sh\necho \'{"version":"1.2.3"}\'\n');
  const { privateKey } = generateKeyPairSync("ed25519");
  writeRelease(release, { version: "1.2.3", schema: 1, executable: join(workshop, "program"), key: privateKey });
  const words = ["scripts/release/check.ts", "--release", release, "--clients", join(workshop, "none")];
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, ...words], { cwd: checkout });
  const lines = stdout.toString().split("\n");
  expect(exitCode).toBe(1);
  for (const what of [
    "the checksums",
    "the Debian package",
    "the npm packages",
    "the image",
    "the client of npm",
    "the client of PyPI",
  ])
    expect(lines.find((line) => line.includes(what))).toStartWith("FAILED");
});
