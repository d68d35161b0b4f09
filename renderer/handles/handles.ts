import { useLayoutEffect } from 'react';
import type { Prompt } from '#shared/contract/chat/prompts.ts';

/** Functions that parts of the window provide to parts elsewhere in the tree. */
interface Handles {
  sidebar: { element(): HTMLElement | null };
  page: { element(): HTMLElement | null };
  composer: {
    element(): HTMLElement | null;
    focus(): void;
    /** True if the field is empty and has the focus. */
    isIdle(): boolean;
    pickModel(): void;
    /** Adds the prompt below the existing text once its variables are filled in. */
    addPrompt(prompt: Prompt): void;
  };
  thread: {
    element(): HTMLElement | null;
    focus(): void;
    showEnd(): void;
    /** Keeps this message in view, which is about to replace another one. */
    keepInView(messageId: string): void;
    /**
     * Scrolls this range into view, even after a jump to its message. With `isDrawnAnew` it scrolls only sideways
     * within the block.
     */
    showRange(range: () => Range | null, isDrawnAnew: boolean): void;
  };
  chatSearch: { focus(): void };
}

const mounted: Partial<Handles> = {};

/** Returns the handle of a part while it is mounted. */
export const getHandle = <Name extends keyof Handles>(name: Name): Handles[Name] | undefined => mounted[name];

/** Registers a handle while the component is mounted, early enough for effects of the same commit. */
export function useHandle<Name extends keyof Handles>(name: Name, handle: Handles[Name]): void {
  useLayoutEffect(() => {
    Object.assign(mounted, { [name]: handle });
    return () => {
      if (mounted[name] === handle) delete mounted[name];
    };
  });
}

/** True if no element has the focus, so that newly opened content may take it. */
export function isFocusFree(): boolean {
  const { activeElement, body } = document;
  return activeElement === body || activeElement === getHandle('page')?.element();
}

/** In the next frame, when the composer has been rendered. */
export function focusComposer(): void {
  requestAnimationFrame(() => getHandle('composer')?.focus());
}
