/**
 * `waxwing template …`: lists templates, compares them with WhatsApp and stores sample files; on the simulator, adds
 * and decides them by hand.
 */

import type { ReadTx } from "#src/db/transaction.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { addTemplate, readNewTemplate } from "#src/domain/templates/add.ts";
import { confirmByName, decideByName, setSample } from "#src/domain/templates/decide.ts";
import { markButton } from "#src/domain/templates/mark-button.ts";
import { whyUnsendable } from "#src/domain/templates/needs.ts";
import { findTemplateById, listTemplatePositions, type TemplateFilter } from "#src/domain/templates/read.ts";
import type { Template } from "#src/domain/templates/table.ts";
import { type ParameterOrder, templateStatuses } from "#src/domain/templates/template.ts";
import { shapeOf, viewTemplate } from "#src/domain/templates/view.ts";
import { flaggedButtons } from "#src/domain/templates/way-out.ts";
import { buttonMeanings } from "#src/domain/workspaces/button-marks.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { type Command, command } from "./command.ts";
import { withDatabase } from "./database.ts";
import { listCommand, workspacesOf, writeCommand } from "./database-command.ts";
import { readInputJson } from "./input.ts";
import { choice, file, flag, positional, required, text, workspaceFilter, workspaceOption } from "./option.ts";
import { list, listed, type Report, table, timesIn } from "./output.ts";
import { commands as submissions } from "./submit-template.ts";
import { requireSynced, syncNow } from "./sync-now.ts";

const which = {
  name: positional(text("NAME", "The template's name")),
  workspace: workspaceOption,
  language: required(text("L", "Its language, such as en_US")),
};

const EVERY = Number.MAX_SAFE_INTEGER;

export const commands: readonly Command[] = [
  writeCommand(
    "template add",
    {
      summary: "Add a template to the simulator",
      details:
        "The file is JSON: name, language, category (MARKETING, UTILITY or AUTHENTICATION) and components, in Meta's\nformat.",
    },
    {
      workspace: workspaceOption,
      file: required(file("FILE|-", "File with the template as JSON; - for stdin")),
      status: choice(templateStatuses, "Status on the network (default: APPROVED)"),
    },
    async (values, context) => {
      const template = readNewTemplate(await readInputJson(context, "--file", values.file));
      return (tx) => {
        return reportOf(tx, addTemplate(tx, values.workspace, template, values.status ?? "APPROVED"));
      };
    },
  ),
  listCommand(
    "template list",
    "List templates and whether they can be sent",
    {
      status: choice(templateStatuses, "Only those in this status"),
      generated: flag("Those that WhatsApp made of messages with a category (Direct Send), instead of your own"),
    },
    {
      rows: (tx, workspaces, { status = null, generated: isGenerated }) =>
        workspaces.flatMap((workspace) =>
          templatesOf(tx, workspace, { status, isGenerated }).map((one) => view(one, workspace)),
        ),
      columns: ({ workspace_id: workspace, name, language, category, status, sendable, variables, media }) => ({
        ...{ workspace, name, language, category, status, sendable },
        values: variables.header + variables.body,
        media: media === null ? null : `${media.type}${media.default ? ", with a sample" : ""}`,
      }),
      empty: "There are no templates: waxwing template add --workspace ID …",
    },
  ),
  ...submissions,
  command(
    "template sync",
    {
      summary: "Synchronize templates with WhatsApp now",
      details:
        "A running server does this every hour and after WhatsApp reports a change. Stored samples are uploaded too.",
    },
    { workspace: workspaceFilter },
    (context, values) =>
      withDatabase(context, "write", async (database) => {
        const accounts = database.store.read((tx) =>
          workspacesOf(tx, values.workspace).flatMap((workspace) => accountsOf(tx, workspace.id)),
        );
        const synced = [];
        const problems: string[] = [];
        for (const number of accounts) {
          const result = await syncNow(context, database, number, ["templates"]);
          problems.push(...result.problems);
          synced.push({ workspace_id: number.workspaceId, account_id: number.accountId, templates: result.templates });
        }
        requireSynced(problems);
        const rows = synced.map(({ workspace_id, account_id, templates: found }) => ({
          workspace: workspace_id,
          account: account_id,
          templates: found?.total ?? null,
          new: found?.added ?? null,
          changed: found?.changed ?? null,
          gone: found?.retired ?? null,
        }));
        const flagged = database.store.read((tx) =>
          workspacesOf(tx, values.workspace).flatMap((workspace) => flaggedIn(tx, workspace)),
        );
        const hints = flagged.map(
          ({ name: template, language: of, button }) =>
            `\n${template} (${of}): what does the button ${JSON.stringify(button)} mean?\n  next: waxwing template mark ${template} --language ${of} --button ${JSON.stringify(button)} --as neither`,
        );
        const shown = table(rows, "There are no WhatsApp numbers: waxwing number add …");
        return {
          json: synced.map((one) => ({ ...one, flagged: flaggedOf(flagged, one) })),
          text: shown + hints.join(""),
        };
      }),
  ),
  writeCommand(
    "template decide",
    "Simulate the network's decision on a template",
    {
      ...which,
      status: required(choice(templateStatuses, "The decision")),
      reason: text("TEXT", "Reason of a rejection, as webhooks show it"),
    },
    ({ name, workspace, language, status, reason = null }) =>
      (tx) =>
        reportOf(tx, decideByName(tx, workspace, name, language, status, reason)),
  ),
  writeCommand(
    "template mark",
    {
      summary: "Say what pressing a quick-reply button means",
      details:
        "opt_in: it lifts an opt-out, like START. opt_out: it opts out, like STOP. neither: a title that holds an opt-out\nword and means something else. A title that is an opt-out word always opts out. clear: removes the mark.",
    },
    {
      ...which,
      button: required(text("TITLE", "The button's title, as the template has it")),
      as: required(choice([...buttonMeanings, "clear"], "What it means")),
    },
    ({ name: template, workspace, language, button: title, as }) =>
      (tx) => {
        const mark = { template, language, title, meaning: as === "clear" ? null : as };
        const { buttonMarks } = markButton(tx, workspace, mark);
        const columns = (one: (typeof buttonMarks)[number]) => ({
          ...{ template: one.template, language: one.language },
          ...{ button: one.title, means: one.meaning },
        });
        return listed(buttonMarks, columns, "No button is marked.");
      },
  ),
  writeCommand(
    "template order",
    {
      summary: "Confirm the order of a template's values",
      details:
        "Named placeholders keep the order in which they were first approved. Once a name was removed or changed, nothing\nis sent until the order is confirmed: {{n}} in the text that is shown takes the n-th value.",
    },
    which,
    ({ name: template, workspace, language }) =>
      (tx) =>
        reportOf(tx, confirmByName(tx, workspace, template, language)),
  ),
  writeCommand(
    "template sample",
    {
      summary: "Store the media that is sent if a request has none",
      details:
        "Only for templates with an image, video or document header. On WhatsApp the server uploads the file once for each\nnumber, and again before it expires; until it is uploaded, the link is sent.",
    },
    {
      ...which,
      link: required(text("URL", "An https address that needs no sign-in")),
    },
    ({ name, workspace, language, link }) =>
      (tx) =>
        reportOf(tx, setSample(tx, workspace, name, language, link)),
  ),
];

