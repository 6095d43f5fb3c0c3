/** The reference as Markdown, and `/llms.txt`: the same content for programs that read. */
import {
  type Content,
  type OpenApiDocument,
  ownParameters,
  type ParameterObject,
  type SchemaObject,
} from "../openapi/document.ts";
import { fenced, type Guide, PLACEHOLDER, summaryOf, titleOf } from "./guide.ts";
import { type DocumentedOperation, requestsOf, resolve } from "./operation.ts";
import { curl } from "./samples.ts";
import { referredName } from "./schema.ts";

export function llmsText(guides: readonly Guide[], document: OpenApiDocument): string {
  const lines = guides.map(
    (guide) => `- [${titleOf(guide)}](${PLACEHOLDER}/docs/${guide.name}.md): ${summaryOf(guide)}`,
  );
  return `# Waxwing

> ${document.info.summary} The API of this server is at ${PLACEHOLDER}/api/v1.

Every page of the documentation as Markdown:

${lines.join("\n")}
- [API reference](${PLACEHOLDER}/docs/reference.md): every endpoint, event, schema and error code.

For code generators:

- [OpenAPI document](${PLACEHOLDER}/docs/openapi.json): the same reference as OpenAPI 3.1.
`;
}

export function referenceMarkdown(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => operation.tags[0] === name);
    const events = Object.entries(document.webhooks).filter(([, { post }]) => post.tags[0] === name);
    return [
      `## ${name}`,
      description,
      ...own.flatMap((one) => operationLines(document, one)),
      ...events.flatMap(([type, { post }]) => [
        `### Event \`${type}\``,
        post.description,
        ...examples("Body", post.requestBody?.content),
      ]),
    ];
  });
  const schemas = Object.entries(document.components.schemas).flatMap(([name, schema]) => [
    `### ${name}`,
    ...(schema.description === undefined ? [] : [schema.description]),
    ...memberLines(schema),
  ]);
  const { title, version, description } = document.info;
  return `${[`# ${title} ${version}`, description.trim(), ...groups.flat(), "## Schemas", ...schemas].join("\n\n")}\n`;
}

function operationLines(document: OpenApiDocument, one: DocumentedOperation): string[] {
  const { path, method, operation } = one;
  const prefix = document.servers[0]?.url ?? "";
  const body = operation.requestBody?.content["application/json"]?.schema;
  const [success, ...refusals] = Object.entries(operation.responses).map(([status, response]) => ({
    status,
    ...resolve(document, response),
  }));
  return [
    `### ${operation.summary}`,
    `\`${method.toUpperCase()} ${prefix}${path}\``,
    operation.description,
    ...(ownParameters(operation).length === 0 ? [] : [ownParameters(operation).map(parameterLine).join("\n")]),
    ...(body === undefined ? [] : [`Body: ${typeOf(body)}`]),
    ...requestsOf(PLACEHOLDER + prefix, one).map(({ request }) => fenced("sh", curl(request))),
    ...examples(`Response ${success?.status}`, success?.content),
    `Other responses:\n\n${refusals.map(({ status, description }) => `- ${status}: ${description.replaceAll("\n", " ")}`).join("\n")}`,
  ];
}

function parameterLine({ name, in: place, required, description }: ParameterObject): string {
  return `- \`${name}\` (${place}${required ? "" : ", optional"}): ${description}`;
}

function examples(heading: string, content: Content | undefined): string[] {
  return Object.values(content?.["application/json"]?.examples ?? {}).map(
    ({ value }) => `${heading}:\n\n${fenced("json", JSON.stringify(value, null, 2))}`,
  );
}

function memberLines(schema: SchemaObject): string[] {
  if (schema.oneOf !== undefined) {
    return schema.oneOf.flatMap((form, index) => [`Form ${index + 1}: ${typeOf(form)}`, ...memberLines(form)]);
  }
  // A member that must be absent is there for compilers, not for readers.
  const members = Object.entries(schema.properties ?? {}).filter(([, { not }]) => not === undefined);
  const lines = members.map(([name, member]) => {
    const optional = schema.required?.includes(name) === true ? "" : ", optional";
    const values = member.enum === undefined ? "" : ` One of ${member.enum.map((value) => `\`${value}\``).join(", ")}.`;
    return `- \`${name}\` (${typeOf(member)}${optional})${member.description === undefined ? "" : `: ${member.description}`}${values}`;
  });
  return lines.length === 0 ? [] : [lines.join("\n")];
}

function typeOf(schema: SchemaObject): string {
  if (schema.$ref !== undefined) return referredName(schema.$ref);
  if (schema.oneOf !== undefined) return schema.oneOf.map(typeOf).join(" or ");
  if (schema.type === "array" && schema.items !== undefined) return `array of ${typeOf(schema.items)}`;
  return [schema.type ?? "any value"].flat().join(" or ");
}
