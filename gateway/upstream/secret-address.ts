import { isIP } from 'node:net';

/**
 * Whether this computer itself is meant: `127.0.0.0/8`, `::1` or `localhost`, as the URL parser writes them. Other spellings
 * (mapped addresses, `0.0.0.0`, names below `localhost`, a dot at the end) are not: some systems lead them elsewhere.
 */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true;
  return isIP(hostname) === 4 && hostname.startsWith('127.');
}

/** Whether a key or another secret may be sent there: by https, or without leaving this computer. */
export function mayCarrySecrets(address: URL | string): boolean {
  if (typeof address === 'string' && !URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Why a secret is not sent to an address, and what helps. */
export const readOnTheWay =
  'over plain http a key could be read on its way. A tunnel that ends on this machine (http://127.0.0.1:…) is safe as well.';
