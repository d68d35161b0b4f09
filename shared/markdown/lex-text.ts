import type { Token } from 'marked';
import { isHostile } from './hostile.ts';
import { lexMarkdown } from './lex-markdown.ts';
import { plainText } from './plain-text.ts';

/** The blocks of a text with `\n` for its line ends; one plain block where a parser would take seconds or overflow its stack. */
export function lexText(text: string): Token[] {
  if (isHostile(text)) return [plainText(text)];
  try {
    return lexMarkdown(text);
  } catch (error) {
    // Nesting too deep for the parser's recursion.
    if (error instanceof RangeError) return [plainText(text)];
    throw error;
  }
}

/** Line ends as a parser expects them. */
export const withPlainLines = (text: string): string => text.replace(/\r\n?/g, '\n');
