import { isIP } from 'node:net';
import { isLoopback, mayCarrySecrets } from '#gateway/upstream/dispatch-fetch.ts';
import { refusal } from '#shared/language/refusals.ts';

/** An address that a key may be sent to. */
export type BaseUrl = string & { readonly baseUrl: unique symbol };

/** An address inside the user's own network, where a server without https is ordinary. */
function isPrivate(hostname: string): boolean {
  if (hostname.endsWith('.local')) return true;
  const [a = 0, b = 0] = isIP(hostname) === 4 ? hostname.split('.').map(Number) : [];
  return a === 10 || (a === 192 && b === 168) || (a === 172 && b >= 16 && b <= 31);
}

type Fault = 'addressNeeded' | 'addressHasKey' | 'addressHasQuery' | 'addressClear' | 'addressPlain';

export interface BaseUrlUse {
  /** A key goes there with every request: then plain http is for this machine alone. */
  readonly withKey: boolean;
  /** A server of the user's own: without a key, plain http may also go to a machine beside this one. */
  readonly ownServer?: boolean;
}

/** Checks where requests are about to be sent: https, or as little of http as `use` allows. Throws `invalid_input`. */
export function parseBaseUrl(text: string, { withKey, ownServer = false }: BaseUrlUse): BaseUrl {
  const url = URL.canParse(text) ? new URL(text) : null;
  const refuse = (name: Fault) => refusal('invalid_input', name, { details: { param: 'baseUrl' } });
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw refuse('addressNeeded');
  if (url.username || url.password) throw refuse('addressHasKey');
  if (url.search || url.hash) throw refuse('addressHasQuery');
  if (withKey && !mayCarrySecrets(url)) throw refuse('addressClear');
  const plainAllowed = isLoopback(url.hostname) || (ownServer && isPrivate(url.hostname));
  if (url.protocol === 'http:' && !plainAllowed) throw refuse('addressPlain');
  return url.href.replace(/\/+$/, '') as BaseUrl;
}
