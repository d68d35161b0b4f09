import { isIP } from 'node:net';
import { AppError } from '#shared/errors.ts';

/** An address that a key may be sent to. */
export type BaseUrl = string & { readonly baseUrl: unique symbol };

const loopbackNames = new Set(['localhost', '[::1]']);

/** Whether an address of this machine is meant: `localhost`, `127.0.0.0/8` or `::1`, as the URL parser writes them. */
function isLoopback(hostname: string): boolean {
  return (
    loopbackNames.has(hostname) ||
    hostname.endsWith('.localhost') ||
    (isIP(hostname) === 4 && hostname.startsWith('127.'))
  );
}

/** An address inside the user's own network, where a server without https is ordinary. */
function isPrivate(hostname: string): boolean {
  if (hostname.endsWith('.local')) return true;
  const [a = 0, b = 0] = isIP(hostname) === 4 ? hostname.split('.').map(Number) : [];
  return a === 10 || (a === 192 && b === 168) || (a === 172 && b >= 16 && b <= 31);
}

/** Checks where a key is about to be sent: https, or http to this machine (with `privateHttp`, also to one beside it). */
export function parseBaseUrl(text: string, { privateHttp = false } = {}): BaseUrl {
  const url = URL.canParse(text) ? new URL(text) : null;
  const refuse = (why: string) => new AppError('invalid_input', `baseUrl: ${why}`, { details: { param: 'baseUrl' } });
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) throw refuse('an https address is needed.');
  if (url.username || url.password) throw refuse('put the key in its own field, not in the address.');
  if (url.search || url.hash) throw refuse('leave away everything from "?" or "#" on.');
  const plainAllowed = isLoopback(url.hostname) || (privateHttp && isPrivate(url.hostname));
  if (url.protocol === 'http:' && !plainAllowed) {
    throw refuse('use https: over http the key could be read on its way. Plain http is for this machine only.');
  }
  return url.href.replace(/\/+$/, '') as BaseUrl;
}
