import { createContext, useContext } from 'react';

export interface NamedImage {
  readonly url: string;
  readonly name: string;
}

/** Shows a picture that an answer names, after a click on it; given by the page, because drawing text must not reach the core. */
export const ShowImageContext = createContext<((image: NamedImage) => void) | null>(null);
export const useShowImageHere = () => useContext(ShowImageContext);
