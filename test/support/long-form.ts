/**
 * The long form of a test, of thousands of rounds or every combination: `bun run test:long` runs it for all files that
 * have one, `TEST_LONG=1 bun test --timeout 3600000 FILE` for one file. Every other run has the short form.
 */
export const isLong = process.env.TEST_LONG === "1";

export function inForm<Value>({ short, long }: { short: Value; long: Value }): Value {
  return isLong ? long : short;
}
