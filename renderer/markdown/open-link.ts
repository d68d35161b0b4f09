import { createContext, useContext } from 'react';

/** Opens a link outside the app; given by the page, because drawing text must not reach the core. */
export const OpenLinkContext = createContext<(url: string) => void>(() => {});
export const useOpenLinkHere = (): ((url: string) => void) => useContext(OpenLinkContext);
