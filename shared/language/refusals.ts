import { AppError, type AppErrorDetails, type ErrorCode, type ProblemText, type Refusal } from '../errors.ts';
import { refusalWords } from './refusal-words.ts';

type Words = typeof refusalWords;
export type RefusalName = keyof Words;
/** A parameter that is a sentence may itself be a text of the catalogue. It is translated with the outer one. */
type Given<Values> = {
  [Name in keyof Values]: string extends Values[Name] ? Values[Name] | ProblemText : Values[Name];
};
type Rest<Name extends RefusalName> = Words[Name] extends (values: infer Values) => string
  ? [values: Given<Values>, more?: AppErrorDetails]
  : [more?: AppErrorDetails];

/**
 * Creates a text of the catalogue that isn't an error: the English sentence, with its name and parameters for other
 * languages.
 */
export function toProblemText<Name extends RefusalName>(
  name: Name,
  ...[values]: Rest<Name>
): ProblemText & { readonly refusal: Refusal } {
  const refused = { name, values: typeof refusalWords[name] === 'function' ? (values as Refusal['values']) : {} };
  return { message: sentenceIn(refusalWords, refused) ?? '', refusal: refused };
}

/** Creates an error with a text of the catalogue and its parameters. Its message is in English until translated. */
export function refusal<Name extends RefusalName>(code: ErrorCode, name: Name, ...rest: Rest<Name>): AppError {
  const more = rest[typeof refusalWords[name] === 'function' ? 1 : 0] as AppErrorDetails | undefined;
  const { message, refusal: refused } = toProblemText(name, ...rest);
  return new AppError(code, message, { ...more, refusal: refused });
}

/** Returns the text in a language. Null if its name is unknown, because another version sent it. */
export function sentenceIn(words: Words, { name, values }: Refusal): string | null {
  if (!Object.hasOwn(words, name)) return null;
  const word: unknown = words[name as RefusalName];
  if (typeof word !== 'function') return String(word);
  const given = Object.entries(values).map(([key, value]) => [
    key,
    isProblemText(value) ? getSentence(words, value) : value,
  ]);
  return word(Object.fromEntries(given));
}

/** Returns the text in a language if it is from the app's catalogue, otherwise unchanged. */
export const getSentence = (words: Words, { message, refusal: refused }: ProblemText): string =>
  (refused && sentenceIn(words, refused)) || message;

const isProblemText = (value: unknown): value is ProblemText =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
