import { type Effort, effortOrder } from '../../models/catalogue/model-facts.ts';

/**
 * The effort of these that is nearest to the one asked for, of two the lower one; null where there are none. Who asks for some
 * thinking is given some, and who asks for none the least there is.
 */
export function nearestEffort(asked: Effort, efforts: readonly Effort[]): Effort | null {
  if (efforts.includes(asked)) return asked;
  const some = asked === 'none' ? efforts : efforts.filter((effort) => effort !== 'none');
  const distance = (effort: Effort) => Math.abs(effortOrder.indexOf(effort) - effortOrder.indexOf(asked));
  return some.reduce<Effort | null>(
    (nearest, effort) => (nearest === null || distance(effort) < distance(nearest) ? effort : nearest),
    null,
  );
}
