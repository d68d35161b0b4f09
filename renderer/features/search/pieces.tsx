import type { Piece } from '#shared/contract/chat/search.ts';

/** Text in which what was found is marked. */
export function Pieces({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map((piece, at) =>
    piece.hit ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity
      <mark key={at} className="rounded-tag bg-mark text-fg">
        {piece.text}
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity
      <span key={at}>{piece.text}</span>
    ),
  );
}
