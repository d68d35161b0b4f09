import type { ProblemText } from '#shared/errors.ts';
import { refusalWords } from '#shared/language/refusal-words.ts';
import { sentenceOf } from '#shared/language/refusals.ts';
import { words } from './language.ts';

const translations = words(refusalWords);

/** The sentence in the window's language if it is one of the app's, else as it came. */
export const translated = (problem: ProblemText): string => sentenceOf(translations, problem);
