import type { IncomingHttpHeaders } from 'node:http';
import type { PageText } from './page-text.ts';

/** What a request claims before anything of it is trusted. */
export interface Claim {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

export type Refusal = { readonly status: number; readonly why: keyof PageText['refusals'] };

/** The names by which this server may be addressed; everything else is another site's name pointed at this machine. */
export function allowedHosts(port: number): ReadonlySet<string> {
  return new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
}

/** First rule of every request: the Host names this server. Kept apart because it must come before all others. */
export function refuseHost(claim: Claim, hosts: ReadonlySet<string>): Refusal | null {
  if (hosts.has(claim.headers.host ?? '')) return null;
  return { status: 421, why: 'otherAddress' };
}

/** A page's files may be fetched by this origin's own pages and by the address bar; those for a frame without an origin, by all. */
export function refuseFileRequest({ method, headers }: Claim, forAll = false): Refusal | null {
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, why: 'onlyGet' };
  if (forAll) return null;
  const site = headers['sec-fetch-site'];
  const navigates = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  if (site === undefined || site === 'same-origin' || site === 'none' || navigates) return null;
  return { status: 403, why: 'otherSite' };
}

/** What opens a session or the socket comes from a page of this very origin: a browser always says so by `Origin`. */
export function refuseForeignOrigin(claim: Claim, method: 'GET' | 'POST'): Refusal | null {
  const { headers } = claim;
  if (claim.method !== method) return { status: 405, why: method === 'GET' ? 'onlyGet' : 'onlyPost' };
  if (headers.origin !== `http://${headers.host}`) return { status: 403, why: 'otherAsker' };
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return { status: 403, why: 'otherAsker' };
  return null;
}
