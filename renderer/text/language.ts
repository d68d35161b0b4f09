import { getLocale, type Language, languages, messages } from '#shared/language/messages.ts';
import { readLocalSettings } from '../browser/local-settings.ts';

/** The language of this window until it is reloaded. */
const kept = readLocalSettings().language;
export const language: Language = languages.find((each) => each === kept) ?? 'en';
export const locale = getLocale[language];

/** A catalogue in the window’s language. English is written, and is the type. */
export const words = <English extends object>(english: English): English => messages(english)(language);
