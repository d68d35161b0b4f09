import type { ImportPreview, LeftOut } from '#shared/contract/chat/transfer.ts';

/** Counts what is left out, because a file may contain millions of parts of each kind. */
export function leftTally() {
  const counts = new Map<LeftOut, number>();
  const add = (what: LeftOut, count = 1): void => {
    if (count > 0) counts.set(what, (counts.get(what) ?? 0) + count);
  };
  return {
    add,
    addAll(more: ImportPreview['leftOut']): void {
      for (const { what, count } of more) add(what, count);
    },
    list: (): ImportPreview['leftOut'] => [...counts].map(([what, count]) => ({ what, count })),
  };
}

export type LeftTally = ReturnType<typeof leftTally>;
