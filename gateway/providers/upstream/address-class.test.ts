import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressClass } from './address-class.ts';

describe('the addresses that are not public', () => {
  test.each([
    ['this machine', ['127.0.0.1', '127.255.255.254', '0.0.0.0', '::1', '::']],
    ['a private network', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1']],
    ['link-local, with the metadata servers', ['169.254.169.254', '169.254.170.2', 'fe80::1', 'fe80::1%eth0']],
    ['metadata servers of other clouds', ['168.63.129.16', '100.100.100.200', 'fd00:ec2::254']],
    ['carrier-grade NAT', ['100.64.0.1', '100.127.255.255']],
    ['multicast and broadcast', ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1']],
    [
      'documentation and benchmarks',
      ['192.0.2.1', '198.51.100.7', '203.0.113.9', '198.19.0.1', '2001:db8::1', '3fff::1'],
    ],
    ['IPv4 in IPv6', ['::ffff:8.8.8.8', '::ffff:127.0.0.1', '::ffff:7f00:1', '::8.8.8.8']],
    ['NAT64, 6to4 and Teredo', ['64:ff9b::8.8.8.8', '64:ff9b::a00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001:0:1::1']],
    ['site-local and reserved', ['fec0::1', '4000::1', '240.0.0.1']],
  ])('the addresses of %s are not public', (_name, addresses) => {
    for (const address of addresses) expect(addressClass(address), address).toBe('not_public');
  });
});

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '2606:4700::1111',
  '2a00:1450::1',
])('%s is public', (address) => expect(addressClass(address)).toBe('public'));

test.each(['', 'localhost', 'example.com', '1.2.3', '0x7f.1', '2130706433', '127.1', '[::1]', '1.2.3.4.5'])(
  '%j is no IP address',
  (text) => expect(addressClass(text)).toBe('no_address'),
);

const byte = fc.integer({ min: 0, max: 255 });
const inside = (...fixed: number[]) =>
  fc
    .array(byte, { minLength: 4 - fixed.length, maxLength: 4 - fixed.length })
    .map((rest) => [...fixed, ...rest].join('.'));
const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));

describe('for any address', () => {
  test('no address in a private IPv4 network is public', () => {
    const closed = fc.oneof(
      inside(0),
      inside(10),
      inside(127),
      inside(169, 254),
      inside(192, 168),
      fc.tuple(fc.integer({ min: 16, max: 31 }), byte, byte).map((rest) => `172.${rest.join('.')}`),
      fc.tuple(fc.integer({ min: 64, max: 127 }), byte, byte).map((rest) => `100.${rest.join('.')}`),
      fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte).map((rest) => rest.join('.')),
    );
    fc.assert(
      fc.property(closed, (address) => addressClass(address) === 'not_public'),
      { numRuns: 2_000 },
    );
  });

  test('an IPv6 address that contains an IPv4 address is never public', () => {
    const prefixes = fc.constantFrom('::ffff:', '::', '64:ff9b::', '64:ff9b:1::');
    fc.assert(
      fc.property(prefixes, fc.ipV4(), (prefix, address) => addressClass(`${prefix}${address}`) === 'not_public'),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(group, group, (high, low) => addressClass(`2002:${high}:${low}::1`) === 'not_public'),
      { numRuns: 1_000 },
    );
  });

  test('no IPv6 address outside 2000::/3 is public, however it is written', () => {
    const outside = fc.integer({ min: 0, max: 0xffff }).filter((first) => first < 0x2000 || first > 0x3fff);
    const spelled = fc.tuple(outside, fc.array(group, { minLength: 7, maxLength: 7 }), fc.boolean());
    fc.assert(
      fc.property(spelled, ([first, rest, upper]) => {
        const address = [first.toString(16), ...rest].join(':');
        return addressClass(upper ? address.toUpperCase() : address) === 'not_public';
      }),
      { numRuns: 2_000 },
    );
  });

  test('an address has the same class in its short and its full form', () => {
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const full = groups.map((part) => part.padStart(4, '0')).join(':');
        return addressClass(full) === addressClass(new URL(`http://[${full}]/`).hostname.slice(1, -1));
      }),
      { numRuns: 2_000 },
    );
  });
});
