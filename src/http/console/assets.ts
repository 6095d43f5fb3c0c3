/**
 * The front end's files embedded in the executable. Empty here: a server that runs from source bundles the front end
 * itself. `scripts/build.ts` replaces this module by a list with the path of each file inside the executable.
 */
interface EmbeddedAsset {
  name: string;
  /** Paths of the original file and of its brotli-compressed form. */
  plain: string;
  brotli: string;
}

export const embedded: readonly EmbeddedAsset[] = [];
