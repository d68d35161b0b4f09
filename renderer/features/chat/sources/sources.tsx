import { Globe } from 'lucide-react';
import { OutsideLink } from '../../../markdown/inline.tsx';
import { text } from '../../../text/chat-text.ts';
import { Collapsible } from '../state/collapsible.tsx';
import { getHead, type ThreadItem } from '../state/thread-items.ts';
import { getPages } from './cited-pages.ts';

/** Pages of the web that an answer rests on, each with the words that do. */
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
