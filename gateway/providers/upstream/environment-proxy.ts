/// <reference path="./proxy-from-env.d.ts" />
import { getProxyForUrl } from 'proxy-from-env';

/**
 * Returns the proxy for an origin by `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in upper or lower case,
 * with user and password; null if none is named.
 */
export const proxyByEnvironment = (origin: string): string | null => getProxyForUrl(origin) || null;

/** True if any of these variables names a proxy. */
export const hasProxyInEnvironment = (env: Readonly<Record<string, string | undefined>>): boolean =>
  ['http_proxy', 'https_proxy', 'all_proxy'].some((name) => env[name] || env[name.toUpperCase()]);
