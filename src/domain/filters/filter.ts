/**
 * The filter of a dynamic group: conditions joined by `all`, `any` and `not`. It is read once into a validated tree.
 * All mistakes are reported together, each with its path (`filter.all.1.under`).
 */
import { invalidRequest } from "#src/core/problem.ts";
import type { CustomField } from "../contacts/table.ts";
import { type Condition, readCondition } from "./condition.ts";
import { type ParseState, refuse, VALUES_MAX } from "./operand.ts";

export type Filter =
  | { kind: "all"; parts: Filter[] }
  | { kind: "any"; parts: Filter[] }
  | { kind: "not"; part: Filter }
  | { kind: "condition"; condition: Condition };

/** A single condition has depth 1. */
const DEPTH_MAX = 10;
const CONDITIONS_MAX = 100;

/**
 * Throws `invalid_request` with every mistake. Phone numbers without a country code belong to `country`. Does not check
 * that named groups exist; a tag need not exist and then matches no contact.
 */
export function readFilter(json: unknown, fields: readonly CustomField[], country: string): Filter {
  const state: ParseState = { fields, country, problems: {}, conditionCount: 0, valueCount: 0 };
  const filter = readNode(json, "filter", 1, state);
  if (state.conditionCount > CONDITIONS_MAX) {
    refuse(
      state,
      "filter",
      `A filter has at most ${CONDITIONS_MAX} conditions; "in" compares with many values in one condition.`,
    );
  }
  if (state.valueCount > VALUES_MAX) {
    refuse(
      state,
      "filter",
      `A filter compares with at most ${VALUES_MAX} values; add the contacts to a static group and refer to the group.`,
    );
  }
  if (filter === null || Object.keys(state.problems).length > 0) throw invalidRequest(state.problems);
  return filter;
}

/** All conditions in the tree. */
export function conditionsOf(filter: Filter): Condition[] {
  switch (filter.kind) {
    case "condition":
      return [filter.condition];
    case "not":
      return conditionsOf(filter.part);
    case "all":
    case "any":
      return filter.parts.flatMap(conditionsOf);
  }
}

const JOINTS = ["all", "any", "not"] as const;

function readNode(json: unknown, path: string, depth: number, state: ParseState): Filter | null {
  if (depth > DEPTH_MAX) return refuse(state, path, `A filter has at most ${DEPTH_MAX} levels.`);
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    const example = `{"field": "city", "is": "Pune"}`;
    return refuse(state, path, `An object is expected here: a condition such as ${example}, or "all", "any" or "not".`);
  }
  const node = json as Record<string, unknown>;
  const joint = JOINTS.find((name) => Object.hasOwn(node, name));
  if (joint === undefined) return readLeaf(node, path, state);
  const others = Object.keys(node).filter((name) => name !== joint);
  if (others.length > 0) {
    return refuse(
      state,
      path,
      `"${joint}" must be the only member of its object; ${others.map((name) => `"${name}"`).join(", ")} must go into another.`,
    );
  }
  if (joint === "not") {
    const part = readNode(node.not, `${path}.not`, depth + 1, state);
    return part === null ? null : { kind: "not", part };
  }
  return readParts(joint, node[joint], `${path}.${joint}`, depth, state);
}

function readParts(kind: "all" | "any", list: unknown, path: string, depth: number, state: ParseState): Filter | null {
  if (!Array.isArray(list)) return refuse(state, path, `"${kind}" joins a list of conditions: write [ ].`);
  if (list.length === 0) return refuse(state, path, `The list is empty; "${kind}" needs at least one condition.`);
  const read = list.map((part: unknown, index) => readNode(part, `${path}.${index}`, depth + 1, state));
  const parts = read.filter((part) => part !== null);
  return parts.length < read.length ? null : { kind, parts };
}

function readLeaf(node: Record<string, unknown>, path: string, state: ParseState): Filter | null {
  state.conditionCount += 1;
  if (state.conditionCount > CONDITIONS_MAX) return null;
  const read = readCondition(node, path, state);
  if (read === null) return null;
  const leaf: Filter = { kind: "condition", condition: read.condition };
  return read.isNegated ? { kind: "not", part: leaf } : leaf;
}
