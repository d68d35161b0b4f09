import type { IncomingHttpHeaders } from 'node:http';
import type { PageText } from './page-text.ts';

/** What a request claims about itself, unverified. */
export interface Claim {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

export type Refusal = { readonly status: number; readonly why: keyof PageText['refusals'] };

/** Returns the valid Host headers. Any other is a foreign name that resolves to this computer. */
export function allowedHosts(port: number): ReadonlySet<string> {
  return new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
}

/** The first rule for every request: a valid Host. It is separate, because it must be checked before all others. */
export function refuseHost(claim: Claim, hosts: ReadonlySet<string>): Refusal | null {
  if (hosts.has(claim.headers.host ?? '')) return null;
  return { status: 421, why: 'otherAddress' };
}

/**
 * Only our pages and the address bar may fetch the page's files. Files for a frame without an origin may be fetched by
 * all.
 */
export function refuseFileRequest({ method, headers }: Claim, forAll = false): Refusal | null {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, why: 'onlyGet' };
  if (forAll) return null;
  const site = headers['sec-fetch-site'];
  const navigates = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (site === undefined || site === 'same-origin' || site === 'none' || navigates) return null;
  return { status: 403, why: 'otherSite' };
}

/** Only our own origin may open sessions and sockets. Browsers always send `Origin` for these. */
export function refuseForeignOrigin(claim: Claim, method: 'GET' | 'POST'): Refusal | null {
  const { headers } = claim;
  if (claim.method !== method) return { status: 405, why: method === 'GET' ? 'onlyGet' : 'onlyPost' };
  if (headers.origin !== `http://${headers.host}`) return { status: 403, why: 'otherAsker' };
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return { status: 403, why: 'otherAsker' };
  return null;
}
