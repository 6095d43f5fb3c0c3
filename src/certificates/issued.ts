/** What the authority issued, before anything uses it. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { AcmeProblem } from "./authority.ts";

/** Throws `AcmeProblem` if it is not the certificate that was asked for. */
export function lifeOf(chain: string, key: string, domain: string): { startsAt: number; endsAt: number } {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(chain);
  } catch {
    throw new AcmeProblem("malformed", "The authority sent no certificate.", null);
  }
  if (!certificate.checkPrivateKey(createPrivateKey(key)) || certificate.checkHost(domain) === undefined)
    throw new AcmeProblem("malformed", "The authority sent a certificate for another key or name.", null);
  return { startsAt: Date.parse(certificate.validFrom), endsAt: Date.parse(certificate.validTo) };
}
