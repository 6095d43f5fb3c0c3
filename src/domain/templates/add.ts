/** Adds a template that does not come from a network: for the simulator, from JSON in the network's own format. */

import { invalidRequest } from "#src/core/problem.ts";
import { isLonger } from "#src/core/text-limits.ts";
import type { Tx } from "#src/db/transaction.ts";
import { SIMULATOR_ACCOUNT } from "../numbers/add.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { TemplateComponent } from "./component.ts";
import { type Template, templates } from "./table.ts";
import {
  type ParameterFormat,
  readShape,
  type TemplateCategory,
  type TemplateStatus,
  templateCategories,
} from "./template.ts";

interface NewTemplate {
  name: string;
  language: string;
  category: TemplateCategory;
  components: TemplateComponent[];
  parameterFormat: ParameterFormat;
}

const NAME = /^[a-z0-9_]{1,512}$/;
const LANGUAGE = /^[a-z]{2,3}(_[A-Z]{2})?$/;
const BODY_LENGTH_MAX = 1024;

/** Reads a template's JSON. Throws `invalid_request` with the path of each error. */
export function readNewTemplate(json: unknown): NewTemplate {
  const fields: Record<string, string[]> = {};
  const input = (typeof json === "object" && json !== null && !Array.isArray(json) ? json : {}) as Record<
    string,
    unknown
  >;
  const name = String(input.name ?? "");
  if (!NAME.test(name)) fields.name = ["A template's name has lower-case letters, digits and underscores."];
  const language = String(input.language ?? "");
  if (!LANGUAGE.test(language)) fields.language = ["A language looks like en or en_US."];
  const category = templateCategories.find((known) => known === input.category);
  if (category === undefined) fields.category = [`The category is one of ${templateCategories.join(", ")}.`];
  const parameterFormat = input.parameter_format === "NAMED" ? "NAMED" : "POSITIONAL";
  const components = readComponents(input.components, fields);
  if (category === undefined || Object.keys(fields).length > 0) throw invalidRequest(fields);
  const { body } = readShape({ components, parameterFormat, category, parameterOrder: null });
  if (body.text === "")
    throw invalidRequest({ components: ["A template needs a component of the type BODY with a text."] });
  if (isLonger(body.text, BODY_LENGTH_MAX)) {
    throw invalidRequest({ components: [`A body has at most ${BODY_LENGTH_MAX} characters.`] });
  }
  return { name, language, category, components, parameterFormat };
}

export function addTemplate(
  tx: Tx,
  workspaceId: number,
  { name, language, category, components, parameterFormat }: NewTemplate,
  status: TemplateStatus,
): Template {
  getWorkspace(tx, workspaceId);
  const added = tx.db
    .insert(templates)
    .values({
      workspaceId,
      accountId: SIMULATOR_ACCOUNT,
      name,
      language,
      category,
      status,
      components,
      parameterFormat,
      wasApproved: status === "APPROVED",
      createdAt: tx.now,
      updatedAt: tx.now,
    })
    .onConflictDoNothing()
    .returning()
    .get();
  if (added === undefined) {
    throw invalidRequest({ name: [`There is already a template ${name} in ${language}.`] });
  }
  return added;
}

function readComponents(input: unknown, fields: Record<string, string[]>): TemplateComponent[] {
  if (!Array.isArray(input)) {
    fields.components = ["The components are a list, as in the network's own format."];
    return [];
  }
  input.forEach((component: unknown, index) => {
    const type = typeof component === "object" && component !== null && "type" in component ? component.type : null;
    if (typeof type !== "string") fields[`components.${index}.type`] = ["Each component names its type, such as BODY."];
  });
  return input as TemplateComponent[];
}
