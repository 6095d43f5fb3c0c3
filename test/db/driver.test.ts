import { expect, test } from "bun:test";
import { describeError } from "#src/cli/failure.ts";
import { describeUnloaded } from "#src/db/driver.ts";

test("a driver that cannot be loaded says whether a library is missing or the temporary directory is at fault", () => {
  const missing = new Error("libstdc++.so.6: cannot open shared object file: No such file or directory");
  expect(describeError(describeUnloaded(missing))).toMatchObject({
    code: "driver_unusable",
    message: "the SQLite driver needs libstdc++.so.6, which this system does not have",
    next: expect.stringContaining("libstdc++6"),
  });
  const place = new Error("/tmp/.bun-1.node: failed to map segment from shared object: Operation not permitted");
  expect(describeError(describeUnloaded(place))).toMatchObject({
    code: "driver_unusable",
    message: expect.stringContaining("failed to map segment"),
    next: expect.stringContaining("TMPDIR"),
  });
});
