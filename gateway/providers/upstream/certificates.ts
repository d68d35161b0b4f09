import * as tls from 'node:tls';

/** Finds the PEM certificates in a text, whatever stands between them. */
export const certificatesIn = (text: string): string[] =>
  text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];

/**
 * Returns the authorities that TLS trusts: Node's own list, additions from its environment, those that the system
 * trusts (which Node can read since 22.15), and those of `certificates`. Without `ca` in the result, Node's own list
 * applies.
 */
export function trustedAuthorities(certificates: string): { ca?: string[] } {
  const own = certificatesIn(certificates);
  const listed: typeof tls.getCACertificates | undefined = tls.getCACertificates;
  if (listed) return { ca: [...listed('default'), ...listed('system'), ...own] };
  return own.length === 0 ? {} : { ca: [...tls.rootCertificates, ...own] };
}
