import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual';

/** The rows of a virtual list that are drawn: those in sight, and of these others those that are there; -1 is none, and one may be gone. */
export const rowsWith = (range: Range, others: readonly number[]): number[] =>
  [...new Set([...defaultRangeExtractor(range), ...others.filter((one) => one >= 0 && one < range.count)])].sort(
    (a, b) => a - b,
  );
