import { type Language, languages, localeOf, messages } from '#shared/language/messages.ts';
import { readLocalSettings } from '../browser/local-settings.ts';

/** The language of this window until it is reloaded. */
const kept = readLocalSettings().language;
export const language: Language = languages.find((each) => each === kept) ?? 'en';
export const locale = localeOf[language];

/** A catalogue in the window’s language. English is written, and is the type. */
export const words = <English extends object>(english: English): English => messages(english)(language);
