import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';

/**
 * Returns the rows of a virtual list to render: the visible ones plus these others. -1 means none, and an index may no
 * longer exist.
 */
export const rowsWith = (range: Range, others: readonly number[]): number[] =>
  [...new Set([...defaultRangeExtractor(range), ...others.filter((index) => index >= 0 && index < range.count)])].sort(
    (a, b) => a - b,
  );
