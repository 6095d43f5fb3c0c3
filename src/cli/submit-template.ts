/** `waxwing template library`, `check`, `submit`, `correct` and `delete`: what `POST /templates` and its neighbours do, for an operator. */
import type { ReadTx } from "#src/db/transaction.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { chooseAccount } from "#src/domain/templates/choose-account.ts";
import { findHints } from "#src/domain/templates/rules/check.ts";
import { findProblems } from "#src/domain/templates/submission.ts";
import { viewTemplate } from "#src/domain/templates/view.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { MediaFiles } from "#src/media/files.ts";
import type { SubmissionRequest } from "#src/sending/submit-template.ts";
import { type Command, command } from "./command.ts";
import type { Context } from "./context.ts";
import { type Database, withDatabase } from "./database.ts";
import { CommandFailure } from "./failure.ts";
import { readInputJson } from "./input.ts";
import { file, positional, required, text, workspaceOption } from "./option.ts";
import { table } from "./output.ts";

const name = positional(text("NAME", "The template's name"));
const templateFile = required(
  file("FILE|-", "File with the template as JSON, in Meta's format and with samples; - for stdin"),
);
const LISTED_MAX = 50;
const from = text("PHONE", "One of the workspace's numbers, if they have several accounts");

const word = (about: string) => text("TEXT", about);

export const commands: readonly Command[] = [
  command(
    "template library",
    {
      summary: "List WhatsApp's template library",
      details:
        "Asks WhatsApp for templates whose words are reviewed already; up to 50 are listed. Submit one with library in the\nfile of waxwing template submit: its name, and an input for each of its buttons.",
    },
    {
      workspace: workspaceOption,
      search: word("Words in names and texts"),
      from,
      language: text("L", "Only this language, such as en_US"),
      topic: word("Only this topic, in WhatsApp's words"),
      usecase: word("Only this use, in WhatsApp's words"),
      industry: word("Only this industry, in WhatsApp's words"),
    },
    (context, values) =>
      withDatabase(context, "read", async (database) => {
        const number = database.store.read((tx) => numberOf(tx, values, null));
        const { listLibrary } = await import("#src/sending/template-library.ts");
        const { search, language, topic, usecase, industry } = values;
        const asked = Object.entries({ search, language, topic, usecase, industry }).filter(
          ([, of]) => of !== undefined,
        );
        const { entries } = await listLibrary(await libraryOf(context, database), number, {
          ...Object.fromEntries(asked),
          limit: LISTED_MAX,
        });
        return {
          json: entries,
          text: table(
            entries.map((one) => ({
              ...{ name: one.name, language: one.language, category: one.category },
              ...{ buttons: one.buttons.map(({ type }) => type).join(", ") || null, text: one.body },
            })),
            "The library has no such template.",
          ),
        };
      }),
  ),
  command(
    "template check",
    {
      summary: "Check a template before it is submitted",
      details:
        "The file is JSON: name, language, category and components, in Meta's format, or library instead of components.\nNothing is submitted. The exit code is 1 if something is wrong; what WhatsApp may find in its review leaves it 0.",
    },
    { workspace: workspaceOption, file: templateFile, from },
    async (context, values) => {
      const body = await readTemplate(context, values.file);
      return withDatabase(context, "read", async (database) => {
        const { store } = database;
        const number = store.read((tx) => numberOf(tx, values, null));
        const { findLibraryEntry } = await import("#src/sending/template-library.ts");
        const entry =
          body.library === undefined
            ? undefined
            : await findLibraryEntry(await libraryOf(context, database), number, body);
        const { workspaceId, accountId } = number;
        const key = { workspaceId, accountId, name: textOf(body.name), language: textOf(body.language) };
        const problems = store.read((tx) => findProblems(tx, key, body, null, entry));
        const warnings = findHints(body);
        const found = warnings.map(({ path, message, source }) => ({
          ...{ member: path, "what WhatsApp may find": message, source },
        }));
        return {
          json: { valid: problems.length === 0, problems, warnings },
          text: [
            table(
              problems.map(({ path, message }) => ({ member: path, "what would be right": message })),
              "Nothing is wrong: waxwing template submit …",
            ),
            ...(warnings.length === 0 ? [] : [table(found, "")]),
          ].join("\n\n"),
          exitCode: problems.length === 0 ? 0 : 1,
        };
      });
    },
  ),
  command(
    "template submit",
    {
      summary: "Submit a template to WhatsApp",
      details:
        "The file is JSON: name, language, category and components, in Meta's format; or library instead of components, for\none of waxwing template library. WhatsApp reviews the template; waxwing template list shows what it decides. Where\nWhatsApp does not answer, run the command again after a minute: nothing is submitted twice.",
    },
    { workspace: workspaceOption, file: templateFile, from },
    async (context, values) => {
      const body = await readTemplate(context, values.file);
      return submit(context, values.workspace, (tx) => ({
        ...{ number: numberOf(tx, values, null), action: "create" },
        ...{ name: textOf(body.name), language: textOf(body.language), body },
      }));
    },
  ),
  command(
    "template correct",
    {
      summary: "Correct a template at WhatsApp",
      details:
        "Replaces all parts; WhatsApp reviews the template again. An approved one can be corrected once in 24 hours and\nten times in 30 days, and keeps its category.",
    },
    {
      ...{ name, workspace: workspaceOption, language: required(text("L", "Its language, such as en_US")) },
      ...{ file: templateFile, from },
    },
    async (context, values) => {
      const body = await readTemplate(context, values.file);
      return submit(context, values.workspace, (tx) => ({
        ...{ number: numberOf(tx, values, values.name), action: "correct", name: values.name },
        ...{ language: values.language, body: { ...body, name: values.name, language: values.language } },
      }));
    },
  ),
  command(
    "template delete",
    {
      summary: "Delete a template at WhatsApp",
      details:
        "Deletes one language, or all. For 30 days, the name of an approved one cannot be used again in this language.",
    },
    { name, workspace: workspaceOption, language: text("L", "Only this language (default: all)"), from },
    (context, values) =>
      submit(context, values.workspace, (tx) => ({
        ...{ number: numberOf(tx, values, values.name), action: "delete", name: values.name },
        ...{ language: values.language ?? null, body: null },
      })),
  ),
];

