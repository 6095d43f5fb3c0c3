/** Lists templates, and whether each can be sent. */

import { OneOf } from "#src/core/schema.ts";
import { countTemplates, listTemplates } from "#src/domain/templates/read.ts";
import { TemplateView } from "#src/domain/templates/schema.ts";
import { templateStatuses } from "#src/domain/templates/template.ts";
import { viewTemplate } from "#src/domain/templates/view.ts";
import { readTemplateCursor } from "../../cursors.ts";
import { answerJson, type Endpoint } from "../../endpoint.ts";
import { pageOf, pageParameters, readSizedPage, wrongParameter } from "../../page.ts";
import { templateExample } from "../examples.ts";

export const listTemplatesEndpoint: Endpoint = {
  method: "GET",
  path: "/templates",
  operationId: "listTemplates",
  tag: "Templates",
  summary: "List templates",
  description:
    "Returns all templates of the workspace, sorted by name, each with the values it needs and whether it can be sent. A template with several languages is returned once per language.",
  parameters: [
    {
      name: "status",
      in: "query",
      required: false,
      description: "Return only templates with this status.",
      schema: OneOf(templateStatuses),
    },
    ...pageParameters,
  ],
  success: {
    status: 200,
    description: "One page of templates.",
    data: TemplateView,
    isList: true,
    example: [templateExample],
  },
  problems: [],
  handle: ({ store, workspace, query }) => {
    const filter = { status: readStatus(query.get("status")) };
    const from = readSizedPage(query);
    const position = "after" in from ? { after: readTemplateCursor(from.after) } : from;
    return store.read((tx) =>
      answerJson(
        200,
        pageOf(
          from,
          listTemplates(tx, workspace.id, filter, position, from.perPage + 1),
          countTemplates(tx, workspace.id, filter),
          (template) => viewTemplate(template, workspace),
          ({ name, id }) => ({ name, id }),
        ),
      ),
    );
  },
};

function readStatus(value: string | null): (typeof templateStatuses)[number] | null {
  if (value === null) return null;
  const status = templateStatuses.find((known) => known === value);
  if (status === undefined)
    throw wrongParameter("status", {
      rule: "one_of",
      sentence: `The status is one of ${templateStatuses.join(", ")}.`,
    });
  return status;
}
