/** The generated part of the PHP client: a PHPStan type for each schema, a method for each operation. */
import type { SchemaObject } from "#src/http/api/openapi/document.ts";
import {
  type ClientModel,
  type ClientOperation,
  GENERATED,
  givesCursors,
  iterateName,
  membersOf,
  nameOf,
  typesOf,
  wrap,
} from "./model.ts";

export function phpFile({ version, operations, schemas }: ClientModel): string {
  return [
    "<?php",
    "",
    `// ${GENERATED}`,
    "",
    "declare(strict_types=1);",
    "",
    "namespace Waxwing;",
    "",
    "/**",
    " * The calls of the API.",
    " *",
    ...schemas.map(([name, schema]) => ` * @phpstan-type ${name} ${typeText(schema)}`),
    " */",
    "abstract class Operations",
    "{",
    `    public const VERSION = '${version}';`,
    "",
    "    protected Core $core;",
    ...operations.flatMap(methodLines),
    "}",
    "",
  ].join("\n");
}

function typeText(schema: SchemaObject): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.oneOf !== undefined) return schema.oneOf.map(typeText).join("|");
  if (schema.const !== undefined) return typeof schema.const === "string" ? `'${schema.const}'` : String(schema.const);
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => (typeof value === "string" ? `'${value}'` : String(value))).join("|");
  }
  const { types, isNullable } = typesOf(schema);
  const known = types.map((type) => plainType(type, schema));
  if (isNullable) known.push("null");
  return known.length === 0 ? "mixed" : known.join("|");
}

function plainType(type: string, schema: SchemaObject): string {
  switch (type) {
    case "integer":
      return "int";
    case "number":
      return "int|float";
    case "boolean":
      return "bool";
    case "array":
      return `list<${typeText(schema.items ?? {})}>`;
    case "object": {
      const members = membersOf(schema);
      if (members.length === 0) {
        const { additionalProperties: of } = schema;
        return `array<string, ${typeof of === "object" ? typeText(of) : "mixed"}>`;
      }
      const text = members.map(
        ({ name, schema: of, isRequired }) => `${name}${isRequired ? "" : "?"}: ${typeText(of)}`,
      );
      return `array{${text.join(", ")}}`;
    }
    default:
      return type;
  }
}

const OPTIONS = "array{idempotency_key?: string, request_id?: string, timeout?: float, max_retries?: int}";

function methodLines(one: ClientOperation): string[] {
  const path = one.pathParameters.map(({ name, schema }) => ({
    name,
    type: schema.type === "integer" ? "int" : "string",
    doc: schema.type === "integer" ? "int" : "string",
    more: "",
  }));
  const file = one.takesFile
    ? ["content", "filename"].map((name) => ({ name, type: "string", doc: "string", more: "" }))
    : [];
  const body =
    one.body === null ? file : [{ name: "body", type: "array|\\stdClass", doc: `${one.body}|\\stdClass`, more: "" }];
  const query = one.query.length === 0 ? [] : [{ name: "query", type: "array", doc: queryType(one), more: " = []" }];
  const range =
    one.result.kind === "file" ? [{ name: "range", type: "?string", doc: "string|null", more: " = null" }] : [];
  const parameters = [
    ...path,
    ...body,
    ...query,
    ...range,
    { name: "options", type: "array", doc: OPTIONS, more: " = []" },
  ];
  const address = one.path.replace(/\{(\w+)\}/g, (_, name: string) => `' . rawurlencode((string) $${name}) . '`);
  const request = [
    `'method' => '${one.method}'`,
    `'path' => ${`'${address}'`.replace(/ \. ''$/, "")}`,
    ...(one.query.length > 0 ? ["'query' => $query"] : []),
    ...(one.body === null ? [] : ["'body' => $body"]),
    ...(one.takesFile ? ["'file' => ['content' => $content, 'filename' => $filename]"] : []),
    ...(one.takesKey ? ["'takes_key' => true"] : []),
    ...(one.isIdempotent ? ["'is_idempotent' => true"] : []),
    ...(one.result.kind === "file" ? ["'range' => $range"] : []),
  ].join(", ");
  const method = (name: string, call: string, type: string, doc: string, text: string[]): string[] => [
    "",
    "    /**",
    ...text.map((line) => `     * ${line}`),
    "     *",
    ...parameters.map(({ name: of, doc: what }) => `     * @param ${what} $${of}`),
    `     * @return ${doc}`,
    "     */",
    `    public function ${name}(${parameters.map(({ name: of, type: what, more }) => `${what} $${of}${more}`).join(", ")}): ${type}`,
    "    {",
    `        return $this->core->${call}([${request}], $options);`,
    "    }",
  ];
  const text = wrap(`${one.summary}. ${one.description}`.replaceAll("*/", "* /"), 110);
  switch (one.result.kind) {
    case "file":
      return method(one.id, "file", "MediaFile", "MediaFile", text);
    case "one":
      return method(one.id, "one", "array", typeText(one.result.schema), text);
    default: {
      const item = typeText(one.result.schema.items ?? {});
      const page = `array{data: list<${item}>, meta: array<string, mixed>}`;
      return [
        ...method(one.id, "list", "array", page, text),
        ...(givesCursors(one)
          ? method(iterateName(one.id), "iterate", "\\Generator", `\\Generator<string, ${item}, mixed, string>`, [
              `All entries of \`${one.id}\`, page after page. The key of each is the cursor behind it.`,
            ]).map((line) => line.replace("'query' => $query", "'query' => ['cursors' => true] + $query"))
          : method(iterateName(one.id), "iterate", "\\Generator", `\\Generator<int, ${item}>`, [
              `All entries of \`${one.id}\`, page after page.`,
            ])),
      ];
    }
  }
}

function queryType({ query }: ClientOperation): string {
  return `array{${query.map(({ name, schema }) => `${name}?: ${typeText(schema)}`).join(", ")}}`;
}
