import { createContext, useContext } from 'react';

export interface NamedImage {
  readonly url: string;
  readonly name: string;
}

/**
 * Shows one of the images of an answer after a click. The page provides it, because Markdown components may not call
 * the core.
 */
export const ShowImageContext = createContext<((images: readonly NamedImage[], index: number) => void) | null>(null);
export const useShowImageHere = () => useContext(ShowImageContext);

/** Returns the images of the surrounding text, including those in parts that aren't drawn yet. */
export const ImagesHere = createContext<() => readonly NamedImage[]>(() => []);
