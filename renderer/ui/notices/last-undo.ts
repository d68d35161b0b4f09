/** What mod+Z undoes outside of text fields: the last undoable action whose toast is still shown. */
let offered: (() => void)[] = [];

export function offerUndo(undo: () => void): void {
  offered = [...offered, undo];
}

export function forget(undo: () => void): void {
  offered = offered.filter((entry) => entry !== undo);
}

export const canUndo = (): boolean => offered.length > 0;

/** Undoes the last action. Returns false if there is none. */
export function undoLast(): boolean {
  const last = offered.at(-1);
  if (!last) return false;
  forget(last);
  last();
  return true;
}
