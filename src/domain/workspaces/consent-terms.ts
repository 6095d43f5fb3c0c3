/** What a person was told when they agreed: the terms that a consent's evidence has, or a workspace's own. Pure. */

/** Longest terms, in characters. */
export const CONSENT_TERMS_MAX = { purpose: 191, notice: 4_000 } as const;

/** Members of the evidence for an opt-in that names neither: the workspace's, where it has set them. */
export function ownConsentTerms({ purpose, notice }: { purpose: string; notice: string }): Record<string, string> {
  return { ...(purpose === "" ? {} : { purpose }), ...(notice === "" ? {} : { notice }) };
}
