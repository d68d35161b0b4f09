import { promises as dns, type LookupAddress } from 'node:dns';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { type RequestOptions as HttpsOptions, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { AppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';
import { trustedAuthorities } from './certificates.ts';
import type { ProxyFor } from './proxied-dispatcher.ts';
import { type AddressRules, addressRules, getHost, notFetched, notPublic, publicAddress } from './public-address.ts';

/**
 * Fetches what a stranger named, from nowhere but public hosts (wire contract §1.5). Each name is resolved once, every one
 * of its addresses must be public, and the connection goes to an address that was looked at, so that a name cannot mean
 * something else by the time it is called; where a proxy leads to it, the proxy is asked for that address. Each redirect begins again at the
 * first check. No cookies, no credentials, no connection that is kept. Whoever fetches pages for a model can use it as it is.
 */
export interface DownloadOptions {
  /** Most bytes that are read; one more is an error. */
  readonly maxBytes: number;
  /** For everything together, redirects included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** What is sent as `accept`. */
  readonly accept?: string;
  /** How the outside is reached; directly where it is missing. */
  readonly route?: DownloadRoute;
  /** For tests and for an operator's own rule; the defaults are https only, and public addresses only. */
  readonly rules?: Partial<DownloadRules>;
}

export interface DownloadRoute {
  readonly proxyFor: ProxyFor;
  /** Authorities in PEM that are trusted besides those of Node and of the system. */
  readonly certificates: () => string | Promise<string>;
}

export interface DownloadRules extends AddressRules {
  readonly resolve: (name: string) => Promise<readonly LookupAddress[]>;
}

export interface Downloaded {
  readonly bytes: Buffer;
  /** As the server said, in lower case and without parameters; empty where it said nothing. */
  readonly contentType: string;
  /** The `charset` parameter of the content type, in lower case; null where there is none. */
  readonly charset: string | null;
  /** After redirects. */
  readonly url: string;
}

const maxRedirects = 3;

const defaultRules: DownloadRules = {
  ...addressRules,
  resolve: (name) => dns.lookup(name, { all: true, verbatim: true }),
};

/** Throws `file_download_failed` with what was asked for (host only) and why it did not come. */
export async function guardedDownload(address: string, options: DownloadOptions): Promise<Downloaded> {
  const rules = { ...defaultRules, ...options.rules };
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  let url = publicAddress(address, rules);
  for (let redirects = 0; ; redirects += 1) {
    const response = await ask(url, await reachable(url, rules, signal), options, signal);
    const next = response.headers.location;
    if (!isRedirect(response) || next === undefined) return received(response, url, options, signal);
    response.destroy();
    if (redirects === maxRedirects) throw notFetched(url, `it redirects more than ${maxRedirects} times`);
    url = publicAddress(next, rules, url);
  }
}

const isRedirect = ({ statusCode = 0 }: Answer) => [301, 302, 303, 307, 308].includes(statusCode);

/** The address to connect to. All that a name stands for must be public: one that is not is a trap, whatever the others. */
async function reachable(url: URL, rules: DownloadRules, signal: AbortSignal): Promise<LookupAddress> {
  const host = getHost(url);
  const family = isIP(host);
  const addresses = family ? [{ address: host, family }] : await resolved(url, host, rules, signal);
  const [first] = addresses;
  if (!first) throw notFetched(url, 'its name has no address');
  if (!addresses.every(({ address }) => rules.mayReach(address))) throw notPublic(url);
  return first;
}

async function resolved(url: URL, name: string, rules: DownloadRules, signal: AbortSignal) {
  try {
    return await abortable(rules.resolve(name), signal);
  } catch (cause) {
    throw signal.aborted ? stopped(url, signal) : notFetched(url, 'its name could not be resolved', cause);
  }
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
}

/** What the server answered: of Node's own client, or of the proxy's. */
interface Answer extends AsyncIterable<Buffer> {
  readonly statusCode?: number | undefined;
  readonly headers: IncomingHttpHeaders;
  destroy(): void;
}

/** The connection goes to `pinned`; the certificate must be the name's. */
async function ask(url: URL, pinned: LookupAddress, options: DownloadOptions, signal: AbortSignal): Promise<Answer> {
  const headers = { accept: options.accept ?? '*/*', 'accept-encoding': 'identity', 'user-agent': 'Portico' };
  const { route } = options;
  try {
    const proxy = await route?.proxyFor(url.origin);
    const trust = route ? trustedAuthorities(await route.certificates()) : {};
    if (proxy == null) return await askDirectly(url, pinned, { headers, signal, ...trust });
    const getThroughProxy = await loadProxies();
    const call = { url, address: pinned.address, headers, signal, trust };
    const { statusCode, headers: received, body } = await getThroughProxy(proxy, call);
    return {
      statusCode,
      headers: received,
      destroy: () => void body.destroy(),
      [Symbol.asyncIterator]: () => body[Symbol.asyncIterator](),
    };
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw signal.aborted ? stopped(url, signal) : notFetched(url, 'its server could not be reached', cause);
  }
}

function askDirectly(
  url: URL,
  pinned: LookupAddress,
  options: Pick<HttpsOptions, 'ca' | 'signal'> & { readonly headers: Record<string, string> },
): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const lookup: LookupFunction = (_name, { all }, callback) =>
      all ? callback(null, [pinned]) : callback(null, pinned.address, pinned.family);
    send(url, { agent: false, lookup, ...options }, resolve)
      .on('error', reject)
      .end();
  });
}

/** undici needs Node 22.19: an older Electron never goes past a proxy that was named. */
async function loadProxies() {
  try {
    return (await import('./proxied-download.ts')).getThroughProxy;
  } catch (cause) {
    throw refusal('upstream_unreachable', 'networkTooOld', { cause });
  }
}

async function received(
  response: Answer,
  url: URL,
  { maxBytes }: DownloadOptions,
  signal: AbortSignal,
): Promise<Downloaded> {
  const { statusCode = 0, headers } = response;
  const refuse = (why: string) => {
    response.destroy();
    return notFetched(url, why);
  };
  if (statusCode !== 200) throw refuse(`its server answered with status ${statusCode}`);
  // It was asked not to: what came would have to be unpacked, without knowing how large it gets.
  if (!/^(|identity)$/i.test(headers['content-encoding']?.trim() ?? '')) throw refuse('its server sent it compressed');
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw refuse(`it is larger than ${maxBytes} bytes`);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      size += chunk.length;
      if (size > maxBytes) throw refuse(`it is larger than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw signal.aborted ? stopped(url, signal) : notFetched(url, 'its server broke the connection off', cause);
  }
  return { bytes: Buffer.concat(chunks), ...getType(headers['content-type'] ?? ''), url: url.href };
}

function getType(header: string): Pick<Downloaded, 'contentType' | 'charset'> {
  const [contentType = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return { contentType, charset: charset?.replace(/^"(.*)"$/, '$1') ?? null };
}

/** The caller's own reason, or that the time is up. */
const stopped = (url: URL, { reason }: AbortSignal) =>
  reason instanceof AppError ? reason : notFetched(url, 'it did not come in time', reason);
