/** The console's bundle under development: built again after a change, with the builds before it kept for open pages. */
import type { BundledFile } from "../console-bundle.ts";
import { bundleConsole } from "../console-bundle.ts";
import { STUB_SCRIPT, STUB_STYLE } from "./stub-names.ts";

const KEPT_BUILDS = 5;

export class ConsoleFiles {
  /** The newest first. */
  readonly #builds: BundledFile[][] = [];

  /** Throws with what the bundler said; the build before it then stays. */
  async build(): Promise<void> {
    this.#builds.unshift(await bundleConsole());
    this.#builds.length = Math.min(this.#builds.length, KEPT_BUILDS);
  }

  /** Names the build: an open page with another name is out of date. Empty before the first one. */
  name(): string {
    return `${this.#entry("js")} ${this.#entry("css")}`.trim();
  }

  find(name: string): BundledFile | undefined {
    return this.#builds.flat().find((file) => file.name === name);
  }

  /** Puts the build's files, and one script more, into the page that the server printed. */
  completePage(html: string, script: string): string {
    return html
      .replace(STUB_SCRIPT, this.#entry("js"))
      .replace(STUB_STYLE, this.#entry("css"))
      .replace("</head>", `<script src="${script}"></script></head>`);
  }

  #entry(ending: string): string {
    return this.#builds[0]?.find(({ name }) => name.startsWith("main-") && name.endsWith(`.${ending}`))?.name ?? "";
  }
}
