import { lexText, withPlainLines } from '#shared/markdown/lex-text.ts';
import { toHtml } from '#shared/markdown/to-html.ts';
import { outsideLink } from '#shared/outside-link.ts';
import { colourCode } from './colour-code.ts';
import { formula } from './formula.ts';
import { asWritten } from './own-markup.ts';

/**
 * An answer as a part of a page, from the tokens that the window draws: no script, nothing that is fetched, every word of
 * it escaped; code coloured, formulas as MathML.
 */
export async function renderMarkdown(text: string): Promise<string> {
  // The headings of an answer stand below the title of its chat and the name of who speaks.
  const form = { headingsBelow: 2, link: offered, code: colourCode, formula };
  try {
    return String(await toHtml(lexText(withPlainLines(text)), form));
  } catch {
    // Nesting without end overflows the stack: then the words as they are.
    return String(await asWritten(text));
  }
}

const offered = (href: string): string | null => outsideLink(href, URL);
