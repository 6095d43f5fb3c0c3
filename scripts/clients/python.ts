/** The generated part of the Python client: a TypedDict for each schema, a method for each operation. */
import type { SchemaObject } from "#src/http/api/openapi/document.ts";
import {
  type ClientModel,
  type ClientOperation,
  type ClientParameter,
  errorCodes,
  GENERATED,
  givesCursors,
  iterateName,
  membersOf,
  nameOf,
  pascal,
  snake,
  typesOf,
  wrap,
} from "./model.ts";

export function pythonFile({ version, operations, schemas }: ClientModel): string {
  const types = new Types();
  for (const [name, schema] of schemas) types.declare(name, schema);
  return [
    `# ${GENERATED}`,
    "from __future__ import annotations",
    "",
    "from typing import Any, Dict, Iterator, List, Literal, Optional, TypedDict, Union",
    "",
    "from ._core import ApiList, Core, Entries, MediaFile",
    "",
    `VERSION = "${version}"`,
    "",
    `ErrorCode = Literal[\n${errorCodes()
      .map((code) => `    "${code}",`)
      .join("\n")}\n]`,
    "",
    ...types.lines,
    "",
    "",
    "class Operations:",
    '    """The calls of the API."""',
    "",
    "    _core: Core",
    ...operations.flatMap(methodLines),
    "",
  ].join("\n");
}

/** Names of members may be words of the language (`from`), so the types use the functional form. */
class Types {
  readonly lines: string[] = [];

  declare(name: string, schema: SchemaObject): void {
    if (schema.properties === undefined) {
      const text = this.text(schema, name);
      this.lines.push(`${name} = ${text}`, "");
      return;
    }
    const members = membersOf(schema).map(({ name: member, schema: of, isRequired }) => ({
      isRequired,
      line: `        "${member}": "${this.text(of, name + pascal(member)).replaceAll('"', "'")}",`,
    }));
    const dictionary = (part: string, lines: string[], total: string) => [
      `_${name}${part} = TypedDict(`,
      `    "_${name}${part}",`,
      lines.length === 0 ? "    {}," : `    {\n${lines.join("\n")}\n    },`,
      ...(total === "" ? [] : [`    ${total},`]),
      ")",
    ];
    const of = (isRequired: boolean) => members.filter((one) => one.isRequired === isRequired).map(({ line }) => line);
    const [required, optional] = [of(true), of(false)];
    const parts = [...(required.length > 0 ? ["Required"] : []), ...(optional.length > 0 ? ["Optional"] : [])];
    this.lines.push(
      ...(required.length > 0 ? dictionary("Required", required, "") : []),
      ...(optional.length > 0 ? dictionary("Optional", optional, "total=False") : []),
      "",
      "",
      `class ${name}(${parts.length === 0 ? "TypedDict" : parts.map((part) => `_${name}${part}`).join(", ")}):`,
      ...docstring(schema.description ?? name, "    "),
      "",
      "",
    );
  }

  /** `name`: of the type that an object without a name gets. */
  text(schema: SchemaObject, name: string): string {
    if (schema.$ref !== undefined) return nameOf(schema.$ref);
    if (schema.oneOf !== undefined) return this.#union(schema.oneOf, name);
    if (schema.const !== undefined) return schema.const === false ? "Literal[False]" : `Literal["${schema.const}"]`;
    if (schema.enum !== undefined) return enumText(schema.enum);
    const { types, isNullable } = typesOf(schema);
    const known = types.map((type) => this.#plain(type, schema, name));
    const [only = "Any"] = known;
    const text = known.length > 1 ? `Union[${known.join(", ")}]` : only;
    if (types.length === 0 && isNullable) return "None";
    return isNullable ? `Optional[${text}]` : text;
  }

  #union(forms: SchemaObject[], name: string): string {
    const texts = forms.map((form) => (form.type === "null" ? "None" : this.text(form, `${name}Parts`)));
    return `Union[${texts.map((text) => (/^\w+$/.test(text) && text !== "None" ? `"${text}"` : text)).join(", ")}]`;
  }

  #plain(type: string, schema: SchemaObject, name: string): string {
    switch (type) {
      case "integer":
        return "int";
      case "number":
        return "float";
      case "boolean":
        return "bool";
      case "string":
        return "str";
      case "array":
        return `List[${quoted(this.text(schema.items ?? {}, `${name}Item`))}]`;
      default: {
        if (Object.keys(schema.properties ?? {}).length === 0) {
          const { additionalProperties: of } = schema;
          return `Dict[str, ${typeof of === "object" ? this.text(of, name) : "Any"}]`;
        }
        this.declare(name, schema);
        return name;
      }
    }
  }
}

