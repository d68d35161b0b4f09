import { type KeyboardEvent, memo, type ReactNode } from 'react';
import type { ComparisonTotal } from '#shared/contract/chat/conversations.ts';
import { getThreadAction } from '../../../../actions/shortcuts.ts';
import { useThreadView } from '../../../../navigation/thread-view.ts';
import { compareText as text } from '../../../../text/compare-text.ts';
import { classNames } from '../../../../ui/elements/class-names.ts';
import { MoneyIn } from '../../../../ui/elements/money.tsx';
import { getSpeed } from '../../message/answer-footer.tsx';
import { type MessageActions, useActions } from '../../state/message-actions.ts';
import { getHead, holds, type ThreadItem } from '../../state/thread-items.ts';
import { isCut } from '../../state/use-thread-keys.ts';
import { ComparisonColumn } from './comparison-column.tsx';

interface ComparisonProps {
  item: ThreadItem;
  active: boolean;
  last: boolean;
}

/** As many columns as have room for a line of text; the others wrap below. */
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
      aria-label={text.comparison(columns.length)}
      aria-busy={ended < columns.length}
      data-message={getHead(item)}
      tabIndex={-1}
      onKeyDown={(event) => onKey(event, columns, actions)}
      className="@container rounded-menu pt-2 pb-4"
    >
      <p className="mb-2 flex min-h-6 flex-wrap items-center gap-x-1.5 text-fg-2 text-xs tabular-nums">
        <span>{ended < columns.length ? text.answers(ended, columns.length) : text.allEnded(columns.length)}</span>
        {item.compared && <Total of={item.compared} />}
      </p>
      <div className={classNames('grid grid-cols-1 gap-3', grids[columns.length] ?? '')}>
        {columns.map((column, at) => (
          <ComparisonColumn
            key={column.comparison?.column ?? at}
            item={column}
            active={active}
            last={last}
            chosen={!last && holds(column, getHead(item))}
            cheapest={column.comparison !== null && column.comparison.column === item.compared?.cheapest}
            fastest={fastest === at}
          />
        ))}
      </div>
    </div>
  );
});

function Total({ of: { usd: money, testCreditsUsd, unknown } }: { of: ComparisonTotal }) {
  return (
    <>
      {money !== null && <Part of={<MoneyIn text={text.sum} amount={money} />} />}
      {testCreditsUsd !== null && <Part of={<MoneyIn text={text.sumTest} amount={testCreditsUsd} />} />}
      {unknown > 0 && <Part of={text.sumUnknown(unknown)} />}
    </>
  );
}

const Part = ({ of }: { of: ReactNode }) => (
  <span className="flex items-center gap-x-1.5">
    <span aria-hidden>·</span>
    <span>{of}</span>
  </span>
);

/** ← and → move between columns; keys of an answer act on the focused column, and Enter continues with it. */
function onKey(event: KeyboardEvent<HTMLElement>, columns: readonly ThreadItem[], actions: MessageActions): void {
  const target = event.target as HTMLElement;
  const at = columns.findIndex((column) => getHead(column) === target.dataset.column);
  const action = getThreadAction(event);
  const onRow = target === event.currentTarget;
  if (!action || (at < 0 && !onRow) || !target.matches(':focus-visible') || event.defaultPrevented) return;
  if (action === 'previousVersion' || action === 'nextVersion') {
    const next = Math.min(columns.length - 1, Math.max(0, at + (action === 'nextVersion' ? 1 : -1)));
    const head = columns[next] ? getHead(columns[next]) : '';
    event.preventDefault();
    event.currentTarget.querySelector<HTMLElement>(`[data-column="${CSS.escape(head)}"]`)?.focus();
    return;
  }
  const column = columns[at];
  if (action === 'previous' || action === 'next') {
    // From a column back to the row, whose keys move between messages.
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
 * Index of the column with most tokens per second, once all have ended; only complete answers count. Null if a speed is
 * unknown or two are equal.
 */
export function getFastest(columns: readonly ThreadItem[]): number | null {
  if (columns.some(({ status }) => status === 'streaming')) return null;
  const speeds = columns.flatMap((column, at) => (column.status === 'done' ? [{ at, speed: getSpeed(column) }] : []));
  if (speeds.length < 2 || speeds.some(({ speed }) => speed === null)) return null;
  const [most, next] = speeds.toSorted((a, b) => (b.speed ?? 0) - (a.speed ?? 0));
  return most && most.speed !== next?.speed ? most.at : null;
}
