/**
 * Loaded before the server under development: it need not bundle the console again after each restart, because the front
 * bundles it once and serves it. The page then names these two files, which the front replaces.
 */
import { plugin } from "bun";
import { STUB_SCRIPT, STUB_STYLE } from "./stub-names.ts";

plugin({
  name: "stub bundle",
  setup(build) {
    build.onLoad({ filter: /\/scripts\/console-bundle\.ts$/ }, () => {
      const files = [STUB_SCRIPT, STUB_STYLE].map(
        (name) => `{ name: ${JSON.stringify(name)}, bytes: new Uint8Array() }`,
      );
      // The front serves the page's scripts one after the other.
      const screens = JSON.stringify({ signIn: [], home: [], other: [] });
      files.push(`{ name: "first-screens.json", bytes: new TextEncoder().encode(${JSON.stringify(screens)}) }`);
      return { contents: `export const bundleConsole = async () => [${files.join(", ")}];`, loader: "ts" };
    });
  },
});
