/** Reads one template of a listing. */
import type { ListedTemplate } from "#src/domain/templates/sync.ts";
import { asObject, idOf, type JsonObject, listOf, sentenceOf, textOf } from "./json.ts";

/**
 * The names of templates that Meta makes of messages of Direct Send. They also have a `source`, but an account or version
 * that does not know this field would refuse the whole listing.
 */
const GENERATED = /^auto_generated/;

/** Null for a row without a name or language. */
export function readTemplate(row: JsonObject): ListedTemplate | null {
  const name = textOf(row, "name");
  const language = textOf(row, "language");
  if (name === null || language === null) return null;
  const status = (textOf(row, "status") ?? "PENDING").toUpperCase();
  return {
    id: idOf(row, "id"),
    name,
    language,
    category: (textOf(row, "category") ?? "MARKETING").toUpperCase(),
    status,
    quality: textOf(asObject(row.quality_score), "score")?.toUpperCase() ?? null,
    reason: reasonIn(row, status),
    components: listOf(row, "components").flatMap(componentIn),
    parameterFormat: textOf(row, "parameter_format")?.toUpperCase() === "NAMED" ? "NAMED" : "POSITIONAL",
    isGenerated: GENERATED.test(name),
  };
}

function reasonIn(row: JsonObject, status: string): string | null {
  const reason = sentenceOf(row, "rejected_reason");
  return status === "APPROVED" || reason === null || reason.toUpperCase() === "NONE" ? null : reason;
}

function componentIn(component: unknown): ListedTemplate["components"] {
  const object = asObject(component);
  const type = textOf(object, "type");
  if (object === null || type === null) return [];
  return [{ ...(withoutExamples(object) as JsonObject), type }];
}

/**
 * Sorts members and drops examples: a header's example is a URL that changes with every listing, so an unchanged
 * template would seem to change each time.
 */
function withoutExamples(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExamples);
  const object = asObject(value);
  if (object === null) return value;
  const names = Object.keys(object)
    .filter((name) => name !== "example")
    .sort();
  return Object.fromEntries(names.map((name) => [name, withoutExamples(object[name])]));
}
