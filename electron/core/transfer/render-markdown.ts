import katex from 'katex';
import { Marked, type Tokens } from 'marked';
import { isHostile } from '#shared/markdown/hostile.ts';
import { type MathsToken, mathsBlock, mathsInline } from '#shared/markdown/maths.ts';
import { outsideLink } from '#shared/outside-link.ts';
import { colourCode } from './colour-code.ts';
import { escapeHtml } from './escape-html.ts';

/** The headings of an answer stand below the title of its chat and the name of who speaks. */
const headingsBelow = 2;

/** A code block's lines, coloured before the page is put together. */
interface Coloured extends Tokens.Code {
  html?: string;
}

const marked = new Marked({
  gfm: true,
  async: true,
  async walkTokens(token) {
    if (token.type !== 'code') return;
    const block = token as Coloured;
    block.html = await colourCode(block.text, block.lang ?? '');
  },
  renderer: {
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
    code: (token: Tokens.Code) => `<pre><code>${(token as Coloured).html ?? escapeHtml(token.text)}</code></pre>\n`,
    heading({ tokens, depth }: Tokens.Heading) {
      const level = Math.min(6, depth + headingsBelow);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    // The title of a picture stands for it: a file that fetches what a model wrote would tell others that it is read.
    image: ({ text, href }: Tokens.Image) => `[${escapeHtml(text || 'picture')}: ${escapeHtml(href)}]`,
    link({ href, tokens }: Tokens.Link) {
      const label = this.parser.parseInline(tokens);
      const url = outsideLink(href, URL);
      return url ? `<a href="${escapeHtml(url)}" rel="noreferrer">${label}</a>` : label;
    },
  },
  extensions: [mathsBlock, mathsInline].map((extension) => ({
    ...extension,
    renderer: (token: Tokens.Generic) => formula(token as MathsToken),
  })),
});

/**
 * An answer as a part of a page: no script, nothing that is fetched, every word of it escaped; code coloured, formulas as
 * MathML. What could take a parser seconds is shown as it was written.
 */
export async function renderMarkdown(text: string): Promise<string> {
  if (isHostile(text)) return asWritten(text);
  try {
    return await marked.parse(text);
  } catch {
    // Nesting without end overflows the parser: then the words as they are.
    return asWritten(text);
  }
}

const asWritten = (text: string): string => `<pre>${escapeHtml(text)}</pre>`;

/** MathML needs no fonts and no styles of its own, in a page or on paper. What is no TeX stays as it was written. */
function formula({ raw, tex, display }: MathsToken): string {
  try {
    return katex.renderToString(tex, {
      ...{ displayMode: display, output: 'mathml', throwOnError: true, strict: 'ignore', trust: false },
      ...{ maxExpand: 300, maxSize: 20 },
    });
  } catch {
    return `<code>${escapeHtml(raw.trim())}</code>`;
  }
}
