import { createContext, useContext } from 'react';

export interface NamedImage {
  readonly url: string;
  readonly name: string;
}

/**
 * Shows one of the images of an answer after a click; provided by the page, because Markdown components may not call the core.
 */
export const ShowImageContext = createContext<((images: readonly NamedImage[], at: number) => void) | null>(null);
export const useShowImageHere = () => useContext(ShowImageContext);

/** The images of the text around, also those of parts that are not drawn yet. */
export const ImagesHere = createContext<() => readonly NamedImage[]>(() => []);
