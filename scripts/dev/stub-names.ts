/** Names in the page of a server that `stub-bundle.ts` was loaded into; the front puts those of its bundle in their place. */
export const STUB_SCRIPT = "main-dev.js";
export const STUB_STYLE = "main-dev.css";
