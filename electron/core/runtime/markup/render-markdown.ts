import { formula } from '#shared/markdown/formula.ts';
import { lexText, withPlainLines } from '#shared/markdown/lex-text.ts';
import { asWritten } from '#shared/markdown/own-markup.ts';
import { toHtml } from '#shared/markdown/to-html.ts';
import { outsideLink } from '#shared/outside-link.ts';
import { colourCode } from './colour-code.ts';

/**
 * An answer as HTML for a page, from the same tokens as the window: no script, nothing fetched, all text escaped;
 * highlighted code, formulas as MathML.
 */
export async function renderMarkdown(text: string): Promise<string> {
  // Headings of an answer are below the chat’s title and the speaker’s name.
  const form = { headingsBelow: 2, link: offered, code: colourCode, formula };
  try {
    return String(await toHtml(lexText(withPlainLines(text)), form));
  } catch {
    // Unlimited nesting overflows the stack: then the source is shown.
    return String(await asWritten(text));
  }
}

const offered = (href: string): string | null => outsideLink(href, URL);
