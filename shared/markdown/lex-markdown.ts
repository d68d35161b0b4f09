// biome-ignore lint/style/noRestrictedImports: the only place that parses
import { Marked, type Token } from 'marked';
import { details, footnotes, inlineElements } from './elements.ts';
import { mathsBlock, mathsInline } from './maths.ts';

const marked = new Marked({ gfm: true })
  .use({ extensions: [mathsBlock, details, footnotes] })
  .use({ extensions: [mathsInline, inlineElements] });

/**
 * Parses GitHub's Markdown with formulas and some HTML elements. It may take very long for hostile text; see
 * `hostile.ts`.
 */
export const lexMarkdown = (text: string): Token[] => [...marked.lexer(text)];
