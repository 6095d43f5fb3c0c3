/** Reads items one by one: an unreadable one becomes `broken`, and the others survive. */
import type { CallbackItem } from "../network.ts";
import { asObject, type JsonObject, listOf, memberOf } from "./json.ts";

/** How much of an unreadable item is kept. The whole body is stored anyway, as it arrived. */
const LONGEST_RAW = 10_000;

export function readEach(value: JsonObject, name: string, read: (item: JsonObject) => CallbackItem): CallbackItem[] {
  const member = memberOf(value, name);
  if (member !== undefined && !Array.isArray(member)) return [broken(`${name} is no list`, member)];
  return listOf(value, name).map((item) => {
    const object = asObject(item);
    return object === null
      ? broken(`an element of ${name} is not an object`, item)
      : readOne(object, () => read(object));
  });
}

export function readOne(item: JsonObject, read: () => CallbackItem): CallbackItem {
  try {
    return read();
  } catch (error) {
    // Any error but `Unreadable` is a bug of ours; even then the other items must survive.
    return broken(error instanceof Error ? error.message : String(error), item);
  }
}

export function broken(why: string, item: unknown): CallbackItem {
  try {
    return brokenItem(why, JSON.stringify(item) ?? String(item));
  } catch {
    return brokenItem(why, "(nested too deeply)");
  }
}

export function brokenItem(why: string, raw: string): CallbackItem {
  return { kind: "broken", why, raw: raw.slice(0, LONGEST_RAW) };
}
