import * as tls from 'node:tls';

/** The certificates in PEM that a text has, whatever stands between them. */
export const certificatesIn = (text: string): string[] =>
  text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];

/**
 * The authorities that TLS trusts: Node's own list, what its environment adds, what the system trusts (which Node can say since 22.15),
 * and those of `certificates`. Without `ca` Node's own list holds.
 */
export function trustedAuthorities(certificates: string): { ca?: string[] } {
  const own = certificatesIn(certificates);
  const listed: typeof tls.getCACertificates | undefined = tls.getCACertificates;
  if (listed) return { ca: [...listed('default'), ...listed('system'), ...own] };
  return own.length === 0 ? {} : { ca: [...tls.rootCertificates, ...own] };
}
