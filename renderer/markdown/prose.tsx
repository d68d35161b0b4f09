import type { Token } from 'marked';
import { useEffect } from 'react';
import { Slices } from './block.tsx';
import { copySelections } from './copy-selections.ts';
import { imagesIn } from './named-images.ts';
import { ImagesHere } from './show-image.ts';

/** A parsed document, slice by slice near the viewport. `live`: its last block may still grow. */
export function Prose({ tokens, live }: { tokens: readonly Token[]; live: boolean }) {
  useEffect(copySelections, []);
  return (
    <ImagesHere value={() => imagesIn(tokens)}>
      <Slices tokens={tokens} live={live} />
    </ImagesHere>
  );
}
