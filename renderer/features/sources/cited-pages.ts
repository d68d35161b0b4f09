import type { Citation } from '#shared/contract/chat/conversations.ts';

export interface CitedPage {
  readonly url: string;
  readonly title: string;
  readonly host: string;
  /** Words of the answer that rest on it, without the signs of Markdown. */
  readonly pieces: readonly string[];
}

const mostPieces = 3;

/** Each cited page once, in the order of the answer. */
export function pagesOf(citations: readonly Citation[], text: string): CitedPage[] {
  const pages = new Map<string, { title: string; pieces: Set<string> }>();
  for (const { url, title, from, to } of citations.toSorted((one, other) => one.from - other.from)) {
    const page = pages.get(url) ?? { title, pieces: new Set() };
    pages.set(url, page);
    const piece = plain(text.slice(from, to));
    // A link that the model wrote itself says nothing about what rests on it.
    if (piece !== '' && !text.slice(from, to).includes(url)) page.pieces.add(piece);
  }
  return [...pages].map(([url, { title, pieces }]) => ({
    url,
    title: title.trim(),
    host: hostOf(url),
    pieces: [...pieces].slice(0, mostPieces),
  }));
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host.replace(/^www\./, '') : url);

const plain = (piece: string): string =>
  piece
    .replace(/^[\s#>*-]+/, '')
    .replace(/[*`_]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
