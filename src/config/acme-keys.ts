/** The keys of the `[acme]` section: where the certificate of `server.domain` comes from. */
import { key } from "./key.ts";
import { emailAddress, httpAddress, listenAddress, optional, path } from "./kinds.ts";

export const acmeKeys = {
  directory: key(
    "directory",
    httpAddress,
    "https://acme-v02.api.letsencrypt.org/directory",
    "Directory of the certificate authority (ACME). Change it for another authority, or for Let's Encrypt's staging one while you try things.",
  ),
  email: key(
    "email",
    optional(emailAddress),
    "",
    "Address that the certificate authority may write to about the account. It may be empty.",
  ),
  httpListen: key(
    "http_listen",
    listenAddress,
    ":80",
    "Address and port for plain HTTP, in addition to HTTPS: the authority's check, and a redirect to HTTPS for everything else. From outside it must be reached at port 80.",
  ),
  caFile: key(
    "ca_file",
    optional(path),
    "",
    "PEM file with the certificate that signs the authority's own address, for an authority inside your network. Empty: the public ones.",
  ),
} as const;
