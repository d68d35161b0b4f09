import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { AppError } from '#shared/errors.ts';

export type ProxyHeader = 'x-forwarded-for' | 'forwarded';

export interface TrustedProxies {
  readonly addresses: BlockList;
  /** The one header that these proxies write. Another could come from the caller, through a proxy that knows only its own. */
  readonly header: ProxyHeader;
}

/** The address that a request comes from: the socket's other end, or what trusted proxies report, hop by hop from the last one on. */
export function clientAddress(
  incoming: Pick<IncomingMessage, 'socket' | 'headers'>,
  trusted: TrustedProxies | null,
): string {
  const peer = incoming.socket.remoteAddress ?? 'unknown';
  if (!trusted) return peer;
  const { addresses, header } = trusted;
  const hops = getHops(header, incoming.headers[header]);
  let address = peer;
  while (covers(addresses, address)) {
    const next = plainAddress(hops.pop());
    if (next === null) return address;
    address = next;
  }
  return address;
}

/** Parses addresses and networks (`10.0.0.0/8, ::1`), separated by commas. Throws `invalid_input` naming an entry that is neither. */
export function parseNetworks(text: string, variable: string): BlockList {
  const networks = new BlockList();
  for (const entry of text.split(',').map((part) => part.trim())) {
    const [address = '', bits, ...more] = entry.split('/');
    const version = isIP(address);
    const length = version === 4 ? 32 : 128;
    const prefix = bits === undefined ? length : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (version === 0 || more.length > 0 || !(prefix <= length)) {
      throw new AppError(
        'invalid_input',
        `${variable} must list addresses or networks such as 10.0.0.0/8 or ::1, separated by commas; "${entry}" is neither.`,
      );
    }
    networks.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
  }
  return networks;
}

function covers(networks: BlockList, address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  const version = isIP(plain);
  return version !== 0 && networks.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}

function getHops(header: ProxyHeader, value: string | string[] | undefined): string[] {
  const parts = (Array.isArray(value) ? value.join(',') : (value ?? '')).split(',');
  if (header === 'x-forwarded-for') return parts;
  return parts.map((part) => /(?:^|;)\s*for="?([^;"]*)"?/i.exec(part)?.[1] ?? '');
}

/** Returns an address without its port. Null for other values, such as RFC 7239's `unknown` and `_hidden`. */
function plainAddress(hop: string | undefined): string | null {
  const text = (hop ?? '').trim();
  const bare = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? (isIP(text) ? text : text.replace(/:\d+$/, ''));
  return isIP(bare) ? bare : null;
}
