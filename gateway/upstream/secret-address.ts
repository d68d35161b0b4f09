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
  if (typeof address === 'string') return verdictOf(address);
  const { protocol, hostname } = address;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Every request to a server on this computer asks for the same few addresses. */
const verdicts = new Map<string, boolean>();
const mostVerdicts = 1_000;

function verdictOf(address: string): boolean {
  const known = verdicts.get(address);
  if (known !== undefined) return known;
  if (verdicts.size >= mostVerdicts) verdicts.clear();
  const verdict = URL.canParse(address) && mayCarrySecrets(new URL(address));
  verdicts.set(address, verdict);
  return verdict;
}
