// biome-ignore lint/style/noRestrictedImports: the only place that parses
import { Marked, type Token } from 'marked';
import { mathsBlock, mathsInline } from './maths.ts';

const marked = new Marked({ gfm: true }).use({ extensions: [mathsBlock] }).use({ extensions: [mathsInline] });

/** The blocks of a text: GitHub's Markdown and formulas. Takes whatever time it takes; see `hostile.ts`. */
export const lexMarkdown = (text: string): Token[] => [...marked.lexer(text)];
