/** `waxwing tail`: each request and each event of a dev once, in order, and from a cursor on. */
import { expect, test } from "bun:test";
import { Workshop } from "./spawn.ts";

interface Line {
  kind: "request" | "event";
  after: string | number;
  path?: string;
  status?: number;
  type?: string;
}

test("shows requests and events as they happen, and continues from its cursors", async () => {
  using workshop = new Workshop();
  const env = { XDG_RUNTIME_DIR: workshop.directory };
  const dev = await workshop.start(["dev", "--json", "--listen", "127.0.0.1:0"], { env });
  const ready = JSON.parse(dev.firstLine) as { base_url: string; api_key: string };
  const headers = { authorization: `Bearer ${ready.api_key}` };
  const ask = (path: string) => fetch(`${ready.base_url}${path}`, { headers });

  /** Reads the lines of `tail` until `isDone`, while `act` makes things happen. */
  async function tail(
    args: string[],
    act: () => Promise<unknown>,
    isDone: (lines: Line[]) => boolean,
  ): Promise<Line[]> {
    const child = workshop.piped(["tail", "--json", ...args], { env });
    const lines: Line[] = [];
    let text = "";
    const acting = act();
    for await (const bytes of child.stdout) {
      text += new TextDecoder().decode(bytes);
      const whole = text.split("\n");
      text = whole.pop() ?? "";
      lines.push(...whole.map((line) => JSON.parse(line) as Line));
      if (isDone(lines)) break;
    }
    await acting;
    child.kill("SIGTERM");
    await child.exited;
    return lines;
  }
  const ofRequests = (lines: Line[]) =>
    lines.filter(({ kind, path }) => kind === "request" && path?.includes("/groups"));

  await ask("/groups?page=1");
  const seen = await tail(
    ["--after-request", "0"],
    async () => {
      await ask("/groups?page=2");
      await workshop.json(["trigger", "message.received"], { env });
    },
    (lines) => ofRequests(lines).length >= 2 && lines.some(({ type }) => type === "message.received"),
  );
  expect(ofRequests(seen).map(({ path }) => path)).toEqual(["/api/v1/groups?page=1", "/api/v1/groups?page=2"]);
  await ask("/groups?page=zero");
  const [cursor] = ofRequests(seen).slice(-1);
  const more = await tail(
    ["--after-request", String(cursor?.after)],
    () => ask("/groups?page=4"),
    (lines) => ofRequests(lines).length >= 2,
  );
  expect(ofRequests(more).map(({ path, status }) => [path, status])).toEqual([
    ["/api/v1/groups?page=zero", 400],
    ["/api/v1/groups?page=4", 200],
  ]);

  const refused = await workshop.run(["tail", "--json", "--after", "nonsense"], { env });
  expect(JSON.parse(refused.stdout).error).toMatchObject({
    code: "refused_cursor",
    message: expect.stringContaining("is not a cursor of this list"),
  });
  dev.child.kill("SIGTERM");
});
