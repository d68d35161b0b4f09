declare module 'proxy-from-env' {
  /** Returns the URL of the proxy for an address, by the process's environment; empty if there is none. */
  export function getProxyForUrl(url: string | URL): string;
}
