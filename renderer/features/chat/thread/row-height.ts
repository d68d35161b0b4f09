import type { ScrollPosition } from '#shared/contract/chat/conversations.ts';
import { getAnswers, holds, type ThreadItem } from '../state/thread-items.ts';

/** Sizes of the thread as in `prose.css`; estimates until a row is measured. */
const lineHeight = 24;
const gap = 14;
const own = { around: 76, charactersPerLine: 78, files: 58 };
const answer = { around: 112, charactersPerLine: 110, images: 432 };
const columnCharactersPerLine = 44;
/** Only this much of a text is split into lines; the rest counts as full lines. */
const looked = 20_000;

const known = new WeakMap<ThreadItem, number>();

/** Estimated height of a row, so that the first render shows the right rows and little moves when they are measured. */
export function rowHeight(item: ThreadItem): number {
  const before = known.get(item);
  if (before !== undefined) return before;
  const height = guess(item);
  known.set(item, height);
  return height;
}

function guess(item: ThreadItem): number {
  if (item.role === 'user')
    return own.around + textHeight(item.text, own.charactersPerLine) + (item.attachments.length > 0 ? own.files : 0);
  const perLine = item.columns ? columnCharactersPerLine : answer.charactersPerLine;
  const heights = getAnswers(item).map(
    ({ text, attachments }) => textHeight(text, perLine) + (attachments.length > 0 ? answer.images : 0),
  );
  return answer.around + Math.max(...heights);
}

function textHeight(text: string, perLine: number): number {
  const lines = text.slice(0, looked).split('\n');
  const height = lines.reduce(
    (sum, line) => sum + (line === '' ? gap : Math.ceil(line.length / perLine) * lineHeight),
    0,
  );
  return height + (Math.max(0, text.length - looked) / perLine) * lineHeight;
}

/** The initial scroll offset by the same estimate: the kept position, else the end. */
export function openingOffset(
  items: readonly ThreadItem[],
  scrollPosition: ScrollPosition | null,
  viewHeight: number,
): number {
  const index = scrollPosition ? items.findIndex((item) => holds(item, scrollPosition.messageId)) : -1;
  const above = index < 0 ? items : items.slice(0, index);
  const height = above.reduce((sum, item) => sum + rowHeight(item), 0);
  return scrollPosition && index >= 0 ? height + scrollPosition.offsetPx : Math.max(0, height - viewHeight);
}
