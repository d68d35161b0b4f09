const schemes: Readonly<Record<string, string>> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS: 'socks5',
  SOCKS5: 'socks5',
};

/**
 * The first way of a list in the form of proxy scripts, such as `PROXY proxy.example:3128; DIRECT`, as a URL; null: directly. Version
 * 4 of SOCKS is passed over.
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
