/**
 * A shop's first hour with the executable alone and a browser, by what the pages show:
 *
 * > I have a bakery in Lisbon. My customers are in a list that my niece typed into Excel: numbers with and without +351,
 * > birthdays, two lines above the columns. On Saturday I give two loaves for one and want to write that to all of them.
 * > People will ask whether there is maize bread, and I want to answer. Rui helps me in the shop and should answer too,
 * > and after one o'clock the shop is shut.
 *
 * `PICTURES=DIR bun run test:shop:hour` records it: a numbered picture of each step. The clicks are counted.
 */
import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { noBrowser, openBrowser, waitUntil } from "#test/support/browser.ts";
import { linesOf } from "#test/support/database.ts";
import { placeExecutable } from "#test/support/executable.ts";

const LIMIT_MS = 600_000;
const SLOW_MS = 60_000;
const PEOPLE = 500;
const FIRST = ["Ana", "João", "Inês", "Tiago", "Conceição", "Duarte", "Graça", "Luís"];
const LAST = ["Ferreira", "Gonçalves", "D'Ávila", '"Sousa; Filhos"', "Magalhães"];

/** As Excel saves it in Portugal: separated by semicolons, in the encoding of Windows, with what people type. */
function messyList(): Uint8Array {
  const rows = Array.from({ length: PEOPLE }, (_, index) => {
    const [a, b, c] = ["912", String(100 + (index % 900)), String(200 + Math.floor(index / 3))];
    const forms = [`${a} ${b} ${c}`, `+351 ${a} ${b} ${c}`, `00351${a}${b}${c}`, `(351) ${a}-${b}-${c}`, a + b + c];
    const name = `${FIRST[index % FIRST.length]} ${LAST[index % LAST.length]?.replaceAll('"', "")}`;
    return `"${name}";${forms[index % forms.length]};${String((index % 28) + 1).padStart(2, "0")}/05/1971;`;
  });
  const lines = [
    "Clientes da padaria;;;",
    "",
    "Nome;Telemóvel;Nascimento;Notas",
    ...rows,
    rows[0],
    "Sem número;;;",
    ";;;",
  ];
  return Buffer.from(lines.join("\r\n"), "latin1");
}

async function startShop(directory: string) {
  const executable = join(directory, "waxwing");
  await placeExecutable(executable);
  const server = Bun.spawn([executable, "serve", "--listen", "127.0.0.1:0"], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? "" },
    stdout: "pipe",
    stderr: "pipe",
  });
  for await (const line of linesOf(server.stderr)) {
    const file = /it is in (\S+setup-link)$/.exec(line)?.[1];
    if (file !== undefined) return { server, link: readFileSync(file, "utf8").trim() };
  }
  throw new Error("the server wrote no set-up link");
}

/** What a person does, counted, with a picture of each step. */
class Hour {
  clicks = 0;
  #pictures = 0;

  async click(what: Locator): Promise<void> {
    await what.click();
    this.clicks += 1;
  }

