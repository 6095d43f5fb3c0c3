/**
 * Bodies from their schema in the document: valid ones, and valid ones with something made wrong. Members with a known
 * meaning (a phone, a template) are drawn from the data in the world, so that many requests succeed.
 */
import type { SchemaObject } from "#src/http/api/openapi/document.ts";
import type { Chance } from "./chance.ts";
import { hostileTexts, hostileValue, type Loose, RawJson } from "./json.ts";

/** Plausible values of members by name, wherever they appear. */
export type Known = Readonly<Record<string, readonly Loose[]>>;

export interface BodyMaker {
  schemas: Readonly<Record<string, SchemaObject>>;
  known: Known;
}

const DEEPEST = 8;

/** A value that the schema allows. */
export function validBody(maker: BodyMaker, schema: SchemaObject, chance: Chance, name = "", depth = 0): Loose {
  const known = maker.known[name];
  if (known !== undefined && depth > 0 && chance.happens(0.9)) return chance.pick(known);
  const { $ref, oneOf, type, properties = {}, required = [], items, additionalProperties } = schema;
  if ($ref !== undefined) return validBody(maker, resolve(maker, $ref), chance, name, depth);
  if (oneOf !== undefined) return validBody(maker, chance.pick(oneOf), chance, name, depth);
  if (schema.enum !== undefined) return chance.pick(schema.enum);
  switch (Array.isArray(type) ? chance.pick(type) : type) {
    case "object": {
      const made: Record<string, Loose> = {};
      for (const [member, of] of Object.entries(properties)) {
        // A member that must be absent.
        if (of.not !== undefined) continue;
        if (!required.includes(member) && !chance.happens(0.35)) continue;
        made[member] = validBody(maker, of, chance, member, depth + 1);
      }
      if (typeof additionalProperties === "object") {
        for (const key of chance.some(maker.known["*"] ?? ["a"], 3)) made[String(key)] = plainValue(chance);
      }
      return made;
    }
    case "array": {
      if (depth > DEEPEST || items === undefined) return [];
      const max = chance.happens(0.02) ? Number(schema.maxItems ?? 100) : 4;
      const min = Number(schema.minItems ?? 0);
      const length = Math.max(min, chance.below(max + 1));
      return Array.from({ length }, () => validBody(maker, items, chance, `${name}[]`, depth + 1));
    }
    case "string":
      return text(schema, chance);
    case "number":
    case "integer":
      return chance.pick([0, 1, 2, 3, 42, 10042, 1_000_000]);
    case "boolean":
      return chance.happens(0.5);
    case "null":
      return null;
    default:
      return plainValue(chance);
  }
}

function resolve({ schemas }: BodyMaker, reference: string): SchemaObject {
  const found = schemas[reference.replace("#/components/schemas/", "")];
  if (found === undefined) throw new Error(`${reference} is not in the document`);
  return found;
}

function text({ minLength = 0, maxLength = 40, examples }: SchemaObject, chance: Chance): string {
  if (Array.isArray(examples) && chance.happens(0.6)) return String(chance.pick(examples));
  const length = Math.max(Number(minLength), chance.below(Math.min(Number(maxLength), 40) + 1));
  return Array.from({ length }, () => chance.pick(["a", "Z", "7", " ", "é", "क", "👋", "-"])).join("");
}

function plainValue(chance: Chance): Loose {
  return chance.pick(["Pune", "gold", 7, true, null, "2020-02-29", 1.25, [], {}]);
}

/** The same value with one to three faults: another value, a member missing, an extra one, a duplicate. */
export function nearlyValid(body: Loose, chance: Chance): Loose {
  let changed = structuredCopy(body);
  for (let times = 1 + chance.below(3); times > 0; times--) changed = spoil(changed, chance, 0);
  return changed;
}

function structuredCopy(value: Loose): Loose {
  if (value instanceof RawJson || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(structuredCopy);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, structuredCopy(member)]));
}

function spoil(value: Loose, chance: Chance, depth: number): Loose {
  if (depth > 0 && chance.happens(0.35)) return hostileValue(chance);
  if (Array.isArray(value) && value.length > 0) {
    const at = chance.below(value.length);
    if (chance.happens(0.1)) return Array.from({ length: 1_001 }, () => value[at]);
    return value.with(at, spoil(value[at], chance, depth + 1));
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof RawJson)) {
    const names = Object.keys(value);
    const name = names.length === 0 ? "x" : chance.pick(names);
    const members = value as Record<string, Loose>;
    switch (chance.below(6)) {
      case 0: {
        const { [name]: _gone, ...rest } = members;
        return rest;
      }
      case 1:
        return { ...members, [chance.pick([...hostileTexts, "txet", "To", "id"])]: hostileValue(chance) };
      case 2:
        return { ...members, [`${name}s`]: members[name] };
      default:
        return { ...members, [name]: spoil(members[name], chance, depth + 1) };
    }
  }
  return hostileValue(chance);
}
