/** The version and commit, written into the executable by the build; from source they are read as development. */
declare const WAXWING_VERSION: string | undefined;
declare const WAXWING_COMMIT: string | undefined;

export const version = typeof WAXWING_VERSION === "string" ? WAXWING_VERSION : "0.1.0-dev";
export const commit = typeof WAXWING_COMMIT === "string" ? WAXWING_COMMIT : "";
