/** The example files that the guide about testing links to, as text. */
import conftest from "../../../../examples/testing/conftest.py" with { type: "text" };
// @ts-expect-error: it is imported as text.
import first from "../../../../examples/testing/first.mjs" with { type: "text" };
// @ts-expect-error: it is imported as text.
import server from "../../../../examples/testing/server.ts" with { type: "text" };
// @ts-expect-error: it is imported as text.
import shop from "../../../../examples/testing/shop.ts" with { type: "text" };
import shopTest from "../../../../examples/testing/shop_test.py" with { type: "text" };
import waxwingServer from "../../../../examples/testing/waxwing_server.py" with { type: "text" };

export const examples: Readonly<Record<string, string>> = {
  "conftest.py": conftest,
  "first.mjs": first,
  "server.ts": server,
  "shop.ts": shop,
  "shop_test.py": shopTest,
  "waxwing_server.py": waxwingServer,
};
