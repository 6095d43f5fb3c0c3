/**
 * The front end's files that the executable holds. Here the list is empty, which means: running from source, bundle it.
 * `scripts/build.ts` puts a list in this module's place, with the path of each file inside the executable.
 */
export interface EmbeddedAsset {
  name: string;
  /** The file as it is, and compressed with brotli. */
  plain: string;
  brotli: string;
}

export const embedded: readonly EmbeddedAsset[] = [];
