/** What mod+Z takes back outside of text: the last thing that offered it, as long as its toast is there. */
let offered: (() => void)[] = [];

export function offerUndo(undo: () => void): void {
  offered = [...offered, undo];
}

export function forget(undo: () => void): void {
  offered = offered.filter((entry) => entry !== undo);
}

/** Takes back what was done last; false where there is nothing to take back. */
export function undoLast(): boolean {
  const last = offered.at(-1);
  if (!last) return false;
  forget(last);
  last();
  return true;
}
