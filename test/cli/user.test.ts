/** `waxwing user`: one-time links and no passwords on the command line; what a first start prints, and where. */
import { expect, test } from "bun:test";
import { Workshop } from "./spawn.ts";

const words = (text: string): string[] => text.split(" ");

test("people are made with a link, listed, given a new link and kept out", async () => {
  using workshop = new Workshop();
  const json = async (text: string) => {
    const { code, stdout, stderr } = await workshop.run([...words(text), "--json"]);
    return { code, stderr, body: JSON.parse(stdout) };
  };
  // It makes the database where there is none.
  const made = await json("user create --email Asha@Example.com --role operator");
  expect(made.body).toMatchObject({ id: 1, email: "Asha@Example.com" });
  expect(made.body.link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/console\/join#\w{30,}$/);
  const refusals = [
    ["user create --email asha@example.com --role operator", "operator already"],
    ["user create --email nobody --role operator", "no e-mail address"],
    ["user create --email b@example.com --role owner", "of which workspace"],
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
    { email: "b@example.com", role: null, workspaces: [{ id: 1, role: "member" }], disabled_at: expect.any(String) },
  ]);
});
