import { oneLine } from '#shared/one-line.ts';

/** What has a meaning within a line; `_` and `#` only at the edge of a word, and `&` only where a name follows it. */
const signs = /[\\`*[\]~]|&(?=[a-z\d#])|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|(?<!\S)#/giu;

/**
 * A name, a title or a sentence as Markdown that says just these words: on one line, without a sign of its own. `<` is
 * written out: an address before it would take a backslash for a part of itself.
 */
export const markdownWords = (text: string): string => oneLine(text).replace(signs, '\\$&').replaceAll('<', '&lt;');