  async picture(page: Page, name: string): Promise<void> {
    const folder = process.env.PICTURES;
    this.#pictures += 1;
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${String(this.#pictures).padStart(2, "0")}-${name}.png`) });
  }
}

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "a new shop gets from the first link to a broadcast, two answers, a colleague and opening hours, by the pages alone",
    async () => {
      const begun = performance.now();
      const directory = mkdtempSync(join(tmpdir(), "waxwing-hour-"));
      const { server, link } = await startShop(directory);
      try {
        await using owner = await openBrowser();
        await using colleague = await openBrowser();
        const { page, button } = owner;
        page.setDefaultTimeout(SLOW_MS);
        colleague.page.setDefaultTimeout(SLOW_MS);
        const hour = new Hour();
        const open = (name: string | RegExp) => hour.click(page.getByRole("link", { name, exact: true }).first());
        const press = (name: string) => hour.click(button(name));
        const label = (name: string) => page.getByLabel(name, { exact: true });

        await page.goto(link);
        await label("E-mail").fill("ines@padaria.example");
        await label("Password").fill("uma boa palavra longa");
        await hour.picture(page, "first-link");
        await press("Create operator");
        await label("Name").fill("Padaria da Inês");
        await label("Country").selectOption("PT");
        await label("Timezone").selectOption("Europe/Lisbon");
        await press("Create workspace");
        await page.getByText("0 of 5 done").waitFor();
        await hour.picture(page, "home");

        // The first steps are no command of a terminal: also the page of templates leads to the number.
        await open("Templates");
        await open("Add number");
        await open("Add simulator number");
        await label("Phone").fill("+44 20 7946 0100");
        await label("Name").fill("Padaria");
        await hour.picture(page, "number");
        await press("Add number");
        await page.getByText("Ready").first().waitFor();

        await open("Home");
        await page.getByText("1 of 5 done").waitFor();
        await open("New template");
        await hour.click(page.getByRole("button", { name: /^Marketing/ }));
        await label("Name").fill("oferta_sabado");
        await label("Language").selectOption("pt_PT");
        await label("Text").fill("Bom dia! Este sábado há dois pães pelo preço de um, das 8 às 13 h.");
        await page.getByText("Draft saved").waitFor();
        await hour.picture(page, "template");
        await press("Send for review");
        await label("Decision").selectOption("APPROVED");
        await press("Save decision");
        await page.getByRole("cell", { name: "Approved" }).waitFor();
        await hour.picture(page, "approved");

        const list = join(directory, "clientes.csv");
        writeFileSync(list, messyList());
        await open("Home");
        await page.getByText("2 of 5 done").waitFor();
        await open("Import contacts");
        await page.getByLabel("Choose a file").setInputFiles(list);
        await page.getByText("Detected: In line 3").waitFor({ state: "attached" });
        await hour.click(label("Yes, all of them"));
        await label("How did they agree?").fill("Signed at the till");
        await hour.picture(page, "import");
        await press("Check file");
        await hour.click(button(`Import ${PEOPLE} contacts`));
        await page.getByText(`${PEOPLE} contacts imported, 1 row failed.`).waitFor();
        await hour.picture(page, "imported");

        await open("Home");
        await page.getByText("3 of 5 done").waitFor();
        await open("New broadcast");
        await hour.click(page.getByRole("button", { name: /^Use/ }));
        // There is no group yet: everybody who agreed is suggested.
        await press("Everybody who agreed");
        await page.getByText(`Matches ${PEOPLE} people`).waitFor();
        await hour.picture(page, "everybody");
        await press("Create group");
        await page
          .getByRole("option", { name: `Everybody who agreed – ${PEOPLE} people` })
          .waitFor({ state: "attached" });
        await press("Next");
        await page.getByText("This template has no placeholders.").waitFor();
        await press("Next");
        await label("Broadcast name").fill("Sábado");
        await button(`Send to ${PEOPLE} people`).waitFor();
        await hour.picture(page, "review");
        await press(`Send to ${PEOPLE} people`);
        await page.getByText(`${PEOPLE} sent,`).waitFor();
        await hour.picture(page, "sent");

        // Two people ask, on their phones of the simulator.
        for (const [phone, words] of [
          ["+351912100200", "Há broa?"],
          ["+351912101200", "A que horas abrem?"],
        ] as const) {
          await page.getByRole("link", { name: "Simulator", exact: true }).click();
          await label("Phone number").fill(phone);
          await label("Phone number").press("Enter");
          await label("Write as this person").fill(words);
          await label("Write as this person").press("Enter");
          await page.locator("main").getByText(words).first().waitFor();
        }
        const answer = async (words: string, reply: string): Promise<void> => {
          await hour.click(page.getByRole("link").filter({ hasText: words }).first());
          await label("Your reply").fill(reply);
          await press("Send reply");
          await page.getByRole("main").getByText(reply).first().waitFor();
        };
        await open(/^Inbox/);
        // The simulator, which is shown until the inbox is loaded, has links with these words, too.
        await page.getByRole("heading", { name: "Inbox" }).waitFor({ state: "attached" });
        await answer("Há broa?", "Sim, a partir das nove.");
        await answer("A que horas abrem?", "Às oito.");
        await hour.picture(page, "answers");

        await open("Members");
        await press("Invite");
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("E-mail").fill("rui@padaria.example");
        await hour.click(dialog.getByRole("button", { name: "Invite", exact: true }));
        const invitation = dialog.locator("code").filter({ hasText: "/console/join#" }).first();
        const address = (await invitation.textContent()) ?? "";
        await hour.picture(page, "invitation");
        await press("I have sent it");
        await colleague.page.goto(address);
        await colleague.page.getByLabel("Password").fill("outra palavra bem longa");
        await colleague.button("Set password and sign in").click();
        await colleague.page.getByRole("heading", { name: "Home" }).waitFor();
        await hour.picture(colleague.page, "colleague");

        await open("Settings");
        await label("Opening hours").fill("mon-sat 08:00-13:00");
        await press("Save settings");
        await page.getByText("Saved", { exact: true }).first().waitFor();
        await page.reload();
        // The server says it in full.
        await waitUntil(async () => (await label("Opening hours").inputValue()) === "mon-sat 08:00-13:00; sun closed");
        await hour.picture(page, "opening-hours");
        await open("Home");
        await page.getByRole("region", { name: "First steps for developers" }).waitFor();
        expect(await page.getByRole("region", { name: "First steps for the shop" }).count()).toBe(0);
        await hour.picture(page, "end");

        expect([owner.troubles, colleague.troubles]).toEqual([[], []]);
        expect(hour.clicks).toBeLessThanOrEqual(45);
        console.log(`a shop's first hour: ${hour.clicks} clicks, ${Math.round((performance.now() - begun) / 1_000)} s`);
      } finally {
        server.kill("SIGTERM");
        await server.exited;
        rmSync(directory, { recursive: true, force: true });
      }
    },
    LIMIT_MS,
  );
});
