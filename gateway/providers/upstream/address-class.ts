import { BlockList, isIP } from 'node:net';

/** Whether an IP address may be fetched from. */
export type AddressClass = 'public' | 'not_public' | 'no_address';

/**
 * IPv4 ranges that aren't public hosts (IANA's special-purpose registries, RFC 6890 and its updates): this machine,
 * private and link-local networks with the clouds' metadata servers in them, carrier-grade NAT, documentation,
 * benchmarks, multicast and reserved ranges.
 */
const ipv4Ranges: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Azure's metadata server has an address in a public range, but answers only Azure's own machines.
  ['168.63.129.16', 32],
];

/** In IPv6 only the range that IANA has assigned to hosts is public, except for the ranges below. */
const globalUnicast: readonly [string, number] = ['2000::', 3];
const ipv6Ranges: readonly (readonly [string, number])[] = [
  // These are Teredo, ORCHID, benchmarks and other protocol assignments; documentation; and 6to4, which hides an IPv4
  // address.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const notPublic4 = new BlockList();
for (const [network, bits] of ipv4Ranges) notPublic4.addSubnet(network, bits, 'ipv4');
const public6 = new BlockList();
public6.addSubnet(...globalUnicast, 'ipv6');
const notPublic6 = new BlockList();
for (const [network, bits] of ipv6Ranges) notPublic6.addSubnet(network, bits, 'ipv6');

/**
 * Classifies an address. IPv6 forms that contain an IPv4 address (mapped, NAT64, 6to4, Teredo) are never public,
 * whatever they contain, because nobody needs them to reach a public IPv4 address. An IPv6 address with a zone
 * (`fe80::1%eth0`) isn't public either.
 */
export function addressClass(address: string): AddressClass {
  const plain = address.replace(/%.*$/, '');
  switch (isIP(plain)) {
    case 4:
      return notPublic4.check(plain, 'ipv4') ? 'not_public' : 'public';
    case 6:
      return public6.check(plain, 'ipv6') && !notPublic6.check(plain, 'ipv6') && plain === address
        ? 'public'
        : 'not_public';
    default:
      return 'no_address';
  }
}
