import { createContext } from 'react';
import type { Diagrams } from './diagrams.ts';

/** What draws the window's diagrams. */
export const DiagramsContext = createContext<Diagrams | null>(null);
