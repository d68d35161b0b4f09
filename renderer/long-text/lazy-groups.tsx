import type { ReactNode } from 'react';
import { LazyBox } from './lazy-box.tsx';
import { boxWeight } from './weight.ts';

interface NearGroupsProps {
  count: number;
  /** Estimated height of a box in pixels. */
  guessPx: (index: number) => number;
  /** Returns the box at this index, with a key. */
  box: (index: number) => ReactNode;
}

const groupSize = 40;

/**
 * Renders boxes in groups that are themselves rendered only near the viewport, because even the empty boxes of a very
 * long text are too many.
 */
export function LazyGroups({ count, guessPx, box }: NearGroupsProps): ReactNode {
  return Array.from({ length: Math.ceil(count / groupSize) }, (_, group) => {
    const boxes = Array.from(
      { length: Math.min(groupSize, count - group * groupSize) },
      (_, offset) => group * groupSize + offset,
    );
    return (
      <LazyBox
        // biome-ignore lint/suspicious/noArrayIndexKey: groups are only appended
        key={group}
        weight={boxWeight * boxes.length}
        guessPx={() => boxes.reduce((sum, index) => sum + guessPx(index), 0)}
        first={count <= groupSize}
      >
        {() => boxes.map(box)}
      </LazyBox>
    );
  });
}
