/** The known word that was probably meant, or null where none is close: at most two letters off, a third of a short one. */
export function nearest(word: string, known: readonly string[]): string | null {
  const [best] = known
    .map((candidate) => ({ candidate, off: distance(word, candidate) }))
    .filter(({ off }) => off <= Math.min(2, Math.ceil(word.length / 3)))
    .toSorted((a, b) => a.off - b.off);
  return best?.candidate ?? null;
}

/** Letters to add, drop, change, or swap with their neighbour. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  const off = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          off(i - 1, j) + 1,
          off(i, j - 1) + 1,
          off(i - 1, j - 1) + same,
          ...(swapped ? [off(i - 2, j - 2) + 1] : []),
        ),
      );
    }
  }
  return off(a.length, b.length);
}
