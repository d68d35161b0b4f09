import type { ComparisonQuote } from '#shared/contract/chat/comparisons.ts';
import type { Model } from '#shared/wire/model.ts';
import { compareText as text } from '../../../text/compare-text.ts';
import { getSentence } from '../../../text/error-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { findModel, getProblem } from '../compare/draft/compare-models.ts';
import { NoticeRow } from './notice-row.tsx';
import { CapNotices, overflowing } from './send-notices.tsx';

interface CompareNoticesProps {
  models: readonly Model[];
  value: readonly string[];
  quote: ComparisonQuote | undefined;
  asked: boolean;
  /** Absent if these models can't be removed. */
  onRemove?: (model: string) => void;
}

/** Notices about what prevents a comparison, with the model concerned. */
export function CompareNotices({ models, value, quote, asked, onRemove }: CompareNoticesProps) {
  const getName = (id: string) => findModel(models, id)?.name ?? id;
  const problems = value.flatMap((id) => {
    const lost = getProblem(models, id);
    if (lost) return [{ id, sentence: lost }];
    const own = quote?.columns.find(({ model }) => model === id)?.quote;
    const [firstObstacle] = own?.obstacles ?? [];
    const obstacle = firstObstacle
      ? getSentence(firstObstacle)
      : own?.context.overflows
        ? overflowing(own.context)
        : null;
    return obstacle ? [{ id, sentence: text.about(getName(id), obstacle) }] : [];
  });
  return (
    <>
      {problems.map(({ id, sentence }) => (
        <NoticeRow
          key={id}
          tone="warn"
          actions={onRemove && <Button onClick={() => onRemove(id)}>{text.removeShort(getName(id))}</Button>}
        >
          {sentence}
        </NoticeRow>
      ))}
      {asked && value.length < 2 && <NoticeRow tone="info">{text.oneMore}</NoticeRow>}
      {quote && <CapNotices caps={quote.caps} />}
    </>
  );
}
