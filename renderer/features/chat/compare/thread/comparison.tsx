import { Square } from 'lucide-react';
import { type KeyboardEvent, memo, type ReactNode, useEffect, useState } from 'react';
import type { ComparisonTotal } from '#shared/contract/chat/conversations.ts';
import { getThreadAction } from '../../../../actions/shortcuts.ts';
import { useThreadView } from '../../../../navigation/thread-view.ts';
import { text as chatText } from '../../../../text/chat-text.ts';
import { compareText } from '../../../../text/compare-text.ts';
import { composerText } from '../../../../text/composer-text.ts';
import { costsText } from '../../../../text/costs-text.ts';
import { Badge } from '../../../../ui/elements/badge.tsx';
import { Button } from '../../../../ui/elements/button.tsx';
import { classNames } from '../../../../ui/elements/class-names.ts';
import { MoneyIn } from '../../../../ui/elements/money.tsx';
import { ProviderMark } from '../../../../ui/elements/provider-mark.tsx';
import { Bill } from '../../costs/bill.tsx';
import { useLiveAnswers } from '../../data/use-answer.ts';
import { AnswerActions } from '../../message/answer-actions.tsx';
import { AnswerEnd } from '../../message/answer-end.tsx';
import { getSpeed } from '../../message/answer-footer.tsx';
import { AnswerSections } from '../../message/answer-sections.tsx';
import { RouterCard } from '../../routing/router-card.tsx';
import { Sources } from '../../sources/sources.tsx';
import { type MessageActions, useActions } from '../../state/message-actions.ts';
import { getHead, holds, type ThreadItem } from '../../state/thread-items.ts';
import { isCut } from '../../state/use-thread-keys.ts';

/** Average characters per token; used only until the usage is known, and marked as an estimate. */
const charactersPerToken = 4;
const everyMs = 500;

/** Time to the first token and tokens per second: estimated while streaming, exact afterwards. */
function ColumnSpeed({ item }: { item: ThreadItem }) {
  const live = useLiveSpeed(item);
  const firstAt = item.firstTokenAt ?? live.firstAt;
  const speed = item.status === 'streaming' ? live.perSecond : getSpeed(item);
  const words = item.status === 'streaming' ? compareText.aboutSpeed : costsText.speed;
  return (
    <>
      {firstAt !== null && <span>{compareText.first(seconds(firstAt - item.createdAt))}</span>}
      {speed !== null && (
        <>
          <span aria-hidden>·</span>
          <span>{words(speed)}</span>
        </>
      )}
    </>
  );
}

const seconds = (ms: number): string => (Math.max(0, ms) / 1000).toFixed(1);

interface LiveSpeed {
  /** When this window saw the first text; null before. */
  readonly firstAt: number | null;
  readonly perSecond: number | null;
}

/** Samples the speed twice a second, so the chunks of an answer don't re-render these figures. */
function useLiveSpeed(item: ThreadItem): LiveSpeed {
  const answers = useLiveAnswers();
  const [speed, setSpeed] = useState<LiveSpeed>({ firstAt: null, perSecond: null });
  const running = item.status === 'streaming';
  useEffect(() => {
    if (!running) return;
    let firstAt = item.firstTokenAt;
    const sample = () => {
      const { written } = answers.view(item);
      if (written === 0) return;
      firstAt ??= Date.now();
      const took = (Date.now() - firstAt) / 1000;
      setSpeed({ firstAt, perSecond: took < 1 ? null : Math.round(written / charactersPerToken / took) });
    };
    const timer = setInterval(sample, everyMs);
    return () => clearInterval(timer);
  }, [answers, item, running]);
  return speed;
}

interface ComparisonColumnProps {
  item: ThreadItem;
  /** The comparison is the active message: its actions are in the tab order. */
  active: boolean;
  /** No message follows the comparison. */
  last: boolean;
  /** The conversation continues from this answer. */
  chosen: boolean;
  cheapest: boolean;
  fastest: boolean;
}

