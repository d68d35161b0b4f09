import { html } from 'hono/html';
import katex from 'katex';
import type { MathsToken } from './maths.ts';
import { ownMarkup } from './own-markup.ts';
import type { Html } from './to-html.ts';

/** Forbids commands that use a URL. Also limits recursive macros, and sizes that would cover the page. */
const limits = { throwOnError: true, strict: 'ignore', trust: false, maxExpand: 300, maxSize: 20 } as const;
/** Styling that the page's security policy would refuse anyway. */
const decoration = / (?:style|class ?)="[^"<>]*"|^<span class="katex">|<\/span>$/g;

/** Renders a formula as MathML, which needs no styles. Invalid TeX is shown as written. */
export function formula({ raw, tex, display }: MathsToken): Html {
  const written = html`<code>${raw.trim()}</code>`;
  try {
    const markup = katex.renderToString(tex, { ...limits, displayMode: display, output: 'mathml' });
    return ownMarkup(markup.replace(decoration, ''), written);
  } catch {
    return written;
  }
}
