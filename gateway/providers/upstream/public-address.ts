import { isIP } from 'node:net';
import { AppError } from '#shared/errors.ts';
import { addressClass } from './address-class.ts';

/**
 * Rules for the address of a file. `publicAddress` checks the address itself; what its name resolves to is checked
 * before connecting.
 */
export interface AddressRules {
  readonly protocols: readonly string[];
  /** Whether this IP address may be connected to. */
  readonly mayReach: (address: string) => boolean;
}

/** The default rules (wire contract §1.5): https, no credentials, public hosts only. */
export const addressRules: AddressRules = {
  protocols: ['https:'],
  mayReach: (address) => addressClass(address) === 'public',
};

/**
 * Names that stand for a nearby machine or network, wherever they are resolved (RFC 6761, 6762, 8375; ICANN for
 * `internal`).
 */
const nearbyNames =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|test|invalid|onion|alt)$/;

/**
 * Parses a stranger's address once. Continue with the returned URL, whose `href` every parser reads alike, never with
 * the text. Throws `file_download_failed`, which contains only the host, because a path may contain a secret.
 */
export function publicAddress(text: string, rules: AddressRules = addressRules, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base?.href) : null;
  if (!url) throw new AppError('file_download_failed', 'The file could not be fetched: its address is not valid.');
  if (!rules.protocols.includes(url.protocol)) throw notFetched(url, 'only https addresses are fetched');
  if (url.username || url.password) throw notFetched(url, 'an address with a user name or password is not fetched');
  if (!mayBePublic(url, rules)) throw notPublic(url);
  return url;
}

/** Returns the host, without the brackets of an IPv6 address. */
export const getHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

function mayBePublic(url: URL, { mayReach }: AddressRules): boolean {
  const host = getHost(url);
  if (isIP(host)) return mayReach(host);
  const name = host.replace(/\.$/, '');
  return name.includes('.') && !nearbyNames.test(name);
}

export const notPublic = (url: URL) =>
  notFetched(url, 'its name leads to an address that is not on the public internet');

export const notFetched = (url: URL, why: string, cause?: unknown) =>
  new AppError('file_download_failed', `The file at ${url.host || 'this address'} was not fetched: ${why}.`, { cause });
