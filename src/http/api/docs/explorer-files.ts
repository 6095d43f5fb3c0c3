/**
 * The program and the style of Swagger UI. From source they are read from its package; `scripts/build.ts` replaces this
 * module by one that reads them from the executable, where they are compressed.
 */
import { brotliCompressSync, constants } from "node:zlib";
import { once } from "#src/core/once.ts";

export interface ExplorerFile {
  plain: () => Promise<Uint8Array<ArrayBuffer>>;
  brotli: () => Promise<Uint8Array<ArrayBuffer>>;
}

export const explorerFiles = { script: fromPackage("swagger-ui-bundle.js"), style: fromPackage("swagger-ui.css") };

function fromPackage(name: string): ExplorerFile {
  const plain = async () => {
    const path = Bun.resolveSync(`swagger-ui-dist/${name}`, import.meta.dir);
    return new Uint8Array(await Bun.file(path).arrayBuffer());
  };
  const brotli = once(async () => {
    // A server that runs from source favours speed over size.
    const params = { [constants.BROTLI_PARAM_QUALITY]: 4 };
    return new Uint8Array(brotliCompressSync(await plain(), { params }));
  });
  return { plain, brotli };
}
