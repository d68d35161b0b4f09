import { isIP } from 'node:net';
import { isLoopback, mayCarrySecrets } from '#gateway/providers/upstream/dispatch-fetch.ts';
import { refusal } from '#shared/language/refusals.ts';

/** A URL that was checked to be safe for keys. */
export type BaseUrl = string & { readonly baseUrl: unique symbol };

/** True for a host in a private network, where servers without https are common. */
function isPrivate(hostname: string): boolean {
  if (hostname.endsWith('.local')) return true;
  const [a = 0, b = 0] = isIP(hostname) === 4 ? hostname.split('.').map(Number) : [];
  return a === 10 || (a === 192 && b === 168) || (a === 172 && b >= 16 && b <= 31);
}

type Fault = 'addressNeeded' | 'addressHasKey' | 'addressHasQuery' | 'addressClear' | 'addressPlain';

export interface BaseUrlUse {
  /** True if requests carry a key. Then plain http is allowed only on this machine. */
  readonly withKey: boolean;
  /** True for the user’s own server. Without a key, it may also use plain http within the private network. */
  readonly ownServer?: boolean;
}

/** Parses a base URL. It must be https, or http as far as `use` allows. Throws `invalid_input`. */
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
