/** `waxwing user`: accounts get one-time links; no password is ever typed on the command line. */
import { expect, test } from "bun:test";
import { openClient } from "#src/db/driver.ts";
import { Workshop } from "./spawn.ts";

const words = (text: string): string[] => text.split(" ");

test("user create does not demote the only owner of a workspace", async () => {
  using workshop = new Workshop();
  await workshop.json(words("workspace create --name Shop --country IN --timezone UTC"));
  const create = ["user", "create", "--email", "sole@example.com", "--workspace", "1", "--role"];
  await workshop.json([...create, "owner"]);
  const client = openClient(workshop.path("data/waxwing.db"), {});
  client.exec("INSERT INTO memberships (user_id, workspace_id, role, created_at) VALUES (1, 1, 'owner', 1)");
  client.close();
  expect(JSON.stringify(await workshop.refusal([...create, "agent"]))).toContain("the only owner of the workspace");
  expect(await workshop.json<unknown>(["user", "list"])).toMatchObject([{ workspaces: [{ id: 1, role: "owner" }] }]);
});

test("user create and reset-password print a one-time link, user list shows all users, and impossible requests are refused", async () => {
  using workshop = new Workshop();
  const json = async (text: string) => {
    const { code, stdout, stderr } = await workshop.run([...words(text), "--json"]);
    return { code, stderr, body: JSON.parse(stdout) };
  };
  // This command creates the database.
  const made = await json("user create --email Asha@Example.com --role operator");
  expect(made.body).toMatchObject({ id: 1, email: "Asha@Example.com" });
  expect(made.body.link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/console\/join#\w{30,}$/);
  const refusals = [
    ["user create --email asha@example.com --role operator", "already an operator"],
    ["user create --email nobody --role operator", "not an e-mail address"],
    ["user create --email b@example.com --role owner", "needs a workspace"],
    ["user create --email b@example.com --role member --workspace 9", "no such workspace"],
    ["user disable --email asha@example.com", "only operator"],
    ["user reset-password --email b@example.com", "no user"],
  ] as const;
  for (const [text, sentence] of refusals) {
    const { code, body } = await json(text);
    expect([text, code, body.error.message]).toEqual([text, 1, expect.stringContaining(sentence)]);
  }
  await workshop.run(words("workspace create --name Shop --country IN --timezone UTC"));
  await json("user create --email b@example.com --role member --workspace 1");
  const reset = await json("user reset-password --email B@example.com");
  expect(reset.body.link).toContain("/console/join#");
  await json("user disable --email b@example.com");
  expect((await json("user list")).body).toMatchObject([
    { email: "Asha@Example.com", role: "operator", has_password: false, second_factor: false, disabled_at: null },
    { email: "b@example.com", role: null, workspaces: [], invitations: [], disabled_at: expect.any(String) },
  ]);
});

test("inviting an existing account to another workspace prints a link, and tells the inviter about the account", async () => {
  using workshop = new Workshop();
  await workshop.run(words("workspace create --name Shop --country IN --timezone UTC"));
  await workshop.run(words("workspace create --name Bakery --country IN --timezone UTC"));
  const create = "user create --email b@example.com --role member --workspace";
  const first = await workshop.json(words(`${create} 1`));
  expect(first).toMatchObject({ link: expect.stringContaining("/console/join#"), account: null });
  const other = await workshop.json(words(`${create} 2`));
  expect(other).toMatchObject({ link: expect.stringContaining("/console/join#"), account: null });
  const invitations = [
    { id: 1, role: "member" },
    { id: 2, role: "member" },
  ];
  expect(await workshop.json<unknown>(words("user list"))).toMatchObject([{ workspaces: [], invitations }]);
  const several = await workshop.refusal(words("user reset-password --email b@example.com"));
  expect(several.message).toContain("several workspaces");

  // The same rows as after the first link has been used.
  const client = openClient(workshop.path("data/waxwing.db"), {});
  client.exec(`UPDATE user_links SET used_at = 1 WHERE workspace_id = 1; UPDATE users SET password = 'x';
    INSERT INTO memberships (user_id, workspace_id, role, created_at) VALUES (1, 1, 'member', 1)`);
  client.close();
  const again = await workshop.json(words(`${create} 2`));
  expect(again).toMatchObject({ account: { is_in_use: true }, link: expect.stringContaining("/join#") });
  const { stdout } = await workshop.run(words(`${create} 2`));
  expect(stdout).toContain("waxwing user reset-password");
  expect((await workshop.run(words("user list"))).stdout).toContain("member of 1, invited as member of 2");
  const changed = await workshop.run(words("user create --email b@example.com --role owner --workspace 1"));
  expect(changed.stdout).toContain("no link is needed");
});

test("user invite prints a text to pass on, and user role changes a member's role and numbers and no other's", async () => {
  using workshop = new Workshop();
  await workshop.json(words("workspace create --name Shop --country IN --timezone UTC"));
  await workshop.json(words("number add --workspace 1 --phone +911244001100 --name Shop --network simulator"));
  const invite = words("user invite --workspace 1 --email b@example.com --role agent --numbers 1");
  const made = await workshop.json<{ link: string; text: string }>(invite);
  expect(made.link).toContain("/console/join#");
  expect(made.text).toContain("You are invited to Shop as agent.");
  expect(made.text).toContain(made.link);
  expect(made).toMatchObject({ mailed: false, account: null });
  expect((await workshop.run(invite)).stdout).toContain("It works once, until ");
  expect((await workshop.refusal([...invite, "--mail"])).message).toContain("sends no e-mail");

  const role = (more: string) => words(`user role --workspace 1 --email b@example.com --role ${more}`);
  expect((await workshop.refusal(role("member"))).message).toContain("not a member of workspace 1");
  const client = openClient(workshop.path("data/waxwing.db"), {});
  client.exec("INSERT INTO memberships (user_id, workspace_id, role, created_at) VALUES (1, 1, 'agent', 1)");
  client.close();
  expect(await workshop.json(role("agent --numbers +911244001100"))).toMatchObject({ role: "agent", numbers: [1] });
  expect(await workshop.json(role("agent"))).toMatchObject({ numbers: [1] });
  expect(await workshop.json(role("agent --numbers all"))).toMatchObject({ numbers: null });
  expect((await workshop.refusal(role("member --numbers 1"))).message).toContain("Only agents");
  expect(await workshop.json(role("owner"))).toMatchObject({ role: "owner", numbers: null });
  expect((await workshop.refusal(role("member"))).message).toContain("the only owner");
  expect((await workshop.refusal(invite)).message).toContain("waxwing user role");
  expect(
    (await workshop.refusal(words("user role --workspace 9 --email b@example.com --role owner"))).message,
  ).toContain("no such workspace");
});
