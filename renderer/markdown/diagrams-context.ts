import { createContext } from 'react';
import type { Diagrams } from './diagrams.ts';

export const DiagramsContext = createContext<Diagrams | null>(null);
