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
 * Options of `guardedDownload`, which downloads from an address that a stranger gave, but only from public hosts (wire
 * contract §1.5). Each name is resolved once, all of its addresses must be public, and the connection goes to one of
 * these checked addresses. So the name can't stand for another address by the time of the call. If there is a proxy, it
 * gets the checked address too. Each redirect begins again with the first check. There are no cookies, no credentials
 * and no connections that stay open. Code that fetches pages for a model can use it unchanged.
 */
export interface DownloadOptions {
  /** Maximum number of bytes to read. One more is an error. */
  readonly maxBytes: number;
  /** Time limit for the whole download, redirects included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Value of the header `accept`. */
  readonly accept?: string;
  /** How the internet is reached; directly if it's missing. */
  readonly route?: DownloadRoute;
  /** For tests and for an operator's own rule. By default only https and public addresses are allowed. */
  readonly rules?: Partial<DownloadRules>;
}

export interface DownloadRoute {
  readonly proxyFor: ProxyFor;
  /** Returns authorities in PEM that are trusted besides those of Node and of the system. */
  readonly certificates: () => string | Promise<string>;
}

export interface DownloadRules extends AddressRules {
  readonly resolve: (name: string) => Promise<readonly LookupAddress[]>;
}

export interface Downloaded {
  readonly bytes: Buffer;
  /** The type that the server sent, in lower case and without parameters; empty if it sent none. */
  readonly contentType: string;
  /** The `charset` parameter of the content type, in lower case; null if there is none. */
  readonly charset: string | null;
  /** The URL after all redirects. */
  readonly url: string;
}

const maxRedirects = 3;

const defaultRules: DownloadRules = {
  ...addressRules,
  resolve: (name) => dns.lookup(name, { all: true, verbatim: true }),
};

/**
 * Throws `file_download_failed` with the host and the reason. The message leaves out the path, which may contain a
 * secret.
 */
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

/**
 * Returns the address to connect to. All addresses of a name must be public. A name with a private address is a trap,
 * whatever its other addresses are.
 */
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

/** The server's answer, from Node's own client or from the proxy's client. */
interface Answer extends AsyncIterable<Buffer> {
  readonly statusCode?: number | undefined;
  readonly headers: IncomingHttpHeaders;
  destroy(): void;
}

/** The connection goes to the address `pinned`, but the certificate must be valid for the name. */
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

/**
 * undici needs Node 22.19. An older Electron can't load it, and then the download is refused rather than bypass a
 * proxy.
 */
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
  // The request asked for no compression. A compressed answer would have to be unpacked without knowing how large it
  // gets.
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

/** Returns the caller's own reason for the abort, or an error about the time limit. */
const stopped = (url: URL, { reason }: AbortSignal) =>
  reason instanceof AppError ? reason : notFetched(url, 'it did not come in time', reason);
