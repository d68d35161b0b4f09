/** Shortcuts that the page in view answers, by name. The shell says them; whoever is there listens. */
export type ShortcutName = 'model' | 'stop' | 'find';

const target = new EventTarget();

export const sayShortcut = (name: ShortcutName): void => void target.dispatchEvent(new Event(name));

export function onShortcut(name: ShortcutName, listener: () => void): () => void {
  target.addEventListener(name, listener);
  return () => target.removeEventListener(name, listener);
}
