/** Version and commit, embedded in the executable by the build; a run from source reports a development version. */
declare const WAXWING_VERSION: string | undefined;
declare const WAXWING_COMMIT: string | undefined;
declare const WAXWING_RELEASE_KEY: string | undefined;
declare const WAXWING_RELEASE_ADDRESS: string | undefined;

export const version = typeof WAXWING_VERSION === "string" ? WAXWING_VERSION : "0.1.0-dev";
export const commit = typeof WAXWING_COMMIT === "string" ? WAXWING_COMMIT : "";

/** The public key that verifies releases: Ed25519, its 32 bytes in base64. Empty: none is known. */
export const releaseKey = typeof WAXWING_RELEASE_KEY === "string" ? WAXWING_RELEASE_KEY : "";
/** Where releases are. Empty: no place is known. */
export const releaseAddress = typeof WAXWING_RELEASE_ADDRESS === "string" ? WAXWING_RELEASE_ADDRESS : "";
