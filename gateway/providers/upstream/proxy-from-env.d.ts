declare module 'proxy-from-env' {
  /** The URL of the proxy for an address, by the process's environment; empty where there is none. */
  export function getProxyForUrl(url: string | URL): string;
}