/** One answer of a comparison, with its figures and actions. */
const ComparisonColumn = memo(function ComparisonColumn(props: ComparisonColumnProps) {
  const { item, active, last, chosen, cheapest, fastest } = props;
  const actions = useActions();
  const highlighted = useThreadView((view) => item.parts.some(({ id }) => id === view.highlighted));
  const name = item.modelName ?? composerText.model;
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

interface ComparisonProps {
  item: ThreadItem;
  active: boolean;
  last: boolean;
}

/**
 * Grid classes by number of columns. As many columns as are wide enough for a line of text stand side by side; the
 * others wrap below.
 */
const grids: Readonly<Record<number, string>> = {
  2: '@min-[34rem]:grid-cols-2',
  3: '@min-[34rem]:grid-cols-2 @min-[50rem]:grid-cols-3',
  4: '@min-[34rem]:grid-cols-2 @min-[66rem]:grid-cols-4',
};

/** Answers of several models to one question, side by side. */
export const Comparison = memo(function Comparison({ item, active, last }: ComparisonProps) {
  const columns = item.columns ?? [];
  const actions = useActions();
  const fastest = getFastest(columns);
  const ended = columns.filter(({ status }) => status !== 'streaming').length;
  return (
    // biome-ignore lint/a11y/useSemanticElements: no fields
    <div
      role="group"
      aria-label={compareText.comparison(columns.length)}
      aria-busy={ended < columns.length}
      data-message={getHead(item)}
      tabIndex={-1}
      onKeyDown={(event) => onKey(event, columns, actions)}
      className="@container rounded-menu pt-2 pb-4"
    >
      <p className="mb-2 flex min-h-6 flex-wrap items-center gap-x-1.5 text-fg-2 text-xs tabular-nums">
        <span>
          {ended < columns.length ? compareText.answers(ended, columns.length) : compareText.allEnded(columns.length)}
        </span>
        {item.compared && <Total total={item.compared} />}
      </p>
      <div className={classNames('grid grid-cols-1 gap-3', grids[columns.length] ?? '')}>
        {columns.map((column, index) => (
          <ComparisonColumn
            key={column.comparison?.column ?? index}
            item={column}
            active={active}
            last={last}
            chosen={!last && holds(column, getHead(item))}
            cheapest={column.comparison !== null && column.comparison.column === item.compared?.cheapest}
            fastest={fastest === index}
          />
        ))}
      </div>
    </div>
  );
});

function Total({ total: { usd: money, testCreditsUsd, unknown } }: { total: ComparisonTotal }) {
  return (
    <>
      {money !== null && <Part content={<MoneyIn text={compareText.sum} amount={money} />} />}
      {testCreditsUsd !== null && <Part content={<MoneyIn text={compareText.sumTest} amount={testCreditsUsd} />} />}
      {unknown > 0 && <Part content={compareText.sumUnknown(unknown)} />}
    </>
  );
}

const Part = ({ content }: { content: ReactNode }) => (
  <span className="flex items-center gap-x-1.5">
    <span aria-hidden>·</span>
    <span>{content}</span>
  </span>
);

/** ← and → move between columns; keys of an answer act on the focused column, and Enter continues with it. */
function onKey(event: KeyboardEvent<HTMLElement>, columns: readonly ThreadItem[], actions: MessageActions): void {
  const target = event.target as HTMLElement;
  const index = columns.findIndex((column) => getHead(column) === target.dataset.column);
  const action = getThreadAction(event);
  const onRow = target === event.currentTarget;
  if (!action || (index < 0 && !onRow) || !target.matches(':focus-visible') || event.defaultPrevented) return;
  if (action === 'previousVersion' || action === 'nextVersion') {
    const next = Math.min(columns.length - 1, Math.max(0, index + (action === 'nextVersion' ? 1 : -1)));
    const head = columns[next] ? getHead(columns[next]) : '';
    event.preventDefault();
    event.currentTarget.querySelector<HTMLElement>(`[data-column="${CSS.escape(head)}"]`)?.focus();
    return;
  }
  const column = columns[index];
  if (action === 'previous' || action === 'next') {
    // Moves the focus from a column back to the row, whose keys move between messages.
    if (column) event.currentTarget.focus();
    return;
  }
  if (!column || column.status === 'streaming') return;
  const acts: Partial<Record<typeof action, () => void>> = {
    copy: () => actions.copy(column, 'rich'),
    copyMarkdown: () => actions.copy(column, 'markdown'),
    regenerate: () => actions.regenerate(column),
    retryOther: () => useThreadView.getState().setRetrying(column.id),
    choose: () => actions.choose(column),
    continue: () => isCut(column) && actions.continue(column),
    remove: () => actions.remove(column),
  };
  if (!acts[action]) return;
  event.preventDefault();
  acts[action]();
}

/**
 * Returns the index of the column with the most tokens per second, once all have ended; only complete answers count.
 * Null if a speed is unknown or the two highest are equal.
 */
export function getFastest(columns: readonly ThreadItem[]): number | null {
  if (columns.some(({ status }) => status === 'streaming')) return null;
  const speeds = columns.flatMap((column, index) =>
    column.status === 'done' ? [{ index, speed: getSpeed(column) }] : [],
  );
  if (speeds.length < 2 || speeds.some(({ speed }) => speed === null)) return null;
  const [first, next] = speeds.toSorted((a, b) => (b.speed ?? 0) - (a.speed ?? 0));
  return first && first.speed !== next?.speed ? first.index : null;
}
