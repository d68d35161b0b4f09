import type { Dispatcher } from 'undici';
import { throughProxy } from './proxied-dispatcher.ts';

export interface ProxiedRequest {
  readonly url: URL;
  /** The public address of the name in `url`, resolved here. The proxy gets this address and no name. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The trusted authorities, see `trustedAuthorities`. */
  readonly trust: { readonly ca?: string[] };
}

/**
 * Sends one GET through a tunnel of the proxy (HTTP, HTTPS or SOCKS5), on a connection of its own. The proxy gets an
 * address and no name, so that a name can't lead it into its own network. The certificate must still be valid for the
 * name.
 */
export async function getThroughProxy(
  proxy: string,
  { url, address, headers, signal, trust }: ProxiedRequest,
): Promise<Dispatcher.ResponseData> {
  const dispatcher = throughProxy(proxy, {
    requestTls: { ...trust, servername: url.hostname },
    proxyTls: trust,
    proxyTunnel: true,
  });
  const port = url.port === '' ? '' : `:${url.port}`;
  const origin = `${url.protocol}//${address.includes(':') ? `[${address}]` : address}${port}`;
  const closeUnlessRead = () => void dispatcher.destroy().catch(() => {});
  try {
    const path = `${url.pathname}${url.search}`;
    const response = await dispatcher.request({
      origin,
      path,
      method: 'GET',
      headers: { ...headers, host: url.host },
      signal,
    });
    response.body.once('close', closeUnlessRead);
    return response;
  } catch (error) {
    closeUnlessRead();
    throw error;
  }
}
