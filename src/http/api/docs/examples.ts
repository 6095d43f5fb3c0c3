/** The example files that the guide about testing links to, and what they read, as text. */
import action from "../../../../examples/action/action.yml" with { type: "text" };
import start from "../../../../examples/action/start.sh" with { type: "text" };
import conftest from "../../../../examples/testing/conftest.py" with { type: "text" };
// @ts-expect-error: it is imported as text.
import first from "../../../../examples/testing/first.mjs" with { type: "text" };
// @ts-expect-error: it is imported as text.
import hello from "../../../../examples/testing/hello.mjs" with { type: "text" };
import helloPython from "../../../../examples/testing/hello.py" with { type: "text" };
// @ts-expect-error: it is imported as text.
import server from "../../../../examples/testing/server.ts" with { type: "text" };
import seed from "../../../../examples/testing/shop.seed.json" with { type: "text" };
// @ts-expect-error: it is imported as text.
import shop from "../../../../examples/testing/shop.ts" with { type: "text" };
import shopTest from "../../../../examples/testing/shop_test.py" with { type: "text" };
import testWithFixture from "../../../../examples/testing/test_with_fixture.py" with { type: "text" };
// @ts-expect-error: it is imported as text.
import testcontainers from "../../../../examples/testing/testcontainers.mjs" with { type: "text" };
import waxwingContainer from "../../../../examples/testing/waxwing_container.py" with { type: "text" };
import waxwingServer from "../../../../examples/testing/waxwing_server.py" with { type: "text" };
// @ts-expect-error: it is imported as text.
import withTestcontainers from "../../../../examples/testing/with_testcontainers.mjs" with { type: "text" };
// @ts-expect-error: it is imported as text.
import withVitest from "../../../../examples/testing/with_vitest.mjs" with { type: "text" };

export const examples: Readonly<Record<string, string>> = {
  "action.yml": action,
  "conftest.py": conftest,
  "first.mjs": first,
  "hello.mjs": hello,
  "hello.py": helloPython,
  "server.ts": server,
  // The compiler types a JSON file as its content, and the bundler imports it as text.
  "shop.seed.json": seed as unknown as string,
  "shop.ts": shop,
  "shop_test.py": shopTest,
  "start.sh": start,
  "test_with_fixture.py": testWithFixture,
  "testcontainers.mjs": testcontainers,
  "waxwing_container.py": waxwingContainer,
  "waxwing_server.py": waxwingServer,
  "with_testcontainers.mjs": withTestcontainers,
  "with_vitest.mjs": withVitest,
};
