import type { ImportPreview, LeftOut } from '#shared/contract/chat/transfer.ts';

/** Counts what stays behind: a file may have millions of each. */
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
