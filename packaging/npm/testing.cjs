/**
 * A throwaway Waxwing for a test suite: `startWaxwing()` starts `waxwing dev` on a free port; it ends with the suite.
 * See docs/testing.md for what `control` can do.
 */
const { spawn } = require("node:child_process");
const { createInterface } = require("node:readline");
const { executable } = require("./executable.cjs");

/** `options`: of `waxwing dev`, such as `["--seed", "shop.json"]`. `program`: another executable than the package's. */
exports.startWaxwing = async ({ options = [], program = executable() } = {}) => {
  const words = ["dev", "--json", "--listen", "127.0.0.1:0", "--with-parent", ...options];
  const child = spawn(program, words, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`waxwing dev ended with ${code}`)));
  });
  const ready = JSON.parse(line);
  const call = async (url, token, method, body) => {
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  return {
    ready,
    /** The API: answers `{status, body}`, whatever the status. */
    api: (method, path, body) => call(ready.base_url + path, ready.api_key, method, body),
    /** The test control: answers the body, and throws if the call was refused. */
    async control(method, path, body) {
      const answer = await call(ready.control_url + path, ready.control_token, method, body);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
};
