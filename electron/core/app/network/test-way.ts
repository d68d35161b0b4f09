import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import { type UnreachableReason, unreachableReason } from '#gateway/providers/upstream/unreachable.ts';
import type { NetworkHop } from '#shared/contract/app/network.ts';
import type { ProblemText } from '#shared/errors.ts';
import { toProblemText } from '#shared/language/refusals.ts';
import type { Network } from './open-network.ts';

interface TestDeps {
  readonly network: Network;
  readonly elapsed: () => number;
  readonly signal: AbortSignal | undefined;
}

const stepMs = 10_000;

/**
 * Tests the connection to an origin step by step: which proxy, the address of the proxy or host, a connection, an
 * answer. Ends with the first failure.
 */
export async function testConnection(origin: string, { network, elapsed, signal }: TestDeps): Promise<NetworkHop[]> {
  const hops: NetworkHop[] = [];
  const within = () => AbortSignal.any([AbortSignal.timeout(stepMs), ...(signal ? [signal] : [])]);

  /** Returns false if the step failed, so that no further step is tried. */
  async function step(name: NetworkHop['step'], take: () => Promise<string>): Promise<boolean> {
    const begun = elapsed();
    try {
      const found = await take();
      hops.push({ step: name, found, ms: Math.round(elapsed() - begun), problem: null });
      return true;
    } catch (error) {
      signal?.throwIfAborted();
      hops.push({ step: name, found: null, ms: Math.round(elapsed() - begun), problem: getProblem(error) });
      return false;
    }
  }

  let proxy: URL | null = null;
  const chosen = await step('proxy', async () => {
    const address = await network.proxyFor(origin);
    proxy = address === null ? null : new URL(address);
    return proxy === null ? '' : `${proxy.protocol}//${proxy.host}`;
  });
  const first = proxy ?? new URL(origin);
  const host = first.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(first.port || defaultPorts[first.protocol]);
  const reached =
    chosen &&
    (isIP(host) !== 0 || (await step('name', async () => (await lookup(host)).address))) &&
    (await step('connection', () => connection(host, port, within())));
  if (reached)
    await step('answer', async () => {
      const { status, body } = await network.fetch(origin, { redirect: 'manual', signal: within() });
      await body?.cancel();
      return `HTTP ${status}`;
    });
  return hops;
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'socks5:': '1080' };

function connection(host: string, port: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, signal });
    socket.once('error', reject);
    socket.once('connect', () => {
      const { remoteAddress, remotePort } = socket;
      socket.destroy();
      resolve(`${remoteAddress} ${remotePort}`);
    });
  });
}

const problems: Readonly<Record<UnreachableReason, ProblemText>> = {
  proxy_auth: toProblemText('networkProxyAuth'),
  proxy_refused: toProblemText('networkProxyRefused'),
  untrusted: toProblemText('networkUntrusted'),
  name_unknown: toProblemText('networkNameUnknown'),
  refused: toProblemText('networkRefused'),
  timeout: toProblemText('networkTimeout'),
  network_down: toProblemText('networkDown'),
};

function getProblem(error: unknown): ProblemText {
  if (error instanceof DOMException || (error instanceof Error && error.name === 'AbortError')) return problems.timeout;
  const reason = unreachableReason(error);
  if (reason !== null) return problems[reason];
  return toProblemText('networkFailed', { why: error instanceof Error ? deepest(error).message : String(error) });
}

const deepest = (error: Error): Error => (error.cause instanceof Error ? deepest(error.cause) : error);
