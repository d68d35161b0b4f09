import type { ReactNode } from 'react';
import { LazyBox } from './lazy-box.tsx';

interface NearGroupsProps {
  /** How many boxes there are. */
  count: number;
  /** About how tall the box of this number will be, in pixels. */
  guessPx: (at: number) => number;
  /** The box of this number, with a key. */
  box: (at: number) => ReactNode;
}

const groupSize = 40;
/** An empty box costs this much itself; see `weight.ts`. */
const boxWeight = 60;

/** Boxes in groups, of which again only those near to what is seen are drawn: a text may be so long that its empty boxes are many. */
export function LazyGroups({ count, guessPx, box }: NearGroupsProps): ReactNode {
  return Array.from({ length: Math.ceil(count / groupSize) }, (_, group) => {
    const boxes = Array.from(
      { length: Math.min(groupSize, count - group * groupSize) },
      (_, at) => group * groupSize + at,
    );
    return (
      <LazyBox
        // biome-ignore lint/suspicious/noArrayIndexKey: groups only ever join at the end
        key={group}
        weight={boxWeight * boxes.length}
        guessPx={() => boxes.reduce((sum, at) => sum + guessPx(at), 0)}
        first={count <= groupSize}
      >
        {() => boxes.map(box)}
      </LazyBox>
    );
  });
}
