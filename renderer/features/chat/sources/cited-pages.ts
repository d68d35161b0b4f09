import type { Citation } from '#shared/contract/chat/conversations.ts';

export interface CitedPage {
  readonly url: string;
  readonly title: string;
  readonly host: string;
  /** Words of the answer that rest on it, without the signs of Markdown. */
  readonly quotes: readonly string[];
}

const maxQuotes = 3;

/** Each cited page once, in the order of the answer. */
export function getPages(citations: readonly Citation[], text: string): CitedPage[] {
  const pages = new Map<string, { title: string; quotes: Set<string> }>();
  for (const { url, title, from, to } of citations.toSorted((one, other) => one.from - other.from)) {
    const page = pages.get(url) ?? { title, quotes: new Set() };
    pages.set(url, page);
    const quote = plain(text.slice(from, to));
    // A link that the model wrote itself says nothing about what rests on it.
    if (quote !== '' && !text.slice(from, to).includes(url)) page.quotes.add(quote);
  }
  return [...pages].map(([url, { title, quotes }]) => ({
    url,
    title: title.trim(),
    host: getHost(url),
    quotes: [...quotes].slice(0, maxQuotes),
  }));
}

const getHost = (url: string): string => (URL.canParse(url) ? new URL(url).host.replace(/^www\./, '') : url);

const plain = (quote: string): string =>
  quote
    .replace(/^[\s#>*-]+/, '')
    .replace(/[*`_]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