/** A name that may be declared later. */
function quoted(text: string): string {
  return /^[A-Z]\w*$/.test(text) && text !== "Any" ? `"${text}"` : text;
}

function enumText(values: readonly unknown[]): string {
  const words = values.filter((value) => value !== null).map((value) => JSON.stringify(value));
  const text = `Literal[${words.join(", ")}]`;
  return values.includes(null) ? `Optional[${text}]` : text;
}

function docstring(text: string, indent: string): string[] {
  const lines = wrap(text.replaceAll("\\", "\\\\"), 100);
  if (lines.length === 1) return [`${indent}"""${lines[0]}"""`];
  return [`${indent}"""${lines[0]}`, ...lines.slice(1).map((line) => `${indent}${line}`), `${indent}"""`];
}

const plainTypes = new Types();

function parameterType({ schema }: ClientParameter): string {
  return plainTypes.text(schema, "");
}

/** Words of the language, which no parameter may be named. */
const RESERVED = new Set(
  (
    "and as assert async await break class continue def del elif else except finally for from global if import in is " +
    "lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

function parameterName({ name }: ClientParameter): string {
  return RESERVED.has(name) ? `${name}_` : name;
}

const OPTIONS = [
  "request_id: Optional[str] = None",
  "timeout: Optional[float] = None",
  "max_retries: Optional[int] = None",
];

/** `make`: the method, by its type and its documentation. */
function iteratorLines(one: ClientOperation, make: (type: string, doc: string[]) => string[]): string[] {
  const says = `All entries of \`${snake(one.id)}\`, page after page`;
  if (!givesCursors(one)) return make("Iterator", [`        """${says}."""`]);
  const lines = make("Entries", [`        """${says}; \`cursor\` of the result is the position behind each."""`]);
  return lines.map((line) => line.replace('"cursors": cursors', '"cursors": True'));
}

function methodLines(one: ClientOperation): string[] {
  const path = one.pathParameters.map((parameter) => `${parameter.name}: ${parameterType(parameter)}`);
  const file = one.takesFile ? ["content: bytes", "filename: str"] : [];
  const body = one.body === null ? file : [`body: ${one.body}`];
  const query = one.query.map((given) => `${parameterName(given)}: Optional[${parameterType(given)}] = None`);
  const asked = one.query.map((given) => `"${given.name}": ${parameterName(given)}`).join(", ");
  const named = [
    ...query,
    ...(one.result.kind === "file" ? ["byte_range: Optional[str] = None"] : []),
    ...(one.takesKey ? ["idempotency_key: Optional[str] = None"] : []),
    ...OPTIONS,
  ];
  const address = one.path.replace(/\{(\w+)\}/g, (_, name: string) => `{self._core.quote(${name})}`);
  const call = [
    `"${one.method}"`,
    one.pathParameters.length > 0 ? `f"${address}"` : `"${one.path}"`,
    ...(one.body === null ? [] : ["body=body"]),
    ...(one.takesFile ? ["file=(content, filename)"] : []),
    ...(one.query.length === 0 ? [] : [`query={${asked}}`]),
    ...(one.takesKey ? ["takes_key=True", "idempotency_key=idempotency_key"] : []),
    ...(one.isIdempotent ? ["is_idempotent=True"] : []),
    ...(one.result.kind === "file" ? ["byte_range=byte_range"] : []),
    ...["request_id=request_id", "timeout=timeout", "max_retries=max_retries"],
  ];
  const method = (name: string, answer: string, kind: string, doc: string[]): string[] => [
    "",
    `    def ${name}(`,
    ...["self", ...path, ...body, "*", ...named].map((parameter) => `        ${parameter},`),
    `    ) -> ${answer}:`,
    ...doc,
    `        return self._core.${kind}(`,
    ...call.map((argument) => `            ${argument},`),
    "        )",
  ];
  const doc = docstring(`${one.summary}. ${one.description}`, "        ");
  const name = snake(one.id);
  switch (one.result.kind) {
    case "file":
      return method(name, "MediaFile", "file", doc);
    case "one":
      return method(name, plainTypes.text(one.result.schema, ""), "one", doc);
    default: {
      const item = plainTypes.text(one.result.schema.items ?? {}, "");
      return [
        ...method(name, "ApiList", "list", doc),
        ...iteratorLines(one, (type, doc) => method(snake(iterateName(one.id)), `${type}[${item}]`, "iterate", doc)),
      ];
    }
  }
}
