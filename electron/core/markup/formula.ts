import { html } from 'hono/html';
import katex from 'katex';
import type { MathsToken } from '#shared/markdown/maths.ts';
import type { Html } from '#shared/markdown/to-html.ts';
import { ownMarkup } from './own-markup.ts';

/** Nothing may name an address; macros that grow, and sizes that cover the page, end here. */
const limits = { throwOnError: true, strict: 'ignore', trust: false, maxExpand: 300, maxSize: 20 } as const;
/** Decoration that the page's policy refuses anyway, and what carries it. */
const decoration = / (?:style|class ?)="[^"<>]*"|^<span class="katex">|<\/span>$/g;

/** MathML needs no styles of its own, in a page or on paper. What is no TeX stays as it was written. */
export function formula({ raw, tex, display }: MathsToken): Html {
  const written = html`<code>${raw.trim()}</code>`;
  try {
    const markup = katex.renderToString(tex, { ...limits, displayMode: display, output: 'mathml' });
    return ownMarkup(markup.replace(decoration, ''), written);
  } catch {
    return written;
  }
}
