import { oneLine } from '#shared/one-line.ts';

/**
 * Characters that have a meaning within a line. `_` and `#` have one only at the edge of a word, `&` only before an
 * entity.
 */
const signs = /[\\`*[\]~]|&(?=[a-z\d#])|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|(?<!\S)#/giu;

/**
 * Escapes a name, title or sentence for Markdown: on one line, without markup. `<` becomes an entity, because a URL
 * before it would include a backslash.
 */
export const markdownWords = (text: string): string => oneLine(text).replace(signs, '\\$&').replaceAll('<', '&lt;');
