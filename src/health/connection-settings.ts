/** The part of the configuration and the environment that decides how this server reaches WhatsApp and is reached. */
export interface ConnectionSettings {
  publicUrl: string | null;
  graphUrl: string;
  apiVersion: string;
  /** Whether the configuration has an app secret for numbers without their own. */
  hasAppSecret: boolean;
  keyFile: string;
  /** The variable of the environment that names a proxy, which Waxwing does not use. */
  proxyVariable: string | null;
}

interface ConnectionConfig {
  server: { publicUrl: string | null };
  whatsapp: { graphUrl: string; apiVersion: string; appSecret: string | null };
  secrets: { keyFile: string };
}

type Environment = Readonly<Record<string, string | undefined>>;

const PROXY_VARIABLES = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] as const;

export function readConnectionSettings(
  { server, whatsapp, secrets }: ConnectionConfig,
  environment: Environment,
): ConnectionSettings {
  return {
    publicUrl: server.publicUrl?.endsWith("/") === true ? server.publicUrl.slice(0, -1) : server.publicUrl,
    graphUrl: whatsapp.graphUrl,
    apiVersion: whatsapp.apiVersion,
    hasAppSecret: whatsapp.appSecret !== null,
    keyFile: secrets.keyFile,
    proxyVariable: PROXY_VARIABLES.find((name) => (environment[name] ?? "") !== "") ?? null,
  };
}
