import type { Token } from 'marked';
import { memo, useEffect, useState } from 'react';
import { LazyBox } from '../long-text/lazy-box.tsx';
import { LazyGroups } from '../long-text/lazy-groups.tsx';
import { Blocks } from './block.tsx';
import { copySelections } from './copy-selections.ts';
import { guessedHeight } from './guessed-height.ts';
import { imagesIn } from './named-images.ts';
import { createSlicer, type Slice } from './parser/slices.ts';
import { ImagesHere } from './show-image.ts';

/** A parsed document, slice by slice near the viewport. `live`: its last block may still grow. */
export function Prose({ tokens, live }: { tokens: readonly Token[]; live: boolean }) {
  const [slicer] = useState(createSlicer);
  const slices = slicer(tokens);
  useEffect(copySelections, []);
  return (
    <ImagesHere value={() => imagesIn(tokens)}>
      <LazyGroups
        count={slices.length}
        guessPx={(at) => guessedHeight(slices[at]?.tokens ?? [])}
        box={(at) => {
          const slice = slices[at];
          const last = at === slices.length - 1;
          return slice && <OneSlice key={at} slice={slice} live={live && last} only={slices.length === 1} />;
        }}
      />
    </ImagesHere>
  );
}

const OneSlice = memo(function OneSlice({
  slice: { tokens, weight },
  live,
  only,
}: {
  slice: Slice;
  live: boolean;
  only: boolean;
}) {
  return (
    <LazyBox
      className="prose"
      weight={weight}
      guessPx={() => guessedHeight(tokens)}
      of={tokens[0]}
      first={only || live}
    >
      {() => <Blocks tokens={tokens} live={live} />}
    </LazyBox>
  );
});
