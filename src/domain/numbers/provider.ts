/** Who serves a WhatsApp number: Meta itself, or a provider with an address, a header and errors of its own. */
export const providers = ["graph", "360dialog"] as const;

export type Provider = (typeof providers)[number];

/** Callbacks of the others are accepted at an address of the number's own (`callback-address.ts`). */
export function signsCallbacks(provider: Provider): boolean {
  return provider === "graph";
}
