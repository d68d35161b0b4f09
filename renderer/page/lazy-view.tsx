import { type ComponentType, createContext, type FunctionComponent, use } from 'react';

export type LazyView<Props> = FunctionComponent<Props> & {
  /** Loads the code in advance. */
  readonly load: () => Promise<unknown>;
};

/** Identifies one attempt of a boundary to render. A retry is another object. */
export const AttemptContext = createContext<object | null>(null);

/**
 * A component whose code is loaded when it is first rendered. The next attempt of its boundary repeats a failed load.
 */
export function lazyView<Props extends object>(from: () => Promise<ComponentType<Props>>): LazyView<Props> {
  let loading: Promise<ComponentType<Props>> | null = null;
  let failed = false;
  let asker: object | null = null;
  function load(attempt: object | null): Promise<ComponentType<Props>> {
    // Returns the same promise within one attempt, because React calls `use` again and again.
    if (loading && !(failed && attempt !== asker)) return loading;
    const begun = from();
    [loading, failed, asker] = [begun, false, attempt];
    begun.then(
      // React’s `use` reads these fields. With them a loaded view renders at once, without a fallback.
      (value) => Object.assign(begun, { status: 'fulfilled', value }),
      () => {
        failed = true;
      },
    );
    return begun;
  }
  function View(props: Props) {
    const Loaded = use(load(use(AttemptContext)));
    return <Loaded {...props} />;
  }
  return Object.assign(View, { load: () => load(null) });
}

const never = new Promise<never>(() => {});

/**
 * Stands in for a view whose code isn't requested yet, so that its boundary keeps one fallback until the view is there.
 */
export function NotYet(): never {
  return use(never);
}