async function readTemplate(context: Context, path: string): Promise<Readonly<Record<string, unknown>>> {
  const read = await readInputJson(context, "--file", path);
  if (typeof read === "object" && read !== null && !Array.isArray(read)) return read as Record<string, unknown>;
  throw new CommandFailure("invalid_request", "--file: the template is a JSON object.");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(tx: ReadTx, values: { workspace: number; from?: string | undefined }, template: string | null) {
  return chooseAccount(tx, getWorkspace(tx, values.workspace), values.from ?? null, template);
}

function submit(context: Context, workspaceId: number, read: (tx: ReadTx) => SubmissionRequest) {
  return withDatabase(context, "write", async (database) => {
    const { store } = database;
    const request = store.read(read);
    if (request.number.network === "simulator") {
      throw new CommandFailure(
        "simulator_number",
        `${request.number.phone} is on the simulator, whose templates no network reviews.`,
        "waxwing template add --workspace ID --file FILE, or POST /templates on a running server",
      );
    }
    const { submitTemplate } = await import("#src/sending/submit-template.ts");
    const result = await submitTemplate(await optionsOf(context, database), request, () => undefined);
    if (result instanceof Error) throw result;
    const workspace = store.read((tx) => getWorkspace(tx, workspaceId));
    const shown = result.templates.map((one) => viewTemplate(one, workspace));
    return {
      json:
        request.action === "delete" ? { name: request.name, languages: shown.map((one) => one.language) } : shown[0],
      text: table(
        shown.map((one) => ({ name: one.name, language: one.language, category: one.category, status: one.status })),
        "WhatsApp has no such template.",
      ),
    };
  });
}

async function optionsOf({ io }: Context, { store, config, box }: Database) {
  const { createWhatsapp } = await import("#src/networks/whatsapp/whatsapp.ts");
  const { templates } = createWhatsapp(config.whatsapp, io.clock);
  const files = new MediaFiles(config.media.directory);
  return { store, box: box(), files, portOf: () => templates };
}

/** Who is asked for the library. That of the simulator is part of the program. */
async function libraryOf({ io }: Context, { config, box }: Database) {
  const { createWhatsapp } = await import("#src/networks/whatsapp/whatsapp.ts");
  const { simulatedLibrary } = await import("#src/networks/simulator/library.ts");
  const { templates } = createWhatsapp(config.whatsapp, io.clock);
  return {
    box: box(),
    portOf: (network: SendingNumber["network"]) => (network === "simulator" ? simulatedLibrary : templates),
  };
}
