import { AppError, type AppErrorDetails, type ErrorCode, type Refusal, type Told } from '../errors.ts';
import { refusalWords } from './refusal-words.ts';

type Words = typeof refusalWords;
export type RefusalName = keyof Words;
/** A sentence inside another one may be told itself: it is worded with it. */
type Given<Values> = { [Name in keyof Values]: string extends Values[Name] ? Values[Name] | Told : Values[Name] };
type Rest<Name extends RefusalName> = Words[Name] extends (values: infer Values) => string
  ? [values: Given<Values>, more?: AppErrorDetails]
  : [more?: AppErrorDetails];

/** A sentence of the catalogue that is no error: in English, and its name and values for every other language. */
export function tell<Name extends RefusalName>(
  name: Name,
  ...[values]: Rest<Name>
): Told & { readonly refusal: Refusal } {
  const refused = { name, values: typeof refusalWords[name] === 'function' ? (values as Refusal['values']) : {} };
  return { message: sentenceIn(refusalWords, refused) ?? '', refusal: refused };
}

/** An error with words of the catalogue: their name, and the values where they have any. In English until somebody translates it. */
export function refusal<Name extends RefusalName>(code: ErrorCode, name: Name, ...rest: Rest<Name>): AppError {
  const more = rest[typeof refusalWords[name] === 'function' ? 1 : 0] as AppErrorDetails | undefined;
  const { message, refusal: refused } = tell(name, ...rest);
  return new AppError(code, message, { ...more, refusal: refused });
}

/** The sentence in the words of a language; null where it has none, as for a name of another version. */
export function sentenceIn(words: Words, { name, values }: Refusal): string | null {
  if (!Object.hasOwn(words, name)) return null;
  const word: unknown = words[name as RefusalName];
  if (typeof word !== 'function') return String(word);
  const given = Object.entries(values).map(([key, value]) => [key, isTold(value) ? sentenceOf(words, value) : value]);
  return word(Object.fromEntries(given));
}

/** In the words of a language where they are the app's, else as it was told. */
export const sentenceOf = (words: Words, { message, refusal: refused }: Told): string =>
  (refused && sentenceIn(words, refused)) || message;

const isTold = (value: unknown): value is Told =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
