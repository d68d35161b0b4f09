import { Globe } from 'lucide-react';
import type { Citation } from '#shared/contract/chat/conversations.ts';
import { OutsideLink } from '../../../markdown/inline.tsx';
import { text } from '../../../text/chat-text.ts';
import { Collapsible } from '../state/collapsible.tsx';
import { getHead, type ThreadItem } from '../state/thread-items.ts';

interface CitedPage {
  readonly url: string;
  readonly title: string;
  readonly host: string;
  /** Words of the answer that cite the page, without Markdown's signs. */
  readonly quotes: readonly string[];
}

const maxQuotes = 3;

/** Returns each cited page once, in the order of the answer. */
export function getPages(citations: readonly Citation[], text: string): CitedPage[] {
  const pages = new Map<string, { title: string; quotes: Set<string> }>();
  for (const { url, title, from, to } of citations.toSorted((a, b) => a.from - b.from)) {
    const page = pages.get(url) ?? { title, quotes: new Set() };
    pages.set(url, page);
    const quote = toPlainText(text.slice(from, to));
    // If the model wrote the link itself, the marked text is only the link, not words that cite the page.
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

const toPlainText = (quote: string): string =>
  quote
    .replace(/^[\s#>*-]+/, '')
    .replace(/[*`_]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** Lists the web pages that an answer cites, each with the words that cite it. */
export function Sources({ item }: { item: ThreadItem }) {
  const pages = getPages(item.citations ?? [], item.text);
  if (pages.length === 0) return null;
  return (
    <div className="mt-3 text-sm">
      <Collapsible
        id={`${getHead(item)}:sources`}
        label={
          <>
            <Globe size={14} className="shrink-0" aria-hidden />
            {text.sources(pages.length)}
          </>
        }
      >
        <ol className="mt-1 ml-1.5 flex flex-col gap-2 border-line border-l pl-4">
          {pages.map(({ url, title, host, quotes }) => (
            <li key={url} className="min-w-0">
              <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 [&>a]:text-accent [&>a]:underline-offset-2 [&>a]:hover:underline">
                <OutsideLink href={url}>{title || host}</OutsideLink>
                {title !== '' && <span className="text-fg-3 text-xs">{host}</span>}
              </p>
              {quotes.map((quote) => (
                <q key={quote} className="line-clamp-2 text-fg-2 text-xs wrap-anywhere">
                  {quote}
                </q>
              ))}
            </li>
          ))}
        </ol>
      </Collapsible>
    </div>
  );
}
