import type { Token } from 'marked';
import { isHostile } from './hostile.ts';
import { lexMarkdown } from './lex-markdown.ts';
import { plainText } from './plain-text.ts';

/**
 * Parses a text with `
 * ` line ends. Hostile text becomes one plain block.
 */
export function lexText(text: string): Token[] {
  if (isHostile(text)) return [plainText(text)];
  try {
    return lexMarkdown(text);
  } catch (error) {
    // The text is nested too deep for the parser's recursion.
    if (error instanceof RangeError) return [plainText(text)];
    throw error;
  }
}

/** Normalises line ends. */
export const withPlainLines = (text: string): string => text.replace(/\r\n?/g, '\n');
