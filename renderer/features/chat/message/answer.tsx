import { memo } from 'react';
import { useThreadView } from '../../../navigation/thread-view.ts';
import { text as chatText } from '../../../text/chat-text.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { formatClock } from '../../../text/format.ts';
import { Badge } from '../../../ui/elements/badge.tsx';
import { ProviderMark } from '../../../ui/elements/provider-mark.tsx';
import { Sources } from '../sources/sources.tsx';
import { getHead, type ThreadItem } from '../state/thread-items.ts';
import { AnswerActions } from './answer-actions.tsx';
import { AnswerEnd } from './answer-end.tsx';
import { AnswerFooter } from './answer-footer.tsx';
import { AnswerSections } from './answer-sections.tsx';

interface AnswerProps {
  item: ThreadItem;
  busy: boolean;
  active: boolean;
  last: boolean;
}

/** One answer. Its text is a component of its own, so that chunks re-render nothing else. */
export const Answer = memo(function Answer({ item, busy, active, last }: AnswerProps) {
  const name = item.modelName ?? text.model;
  const provider = item.servedProvider ?? item.model?.split('/')[0] ?? '?';
  const highlighted = useThreadView((view) => item.parts.some(({ id }) => id === view.highlighted));
  return (
    <article
      aria-label={name}
      aria-busy={item.status === 'streaming'}
      data-message={getHead(item)}
      data-parts={item.parts.length > 1 ? item.parts.map(({ id }) => id).join(' ') : undefined}
      data-highlighted={highlighted || undefined}
      tabIndex={-1}
      className="group flex flex-col rounded-menu pt-2 pb-4 transition-colors duration-[220ms] data-highlighted:bg-accent-soft"
    >
      <header className="mb-2 flex h-6 items-center gap-2 text-xs">
        <ProviderMark provider={provider} />
        <h2 className="truncate font-semibold text-sm">{name}</h2>
        {item.simulated && <Badge>{chatText.simulated}</Badge>}
        <time className="text-fg-3 tabular-nums" dateTime={new Date(item.createdAt).toISOString()}>
          {formatClock(item.createdAt)}
        </time>
      </header>
      <AnswerSections item={item} name={name} />
      <Sources item={item} />
      <AnswerEnd item={item} busy={busy} active={active} last={last} />
      <AnswerFooter message={item} actions={<AnswerActions item={item} busy={busy} active={active} />} />
    </article>
  );
});
