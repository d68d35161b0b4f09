import { type ComponentType, createContext, type FunctionComponent, use } from 'react';

export type LazyView<Props> = FunctionComponent<Props> & {
  /** Loads it before it is opened. */
  readonly load: () => Promise<unknown>;
};

/** One attempt at drawing what is in a boundary; another try is another object. */
export const AttemptContext = createContext<object | null>(null);

/** A part of the window whose code is loaded when it is first drawn. What could not be loaded is asked for again by the next attempt. */
export function lazyView<Props extends object>(from: () => Promise<ComponentType<Props>>): LazyView<Props> {
  let loading: Promise<ComponentType<Props>> | null = null;
  let failed = false;
  let asker: object | null = null;
  function load(attempt: object | null): Promise<ComponentType<Props>> {
    // Within one attempt it stays the same promise: React asks for it again and again.
    if (loading && !(failed && attempt !== asker)) return loading;
    const begun = from();
    [loading, failed, asker] = [begun, false, attempt];
    begun.then(
      // Read by React: what has been loaded it draws at once, and shows nothing else before.
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
