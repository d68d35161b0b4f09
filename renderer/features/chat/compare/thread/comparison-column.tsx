import { Square } from 'lucide-react';
import { memo } from 'react';
import { useThreadView } from '../../../../navigation/thread-view.ts';
import { text as chatText } from '../../../../text/chat-text.ts';
import { compareText } from '../../../../text/compare-text.ts';
import { composerText as text } from '../../../../text/composer-text.ts';
import { costsText } from '../../../../text/costs-text.ts';
import { Badge } from '../../../../ui/elements/badge.tsx';
import { Button } from '../../../../ui/elements/button.tsx';
import { classNames } from '../../../../ui/elements/class-names.ts';
import { ProviderMark } from '../../../../ui/elements/provider-mark.tsx';
import { Bill } from '../../costs/bill.tsx';
import { AnswerActions } from '../../message/answer-actions.tsx';
import { AnswerEnd } from '../../message/answer-end.tsx';
import { AnswerSections } from '../../message/answer-sections.tsx';
import { RouterCard } from '../../routing/router-card.tsx';
import { Sources } from '../../sources/sources.tsx';
import { useActions } from '../../state/message-actions.ts';
import { getHead, type ThreadItem } from '../../state/thread-items.ts';
import { ColumnSpeed } from './column-speed.tsx';

interface ComparisonColumnProps {
  item: ThreadItem;
  /** The comparison is the active message: its actions are in the tab order. */
  active: boolean;
  /** No message follows the comparison. */
  last: boolean;
  /** The messages after the comparison follow on this answer. */
  chosen: boolean;
  cheapest: boolean;
  fastest: boolean;
}

/** One answer of a comparison, with its figures and actions. */
export const ComparisonColumn = memo(function ComparisonColumn(props: ComparisonColumnProps) {
  const { item, active, last, chosen, cheapest, fastest } = props;
  const actions = useActions();
  const highlighted = useThreadView((view) => item.parts.some(({ id }) => id === view.highlighted));
  const name = item.modelName ?? text.model;
  const running = item.status === 'streaming';
  const tabIndex = active ? 0 : -1;
  return (
    <article
      aria-label={name}
      aria-busy={running}
      data-column={getHead(item)}
      data-highlighted={highlighted || undefined}
      tabIndex={-1}
      className={classNames(
        'group flex min-w-0 flex-col rounded-menu border bg-surface px-3 pb-3 transition-colors duration-[220ms] [--sticky-top:44px] data-highlighted:bg-accent-soft',
        chosen ? 'border-accent' : 'border-line',
      )}
    >
      <header className="-mx-3 sticky top-0 z-2 mb-1 flex min-h-11 flex-wrap items-center gap-x-2 gap-y-1 rounded-t-menu bg-inherit px-3 py-2 text-xs">
        <ProviderMark provider={item.servedProvider ?? item.model?.split('/')[0] ?? '?'} />
        <h3 className="min-w-0 truncate font-semibold text-sm">{name}</h3>
        {item.simulated && <Badge>{chatText.simulated}</Badge>}
        {cheapest && <Badge tone="ok">{compareText.cheapest}</Badge>}
        {fastest && <Badge tone="ok">{compareText.fastest}</Badge>}
        {running && (
          <Button
            variant="quiet"
            tabIndex={tabIndex}
            aria-label={compareText.stop(name)}
            className="ml-auto"
            onClick={() => actions.stop(item)}
          >
            <Square size={11} fill="currentColor" aria-hidden />
            {compareText.stopShort}
          </Button>
        )}
      </header>
      <div className="min-w-0 flex-1">
        <AnswerSections item={item} name={name} />
        <Sources item={item} />
        <AnswerEnd item={item} busy={false} active={active} last={last} />
      </div>
      <footer className="mt-2 flex flex-col gap-1 text-fg-3 text-xs tabular-nums">
        <p className="flex min-h-6 flex-wrap items-center gap-x-1.5">
          <ColumnSpeed item={item} />
        </p>
        <div className="flex min-h-6 flex-wrap items-center gap-x-1.5">
          {!running && <Bill message={item} />}
          {item.usage && <span>{costsText.tokens(item.usage.promptTokens + item.usage.completionTokens)}</span>}
          {!running && item.routeReason !== null && (
            <RouterCard conversationId={item.conversationId} messageId={getHead(item)} />
          )}
        </div>
        <div className="-ml-2 flex min-h-8 flex-wrap items-center gap-x-1">
          {!running && <AnswerActions item={item} busy={false} active={active} compared />}
        </div>
        {chosen ? <p className="text-fg-2">{compareText.chosen}</p> : null}
        <Button
          disabled={running}
          tabIndex={tabIndex}
          aria-label={`${compareText.goOn}: ${name}`}
          onClick={() => actions.choose(item)}
        >
          {compareText.goOn}
        </Button>
      </footer>
    </article>
  );
});
