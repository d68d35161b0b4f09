import type { Language } from '#shared/language/messages.ts';

/**
 * Values that may be lost without harm, such as the panel width, or the theme for the first paint. Nothing else uses
 * `localStorage`. It is one entry, so that `theme.js` can read it before anything else runs.
 */
const entry = 'portico';

export interface LocalSettings {
  theme?: 'light' | 'dark' | 'system';
  density?: 'comfortable' | 'compact';
  language?: Language;
  sidebarWidth?: number;
  sidebarOpen?: boolean;
  wrapCode?: boolean;
  openFolders?: string[];
  creditsType?: string;
  creditsPeriod?: string;
  usagePeriod?: string;
  whatIfPeriod?: string;
  usageMeasure?: string;
  usageGrouping?: string;
  /** A range of days: `2026-11-01/2026-11-21`. */
  usageRange?: string;
  usageZone?: string;
}

export function readLocalSettings(): LocalSettings {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(entry) ?? '{}');
    return typeof value === 'object' && value !== null ? (value as LocalSettings) : {};
  } catch {
    // Storage is disabled or was written by something else: use defaults.
    return {};
  }
}

/** Merges these values into the stored ones. A full or disabled storage is ignored. */
export function saveLocalSettings(values: LocalSettings): void {
  try {
    localStorage.setItem(entry, JSON.stringify({ ...readLocalSettings(), ...values }));
  } catch (error) {
    console.warn('This window could not keep its layout', error);
  }
}
