import { type Language, languages, localeOf, messages } from '#shared/language/messages.ts';
import { readLocalSettings } from '../browser/local-settings.ts';

/** The language of this window, from its first word to its last: another one is shown by loading the page again. */
const kept = readLocalSettings().language;
export const language: Language = languages.find((each) => each === kept) ?? 'en';
export const locale = localeOf[language];

/** The messages of one place in the window's language: English is written, and is the type. */
export const words = <English extends object>(english: English): English => messages(english)(language);
