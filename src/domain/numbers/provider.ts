/** Who serves a WhatsApp number: Meta itself, or a provider with an address, a header and errors of its own. */
export const providers = ["graph", "360dialog"] as const;

export type Provider = (typeof providers)[number];
