import type { Colour } from './series.ts';

/** Of bars, and of the dots of their legend. */
export const bars: Readonly<Record<Colour, string>> = {
  '1': 'fill-(--series-1)',
  '2': 'fill-(--series-2)',
  '3': 'fill-(--series-3)',
  '4': 'fill-(--series-4)',
  '6': 'fill-(--series-6)',
  rest: 'fill-(--series-5)',
  bad: 'fill-bad',
};
export const dots: Readonly<Record<Colour, string>> = {
  '1': 'bg-(--series-1)',
  '2': 'bg-(--series-2)',
  '3': 'bg-(--series-3)',
  '4': 'bg-(--series-4)',
  '6': 'bg-(--series-6)',
  rest: 'bg-(--series-5)',
  bad: 'bg-bad',
};
