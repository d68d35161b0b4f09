/** The last thing that can be undone, for as long as its toast is shown: its button and mod+Z do the same, once. */
let undoLast: (() => void) | null = null;

export const undoMs = 10_000;

export function offerUndo(undo: () => void): () => void {
  const once = () => {
    if (undoLast !== once) return;
    undoLast = null;
    undo();
  };
  undoLast = once;
  setTimeout(() => {
    if (undoLast === once) undoLast = null;
  }, undoMs);
  return once;
}

/** False: there is nothing to undo. */
export function undoNow(): boolean {
  if (!undoLast) return false;
  undoLast();
  return true;
}
