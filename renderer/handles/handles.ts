import { useLayoutEffect } from 'react';

/** What a part of the window can be told by parts that neither contain it nor lie in it. */
interface Handles {
  sidebar: { element(): HTMLElement | null };
  page: { element(): HTMLElement | null };
  composer: {
    element(): HTMLElement | null;
    focus(): void;
    /** Nothing is written in it, and it has the focus. */
    isIdle(): boolean;
    pickModel(): void;
    /** Stops the answers that are being written. */
    stop(): void;
  };
  thread: {
    element(): HTMLElement | null;
    focus(): void;
    showEnd(): void;
    /** Keeps a message in view that is about to take another one's place. */
    keepInView(messageId: string): void;
  };
  findBar: { open(): void };
  chatSearch: { focus(): void };
  chatSteps: {
    /** Opens the chat below (1) or above (-1) the open one in the conversation list. */
    step(by: 1 | -1): void;
  };
}

const mounted: Partial<Handles> = {};

/** The part of that name, while it is on the page. */
export const handleOf = <Name extends keyof Handles>(name: Name): Handles[Name] | undefined => mounted[name];

/** Lets the whole window reach this part while it is on the page, also from the effects of what is drawn together with it. */
export function useHandle<Name extends keyof Handles>(name: Name, handle: Handles[Name]): void {
  useLayoutEffect(() => {
    Object.assign(mounted, { [name]: handle });
    return () => {
      if (mounted[name] === handle) delete mounted[name];
    };
  });
}

/** Once what was just opened is drawn. */
export function focusComposer(): void {
  requestAnimationFrame(() => handleOf('composer')?.focus());
}
