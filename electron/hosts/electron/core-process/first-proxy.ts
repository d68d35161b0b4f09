const schemes: Readonly<Record<string, string>> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS: 'socks5',
  SOCKS5: 'socks5',
};

/**
 * Returns the first supported proxy of a list in the format of proxy scripts, such as `PROXY proxy.example:3128;
 * DIRECT`, as a URL. Null means a direct connection. SOCKS version 4 is skipped.
 */
export function firstProxy(list: string): string | null {
  for (const way of list.split(';')) {
    const [kind = '', host] = way.trim().split(/\s+/);
    if (kind.toUpperCase() === 'DIRECT') return null;
    const scheme = schemes[kind.toUpperCase()];
    if (scheme && host) return `${scheme}://${host}`;
  }
  return null;
}
