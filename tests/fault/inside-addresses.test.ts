import { execFileSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, isIPv4, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import dnsPacket, { type Answer } from 'dns-packet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressClass } from '#gateway/providers/upstream/address-class.ts';
import { guardedDownload } from '#gateway/providers/upstream/guarded-download.ts';
import { completion, openOwnServers } from '../gateway-doubles/own-servers.ts';
import { privateSpellings } from '../gateway-doubles/private-spellings.ts';
import { seeded } from '../seed/random.ts';
import { figure } from '../support/figures.ts';

/**
 * Tests that nothing connects to addresses that aren't public, as counted by the kernel. This file runs itself again in
 * a network namespace in which every address is this machine. There no connection fails for lack of a route, and each
 * one is counted and seen.
 */
const isInside = process.env.PORTICO_EVERY_ADDRESS_IS_HERE !== undefined;
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Starts a program in a network namespace of its own, as administrator of that namespace only. */
const ownNetwork = [
  '--dev-bind',
  '/',
  '/',
  '--proc',
  '/proc',
  '--unshare-net',
  '--uid',
  '0',
  '--cap-add',
  'CAP_NET_ADMIN',
];
const asAdministrator = process.getuid?.() === 0 ? ownNetwork : ['--unshare-user', ...ownNetwork];

/**
 * Returns why this machine can't make such a network, or null. It needs bubblewrap and iproute2 (Debian's packages).
 */
function noOwnNetwork(): string | null {
  try {
    execFileSync('bwrap', [...asAdministrator, 'ip', 'route', 'show', 'table', 'local'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'bubblewrap or iproute2 is not installed, or no network may be made';
  }
}

if (isInside) {
  describe('in a network where every address is this machine', () => {
    const limits = { maxBytes: 1_000, timeoutMs: 5_000 };
    const refused = /^file_download_failed/;
    const reached: string[] = [];
    let names: Awaited<ReturnType<typeof openNameServer>>;
    const server = createServer((socket: Socket) => {
      reached.push(String(socket.localAddress).replace(/^::ffff:/, ''));
      socket.on('error', () => {}).destroy();
    });

    beforeAll(async () => {
      names = await openNameServer();
      await new Promise<void>((resolve) => server.listen(443, '::', resolve));
    });
    afterAll(() => {
      names.close();
      server.close();
    });

    const download = (url: string) =>
      guardedDownload(url, limits).then(
        () => 'it was fetched',
        (error: { readonly code?: string }) => error.code,
      );

    test('control: the kernel counts every connection, public or not, and the server sees its address', async () => {
      const before = { opened: opened(), reached: reached.length };
      const addresses = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '8.8.8.8', '::1', 'fd00:ec2::254'];
      for (const address of addresses) await reach(address);
      expect(reached.slice(before.reached)).toEqual(addresses);
      expect(opened() - before.opened).toBe(addresses.length);
    });

    test('neither the download guard nor the gateway connects to any spelling or name of a private address', async () => {
      const { post, pass } = await (await openOwnServers()).gateway();
      const spellings = [...privateSpellings(443), ...generated(200)];
      const inner = ['inside.example.com', 'six.example.com', 'two.example.com', '127.0.0.1.nip.io', 'example.com.'];
      const urls = [...spellings, ...inner.map((name) => `https://${name}/x.png`)];
      const before = { opened: opened(), reached: reached.length };
      for (const url of urls) expect([url, await download(url)]).toEqual([url, expect.stringMatching(refused)]);
      for (const url of urls) {
        pass(1_000);
        expect([url, (await post('/v1/chat/completions', completion('vllm/sees', url))).status]).toEqual([url, 400]);
      }
      expect(reached.slice(before.reached)).toEqual([]);
      expect(opened() - before.opened).toBe(0);
      expect(names.asked).toBeGreaterThan(inner.length);
      figure('addresses inside', `${urls.length} spellings and names, twice: 0 connections counted by the kernel`);
    });

    test('a name that changes its address after it was checked is connected to at the checked address', async () => {
      const before = { opened: opened(), reached: reached.length };
      const flips = Array.from({ length: 20 }, (_, n) => `flip-${n}.example.com`);
      for (const name of flips) expect(await download(`https://${name}/x.png`)).toMatch(refused);
      expect(reached.slice(before.reached)).toEqual(flips.map(() => publicAddress));
      expect(opened() - before.opened).toBe(flips.length);
      // A second lookup, which a client makes that resolves names itself, gets the private address.
      expect((await lookup(flips[0] ?? '')).address).toBe('127.0.0.1');
      figure('addresses inside', `${flips.length} names that change: connected to what was looked at alone`);
    });
  });
} else {
  test.skipIf(noOwnNetwork() !== null)(
    'in a network where every address is this machine, the kernel counts no connection to an address that is not public',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'portico-network-'));
      const resolvers = join(folder, 'resolv.conf');
      writeFileSync(resolvers, 'nameserver 127.0.0.1\noptions timeout:2 attempts:1\n');
      const everyAddressIsHere =
        'ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo && exec "$@"';
      const vitest = [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'node-processes'];
      const command = [
        'sh',
        '-c',
        everyAddressIsHere,
        'sh',
        process.execPath,
        ...vitest,
        fileURLToPath(import.meta.url),
      ];
      const { VITEST: _vitest, ...env } = process.env;
      try {
        // Throws an error with the output if a test fails.
        execFileSync('bwrap', [...asAdministrator, '--ro-bind', resolvers, '/etc/resolv.conf', ...command], {
          cwd: root,
          env: { ...env, PORTICO_EVERY_ADDRESS_IS_HERE: '1', NO_COLOR: '1' },
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        });
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
}

const publicAddress = '8.8.8.8';

/** Returns how many connections the programs of this network have begun (RFC 4022, tcpActiveOpens). */
function opened(): number {
  const [header = '', values = ''] = readFileSync('/proc/net/snmp', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('Tcp:'));
  return Number(values.split(' ')[header.split(' ').indexOf('ActiveOpens')]);
}

const reach = (host: string) =>
  new Promise<void>((resolve) => {
    connect({ host, port: 443 })
      .on('error', () => {})
      .on('close', () => resolve());
  });

/** Returns random private IPv4 addresses, each in a random spelling. */
function generated(count: number): readonly string[] {
  const { next: random } = seeded(Number(process.env.PORTICO_SEED ?? 1));
  const below = (limit: number) => Math.floor(random() * limit);
  const starts = [[127], [10], [169, 254], [192, 168], [172, 16], [100, 64], [198, 18], [0], [224]];
  const hex = (byte: number) => byte.toString(16).padStart(2, '0');
  const spellings: ((bytes: number[]) => string)[] = [
    (bytes) => bytes.join('.'),
    (bytes) => bytes.map((byte) => `0x${hex(byte)}`).join('.'),
    (bytes) => bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
    (bytes) => String(Buffer.from(bytes).readUInt32BE()),
    (bytes) => `0x${bytes.map(hex).join('')}`,
    ([a = 0, b = 0, c = 0, d = 0]) => `${a}.${b * 65_536 + c * 256 + d}`,
    (bytes) => `[::ffff:${bytes.join('.')}]`,
    (bytes) => `[64:ff9b::${bytes.join('.')}]`,
    (bytes) => `${bytes.join('.')}.`,
  ];
  return Array.from({ length: count }, () => {
    const start = starts[below(starts.length)] ?? [];
    const bytes = [...start, ...Array.from({ length: 4 - start.length }, () => below(256))];
    expect(addressClass(bytes.join('.'))).not.toBe('public');
    return `https://${spellings[below(spellings.length)]?.(bytes)}/x.png`;
  });
}

/**
 * Opens the network's name server. A name that starts with `flip-` resolves to a public address the first time and to a
 * private one from then on.
 */
async function openNameServer() {
  const state = { asked: 0 };
  const seen = new Set<string>();
  const getAddresses = (name: string): readonly string[] => {
    if (!name.startsWith('flip-')) return addresses[name] ?? ['10.0.0.1'];
    const first = !seen.has(name);
    seen.add(name);
    return [first ? publicAddress : '127.0.0.1'];
  };
  const addresses: Readonly<Record<string, readonly string[]>> = {
    'two.example.com': [publicAddress, '127.0.0.1'],
    'six.example.com': ['::1'],
  };
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { id, questions = [] } = dnsPacket.decode(message);
    state.asked += 1;
    const answers = questions.flatMap(({ name, type }) =>
      (type === 'A' || type === 'AAAA' ? [type] : []).flatMap((asked): Answer[] =>
        // These names have no IPv6 address, so that each check makes exactly one query.
        (asked === 'AAAA' && name.startsWith('flip-') ? [] : getAddresses(name))
          .filter((data) => isIPv4(data) === (asked === 'A'))
          .map((data) => ({ name, type: asked, ttl: 0, data })),
      ),
    );
    socket.send(dnsPacket.encode({ type: 'response', id: id ?? 0, questions, answers }), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(53, '127.0.0.1', resolve));
  return Object.assign(state, { close: () => socket.close() });
}
