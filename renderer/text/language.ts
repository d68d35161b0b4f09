import { getLocale, type Language, languages, messages, type Translations } from '#shared/language/messages.ts';
import { readLocalSettings } from '../browser/local-settings.ts';

/** The language of this window. It stays until a reload. */
const stored = readLocalSettings().language;
export const language: Language = languages.find((candidate) => candidate === stored) ?? 'en';
export const locale = getLocale[language];

/** Returns a catalogue in the window’s language. English is the source and defines the type. */
export const words = <English extends object>(english: English, translations?: Translations<English>): English =>
  messages(english, translations)(language);
