/** The target of a link that may be offered, or null: `https:`, `http:` and `mailto:` with nothing hidden in front. */
export function safeLink(href: string): string | null {
  if (!/^(https?:\/\/|mailto:)/i.test(href)) return null;
  try {
    const { protocol, href: normal } = new URL(href);
    return protocol === 'https:' || protocol === 'http:' || protocol === 'mailto:' ? normal : null;
  } catch {
    return null;
  }
}
