import { useState } from 'react';

const all: { clear(): void }[] = [];

/** As a window begins. */
export const forgetUnfinishedForms = (): void => {
  for (const left of all) left.clear();
};

/**
 * For forms that stand on a page: who goes to another page and comes back finds them as they were left, until the window is closed.
 * `keep` takes out what no page keeps, such as keys.
 */
export function unfinishedForms<Value>(keep: (value: Value) => Value = (value) => value) {
  const left = new Map<string, Value>();
  all.push(left);
  /**
   * The form of this name: `saved`, until something is changed. `finishAfter` forgets it once the saving has succeeded, and gives
   * what came of that: a mutation's `onSuccess` would not be called where the page was left meanwhile. `giveUp` goes on without it.
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
