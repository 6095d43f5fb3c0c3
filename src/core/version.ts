/** Version and commit, embedded in the executable by the build; a run from source reports a development version. */
declare const WAXWING_VERSION: string | undefined;
declare const WAXWING_COMMIT: string | undefined;

export const version = typeof WAXWING_VERSION === "string" ? WAXWING_VERSION : "0.1.0-dev";
export const commit = typeof WAXWING_COMMIT === "string" ? WAXWING_COMMIT : "";
