/** The languages of the app as BCP 47 tags. `en-XA` is a pseudo-language that reveals text outside the catalogue. */
export const languages = ['en', 'en-XA'] as const;
export type Language = (typeof languages)[number];

/** The locale for numbers, dates and plural forms. */
export const getLocale: Readonly<Record<Language, string>> = { en: 'en-US', 'en-XA': 'en-US' };

/** A translation has the same message names, and the same parameters for each message. */
export type Messages<English> = {
  readonly [Name in keyof English]: English[Name] extends string
    ? string
    : English[Name] extends (...values: infer Values) => string
      ? (...values: Values) => string
      : Messages<English[Name]>;
};

/** The translations of a catalogue, by language. A message without one is shown in English. */
export type Translations<English> = Partial<Record<Exclude<Language, 'en' | 'en-XA'>, Messages<English>>>;

/** Returns a function that gives the catalogue in a language. English is the source and defines the type. */
export function messages<English extends object>(english: English, translations: Translations<English> = {}) {
  const made = { ...translations, en: english } as Partial<Record<Language, English>>;
  return (wanted: Language): English => {
    if (wanted === 'en-XA') made[wanted] ??= pseudo(english) as English;
    return made[wanted] ?? english;
  };
}

const accents: Readonly<Record<string, string>> = Object.fromEntries(
  [...'AaCcEeGgIiNnOoSsUuYyZz'].map((letter, index) => [letter, [...'ÅåÇçÉéĜĝÎîÑñÖöŠšÛûÝýŽž'][index] ?? letter]),
);

/**
 * Puts each message in brackets and makes it a third longer. Text without brackets is then known to be in no catalogue.
 */
function pseudo(message: unknown): unknown {
  if (typeof message === 'string') {
    return bracketed(message.replace(/[a-z]/gi, (letter) => accents[letter] ?? letter));
  }
  if (typeof message === 'function') {
    return (...values: unknown[]) => {
      const made: unknown = message(...values);
      return typeof made === 'string' ? bracketed(made) : pseudo(made);
    };
  }
  if (Array.isArray(message)) return message.map(pseudo);
  if (typeof message !== 'object' || message === null) return message;
  return Object.fromEntries(Object.entries(message).map(([name, value]) => [name, pseudo(value)]));
}

const bracketed = (text: string) => (text === '' ? '' : `⟦${text}${'~'.repeat(Math.ceil(text.length / 3))}⟧`);
