/** The generated part of the TypeScript client: a type for each schema, a method for each operation. */
import type { SchemaObject } from "#src/http/api/openapi/document.ts";
import {
  type ClientModel,
  type ClientOperation,
  errorCodes,
  GENERATED,
  givesCursors,
  iterateName,
  nameOf,
  typesOf,
  wrap,
} from "./model.ts";

export function typescriptFile({ version, operations, schemas, errors }: ClientModel): string {
  return [
    `// ${GENERATED}`,
    'import { type ApiList, type CallOptions, type Core, type Entries, type MediaFile, type Upload } from "./core.js";',
    "",
    `export const VERSION = "${version}";`,
    "",
    `export type ErrorCode =\n${errorCodes()
      .map((code) => `  | "${code}"`)
      .join("\n")};`,
    "",
    ...[...schemas, ...errors].flatMap(([name, schema]) => [
      ...comment(schema.description, ""),
      `export type ${name} = ${typeText(schema, "")};`,
      "",
    ]),
    ...operations
      .filter(({ query }) => query.length > 0)
      .flatMap((one) => [`export interface ${queryName(one)} ${queryType(one)}`, ""]),
    ...operations.flatMap((one) => [
      `/** What \`${one.id}\` may be refused with: \`WaxwingError.error\`, told apart by \`code\`. */`,
      `export type ${errorName(one)} =\n${one.errors.map((name) => `  | ${name}`).join("\n")};`,
      "",
    ]),
    "/** The calls of the API. */",
    "export abstract class Operations {",
    "  protected abstract readonly core: Core;",
    ...operations.flatMap(methodLines),
    "}",
    "",
  ].join("\n");
}

function comment(text: string | undefined, indent: string): string[] {
  if (text === undefined) return [];
  const lines = wrap(text.replaceAll("*/", "* /"), 110 - indent.length);
  return lines.length === 1
    ? [`${indent}/** ${lines[0]} */`]
    : [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`];
}

function typeText(schema: SchemaObject, indent: string): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.oneOf !== undefined) return schema.oneOf.map((form) => typeText(form, indent)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const { types, isNullable } = typesOf(schema);
  const known = types.map((type) => plainType(type, schema, indent));
  if (isNullable) known.push("null");
  return known.length === 0 ? "unknown" : [...new Set(known)].join(" | ");
}

function plainType(type: string, schema: SchemaObject, indent: string): string {
  switch (type) {
    case "integer":
    case "number":
      return "number";
    case "array": {
      const item = typeText(schema.items ?? {}, indent);
      return /[|{ ]/.test(item) ? `Array<${item}>` : `${item}[]`;
    }
    case "object":
      return objectType(schema, indent);
    default:
      return type;
  }
}

function objectType(schema: SchemaObject, indent: string): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (Object.keys(properties).length === 0) {
    const value = typeof additionalProperties === "object" ? typeText(additionalProperties, indent) : "unknown";
    return `Record<string, ${value}>`;
  }
  const deeper = `${indent}  `;
  const members = Object.entries(properties).flatMap(([name, member]) => {
    if (member.not !== undefined) return [...comment(member.description, deeper), `${deeper}${name}?: never;`];
    const mark = required.includes(name) ? "" : "?";
    return [...comment(member.description, deeper), `${deeper}${name}${mark}: ${typeText(member, deeper)};`];
  });
  return `{\n${members.join("\n")}\n${indent}}`;
}

const errorName = ({ id }: ClientOperation): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}Error`;
const queryName = ({ id }: ClientOperation): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}Query`;

function queryType({ query }: ClientOperation): string {
  return objectType(
    {
      type: "object",
      properties: Object.fromEntries(query.map(({ name, description, schema }) => [name, { ...schema, description }])),
    },
    "",
  );
}

function methodLines(one: ClientOperation): string[] {
  const path = one.pathParameters.map(({ name, schema }) => `${name}: ${typeText(schema, "")}`);
  const query = one.query.length === 0 ? [] : [`query: ${queryName(one)} = {}`];
  const body = one.takesFile ? ["file: Upload"] : one.body === null ? [] : [`body: ${one.body}`];
  const range = one.result.kind === "file" ? ["range?: string"] : [];
  const parameters = [...path, ...body, ...query, ...range, "options: CallOptions = {}"].join(", ");
  const address = one.path.replace(/\{(\w+)\}/g, (_, name: string) => `\${encodeURIComponent(String(${name}))}`);
  const request = [
    `operation: "${one.id}"`,
    `method: "${one.method}"`,
    `path: \`${address}\``,
    ...(one.query.length > 0 ? ["query: { ...query }"] : []),
    ...(one.body !== null ? ["body"] : []),
    ...(one.takesFile ? ["file"] : []),
    ...(one.takesKey ? ["takesKey: true"] : []),
    ...(one.isIdempotent ? ["isIdempotent: true"] : []),
  ].join(", ");
  const doc = comment(`${one.summary}. ${one.description}`, "  ");
  switch (one.result.kind) {
    case "file":
      return [
        "",
        ...doc,
        `  ${one.id}(${parameters}): Promise<MediaFile> {`,
        `    return this.core.file({ ${request} }, range, options);`,
        "  }",
      ];
    case "one": {
      const type = typeText(one.result.schema, "  ");
      return [
        "",
        ...doc,
        `  ${one.id}(${parameters}): Promise<${type}> {`,
        `    return this.core.one<${type}>({ ${request} }, options);`,
        "  }",
      ];
    }
    default: {
      const item = typeText(one.result.schema.items ?? {}, "  ");
      return [
        "",
        ...doc,
        `  ${one.id}(${parameters}): Promise<ApiList<${item}>> {`,
        `    return this.core.list<${item}>({ ${request} }, options);`,
        "  }",
        ...iteratorLines(one, parameters, request, item),
      ];
    }
  }
}

function iteratorLines(one: ClientOperation, parameters: string, request: string, item: string): string[] {
  const says = `All entries of \`${one.id}\`, page after page`;
  const [more, type, call] = givesCursors(one)
    ? ["; `cursor` of the result is the position behind each", `Entries<${item}>`, "iterateWithCursor"]
    : ["", `AsyncGenerator<${item}, void, undefined>`, "iterate"];
  return [
    "",
    `  /** ${says}${more}. */`,
    `  ${iterateName(one.id)}(${parameters}): ${type} {`,
    `    return this.core.${call}<${item}>({ ${request} }, options);`,
    "  }",
  ];
}
