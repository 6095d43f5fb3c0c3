/** Where the reader reached this server, for samples that work as shown. */

/** A name or an IPv4 address, or an IPv6 address in brackets; then the port. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** The origin; null if the request does not say it in a form that can be shown. */
export function addressOf(request: Request, publicUrl: string | null): string | null {
  if (publicUrl !== null) return publicUrl;
  const host = request.headers.get("host") ?? "";
  if (!HOST.test(host)) return null;
  const isHttps = request.url.startsWith("https:") || request.headers.get("x-forwarded-proto") === "https";
  return `${isHttps ? "https" : "http"}://${host.toLowerCase()}`;
}
