import { getSpeed } from '../../message/answer-footer.tsx';
import type { ThreadItem } from '../../state/thread-items.ts';

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
