/**
 * `bun run test:fast`: the tests for the inner loop, in less than 90 seconds on two cores. Browser, crashes, simulation,
 * fuzzing, measurements and the executable are not among them, nor is a file that takes longer than `FILE_LIMIT_MS` by
 * `test/timings.json`. Further arguments are passed on to `bun test`.
 */
import timings from "../test/timings.json" with { type: "json" };

const FILE_LIMIT_MS = 3_000;
const LEFT_TO_THE_SUITE = /^test\/(browser|crash|sim|fuzz|bench|pages|executable)\/|^test\/executable\.test/;

const known: Readonly<Record<string, number>> = timings.files;
const files = [...new Bun.Glob("test/**/*.test.ts").scanSync(".")]
  .filter((path) => !LEFT_TO_THE_SUITE.test(path) && (known[path] ?? 0) <= FILE_LIMIT_MS)
  .toSorted((one, other) => (known[other] ?? 0) - (known[one] ?? 0));
const { exited } = Bun.spawn(
  ["bun", "test", "--timeout", "60000", "--parallel=3", "--no-isolate", ...process.argv.slice(2), ...files],
  { stdio: ["inherit", "inherit", "inherit"] },
);
process.exit(await exited);