/** One WhatsApp number for each account of a workspace. */
function accountsOf(tx: ReadTx, workspaceId: number): SendingNumber[] {
  const numbers = listNumbers(tx, workspaceId).filter(({ network }) => network === "whatsapp");
  return [...new Map(numbers.toReversed().map((number) => [number.accountId, number])).values()];
}

function templatesOf(tx: ReadTx, { id }: Workspace, filter: TemplateFilter = { status: null }): Template[] {
  const positions = listTemplatePositions(tx, id, filter, { offset: 0 }, EVERY);
  return positions.flatMap((one) => findTemplateById(tx, id, one.id) ?? []);
}

function view(template: Template, workspace: Workspace) {
  const when = timesIn(workspace);
  return {
    id: template.id,
    workspace_id: template.workspaceId,
    ...viewTemplate(template, workspace),
    account_id: template.accountId,
    sample_link: template.sampleLink,
    network_status: template.networkStatus,
    status_reason: template.statusReason,
    quality: template.quality,
    created_at: when(template.createdAt),
    updated_at: when(template.updatedAt),
  };
}

function reportOf(tx: ReadTx, template: Template): Report {
  const shown = view(template, getWorkspace(tx, template.workspaceId));
  const why = whyUnsendable(shapeOf(template));
  const text = list({
    name: shown.name,
    language: shown.language,
    category: shown.category,
    status: shown.status,
    reason: shown.status_reason ?? undefined,
    quality: shown.quality ?? undefined,
    sendable: shown.sendable ? "yes" : `no: ${why ?? `it is ${shown.status}`}`,
    values: `${shown.variables.header} for the header, ${shown.variables.body} for the body`,
    order: shown.parameter_order === null ? undefined : describeOrder(shown.parameter_order),
    needs: shown.needs.length === 0 ? undefined : shown.needs.join(", "),
    media: shown.media?.type,
    sample: shown.media === null ? undefined : shown.sample_link,
    text: shown.text,
  });
  return { json: shown, text };
}

/** For example `header: order; body: order, name`. */
function describeOrder({ header, body }: ParameterOrder): string {
  const parts = [
    { part: "header", names: header },
    { part: "body", names: body },
  ];
  return parts.flatMap(({ part, names }) => (names.length === 0 ? [] : [`${part}: ${names.join(", ")}`])).join("; ");
}

type FlaggedButton = ReturnType<typeof flaggedIn>[number];

/** Buttons whose titles hold an opt-out word without being one, until a person marks them. */
function flaggedIn(tx: ReadTx, workspace: Workspace) {
  return templatesOf(tx, workspace).flatMap((template) =>
    flaggedButtons(template, workspace).map((button) => ({
      workspace_id: workspace.id,
      account_id: template.accountId,
      name: template.name,
      language: template.language,
      button,
    })),
  );
}

function flaggedOf(flagged: readonly FlaggedButton[], account: { workspace_id: number; account_id: string }) {
  const isOfAccount = (one: FlaggedButton): boolean =>
    one.workspace_id === account.workspace_id && one.account_id === account.account_id;
  return flagged.filter(isOfAccount).map(({ name: template, language: of, button }) => ({
    name: template,
    language: of,
    button,
  }));
}
