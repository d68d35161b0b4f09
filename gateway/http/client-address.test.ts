import { describe, expect, test } from 'vitest';
import { clientAddress, type ProxyHeader, parseNetworks } from './client-address.ts';

const from = (peer: string, headers: Record<string, string>, header: ProxyHeader = 'x-forwarded-for') =>
  clientAddress(
    { socket: { remoteAddress: peer } as never, headers },
    {
      addresses: parseNetworks('10.0.0.0/8, 127.0.0.1, fd00::/8', 'X'),
      header,
    },
  );
const xff = (value: string) => ({ 'x-forwarded-for': value });

describe('the address of a caller', () => {
  test.each([
    ['is the socket’s when nothing is forwarded', '10.0.0.1', {}, '10.0.0.1'],
    ['is the one that a trusted proxy reports', '10.0.0.1', xff('203.0.113.9'), '203.0.113.9'],
    [
      'is the last untrusted hop, not the one that the caller claims',
      '10.0.0.1',
      xff('1.1.1.1, 203.0.113.9'),
      '203.0.113.9',
    ],
    ['is found behind several trusted proxies', '10.0.0.1', xff('203.0.113.9, 10.2.3.4, fd00::7'), '203.0.113.9'],
    ['is not taken from an untrusted peer', '192.0.2.1', xff('203.0.113.9'), '192.0.2.1'],
    ['is the first hop when all are trusted', '10.0.0.1', xff('10.0.0.3, 10.0.0.2'), '10.0.0.3'],
    ['has no port', '::ffff:10.0.0.1', xff('203.0.113.9:4711'), '203.0.113.9'],
    ['has no brackets', '127.0.0.1', xff('[2001:db8::1]:4711'), '2001:db8::1'],
    ['is the proxy’s when that reports nonsense', '10.0.0.1', xff('unknown'), '10.0.0.1'],
    ['ignores the header that these proxies do not write', '10.0.0.1', { forwarded: 'for=1.1.1.1' }, '10.0.0.1'],
  ])('%s', (_what, peer, headers, address) => {
    expect(from(peer, headers as Record<string, string>)).toBe(address);
  });

  test.each([
    ['for=203.0.113.9;proto=https;by=10.0.0.1', '203.0.113.9'],
    ['for=1.1.1.1, For="[2001:db8::1]:99"', '2001:db8::1'],
    ['proto=https;for="203.0.113.9", for=10.9.9.9', '203.0.113.9'],
    ['for=_hidden', '10.0.0.1'],
    ['by=10.0.0.1', '10.0.0.1'],
  ])('is read from Forwarded when that is the header: %s', (forwarded, address) => {
    expect(from('10.0.0.1', { forwarded, 'x-forwarded-for': '6.6.6.6' }, 'forwarded')).toBe(address);
  });
});

test.each(['10.0.0.0/33', '10.0.0', 'proxy', '10.0.0.0/8/8', '', '::1/129', '10.0.0.0/-1', '10.0.0.0/x'])(
  '"%s" is refused as a network',
  (text) => {
    expect(() => parseNetworks(`127.0.0.1,${text}`, 'PORTICO_TRUSTED_PROXIES')).toThrow(
      `PORTICO_TRUSTED_PROXIES must list addresses or networks such as 10.0.0.0/8 or ::1, separated by commas; "${text}" is neither.`,
    );
  },
);
