/** Renders a schema as a table of its fields with their types in words. Named schemas are linked. */
import type { OpenApiDocument, SchemaObject } from "../openapi/document.ts";
import { type Html, type HtmlValue, html, inline } from "./html.ts";

/** The document's schemas, by name. */
export type Schemas = OpenApiDocument["components"]["schemas"];

/** The fields of `schema`. Fields of unnamed nested objects follow under their path: `variables.header`. */
export function memberTable(schema: SchemaObject, schemas: Schemas): Html {
  const rows = memberRows(schema, "", schemas);
  if (rows.length === 0) return html`<p>An object without fields.</p>`;
  return html`<div class="wide" tabindex="0"><table class="members">
<thead><tr><th>Field</th><th>Type</th><th>Description</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>`;
}

function memberRows(schema: SchemaObject, prefix: string, schemas: Schemas): Html[] {
  // A member that must be absent is there for compilers, not for readers.
  const members = Object.entries(schema.properties ?? {}).filter(([, { not }]) => not === undefined);
  return members.flatMap(([name, member]) => {
    const path = prefix + name;
    const isRequired = schema.required?.includes(name) === true;
    const row = html`<tr><td><code>${path}</code>${isRequired ? "" : html` <small>optional</small>`}</td>
<td>${typeText(member)}</td><td>${meaning(member, schemas)}</td></tr>`;
    return [row, ...memberRows(member, `${path}.`, schemas)];
  });
}

/** For example `string or null`, `array of Contact`. */
export function typeText(schema: SchemaObject): HtmlValue {
  if (schema.$ref !== undefined) {
    const name = referredName(schema.$ref);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.oneOf !== undefined) return joined(schema.oneOf.map(typeText), " or ");
  const types = [schema.type ?? "any value"].flat();
  if (types[0] === "array" && schema.items !== undefined) return html`array of ${typeText(schema.items)}`;
  const names = schema.format === undefined ? types : [schema.format, ...types.slice(1)];
  return names.join(" or ");
}

/** The description (or that of the referenced schema), then the schema's limits. */
export function meaning(schema: SchemaObject, schemas: Schemas): Html {
  const sentences: HtmlValue[] = [];
  const description = schema.description ?? schemas[referredName(schema.$ref ?? "")]?.description;
  if (description !== undefined) sentences.push(inline(description));
  if (schema.const !== undefined) sentences.push(html`Always <code>${String(schema.const)}</code>.`);
  if (schema.enum !== undefined) {
    const values = schema.enum.filter((value) => value !== null).map((value) => html`<code>${String(value)}</code>`);
    sentences.push(html`One of ${joined(values, ", ")}.`);
  }
  if (schema.minimum !== undefined) sentences.push(`At least ${String(schema.minimum)}.`);
  if (schema.maxLength !== undefined) sentences.push(`At most ${String(schema.maxLength)} characters.`);
  if (schema.maxItems !== undefined) sentences.push(`At most ${String(schema.maxItems)} items.`);
  if (schema.default !== undefined) sentences.push(html`Default: <code>${String(schema.default)}</code>.`);
  return html`${joined(sentences, " ")}`;
}

/** The section of a named schema, with its anchor. */
export function schemaSection(name: string, schema: SchemaObject, schemas: Schemas): Html {
  const forms = schema.oneOf?.map(
    (form) => html`<li>${typeText(form)}${form.properties === undefined ? "" : memberTable(form, schemas)}</li>`,
  );
  return html`<section class="schema" id="schema-${name}">
<h3><a href="#schema-${name}">${name}</a></h3>
<p>${inline(schema.description)}</p>
${forms === undefined ? memberTable(schema, schemas) : html`<p>One of:</p><ul>${forms}</ul>`}
</section>`;
}

export function referredName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

function joined(items: readonly HtmlValue[], separator: string): HtmlValue[] {
  return items.flatMap((item, index) => (index === 0 ? [item] : [separator, item]));
}
