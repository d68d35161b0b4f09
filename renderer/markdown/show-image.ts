import { createContext, useContext } from 'react';

export interface NamedImage {
  readonly url: string;
  readonly name: string;
}

/**
 * Shows an image of an answer after a click; provided by the page, because Markdown components may not call the core.
 */
export const ShowImageContext = createContext<((image: NamedImage) => void) | null>(null);
export const useShowImageHere = () => useContext(ShowImageContext);
