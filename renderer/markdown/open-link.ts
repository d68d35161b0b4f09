import { createContext, useContext } from 'react';

/** Opens a link outside the app. The page provides it, because Markdown components may not call the core. */
export const OpenLinkContext = createContext<(url: string) => void>(() => {});
export const useOpenLinkHere = (): ((url: string) => void) => useContext(OpenLinkContext);
