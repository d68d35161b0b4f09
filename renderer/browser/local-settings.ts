import type { Language } from '#shared/language/messages.ts';

/**
 * What this window may lose without harm: panel width, theme for the first paint. The only reader and writer of
 * `localStorage`, in one entry, so that `theme.js` can read it before anything else runs.
 */
const entry = 'portico';

export interface Kept {
  theme?: 'light' | 'dark' | 'system';
  density?: 'comfortable' | 'compact';
  language?: Language;
  sidebarWidth?: number;
  sidebarOpen?: boolean;
  wrapCode?: boolean;
  openFolders?: string[];
}

export function readLocalSettings(): Kept {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(entry) ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Kept) : {};
  } catch {
    // Storage is off or was written by something else: begin without it.
    return {};
  }
}

/** Keeps the named values beside what is kept already. A full or forbidden storage only costs what may be lost. */
export function saveLocalSettings(values: Kept): void {
  try {
    localStorage.setItem(entry, JSON.stringify({ ...readLocalSettings(), ...values }));
  } catch (error) {
    console.warn('This window could not keep its layout', error);
  }
}
