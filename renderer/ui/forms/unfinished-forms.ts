import { useState } from 'react';

const all: { clear(): void }[] = [];

/** Called when a window opens. */
export const forgetUnfinishedForms = (): void => {
  for (const left of all) left.clear();
};

/**
 * Keeps the unsaved input of forms on a page: people who return to the page find it as they left it, until the window
 * is closed. `keep` removes secrets, which no page may store.
 */
export function unfinishedForms<Value>(keep: (value: Value) => Value = (value) => value) {
  const left = new Map<string, Value>();
  all.push(left);
  /**
   * The form of this name. Its value is `saved` until something is changed. `finishAfter` forgets the input once saving
   * has succeeded and returns the result; a mutation's `onSuccess` isn't called if the page was left meanwhile.
   * `giveUp` discards the input.
   */
  function useUnfinished(name: string, saved: Value) {
    const [changed, setChanged] = useState(left.get(name));
    return {
      value: changed ?? saved,
      change(next: Value) {
        setChanged(next);
        left.set(name, keep(next));
      },
      async finishAfter<Saved>(saving: Promise<Saved>): Promise<Saved> {
        const came = await saving;
        left.delete(name);
        return came;
      },
      giveUp: (then: () => void) => () => {
        left.delete(name);
        then();
      },
    };
  }
  return { useUnfinished, isLeft: (name: string): boolean => left.has(name) };
}
