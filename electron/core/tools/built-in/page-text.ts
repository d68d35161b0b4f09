import { htmlToText } from 'html-to-text';
import { getCharset } from './charset-of.ts';
import { isHtml } from './text-types.ts';

export interface PageBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** From the server, in lower case and without parameters. */
  readonly contentType: string;
  /** From the server, if it sent one. */
  readonly charset: string | null;
}

export interface PageText {
  readonly text: string;
  /** The length of the full text; `text` may be cut. */
  readonly characters: number;
}

const maxCharacters = 40_000;

/**
 * Returns the text of a page, up to 40,000 characters. Time and memory are unbounded, so it must run on a bounded
 * thread.
 */
export function pageText({ bytes, contentType, charset }: PageBytes): PageText {
  const html = isHtml(contentType);
  const source = new TextDecoder(getCharset(bytes, charset, html)).decode(bytes);
  const text = (html ? plain(source) : source).trim();
  return { text: text.slice(0, maxCharacters), characters: text.length };
}

const plain = (source: string): string =>
  htmlToText(source, {
    wordwrap: false,
    limits: { maxInputLength: source.length, maxDepth: 200, maxChildNodes: 20_000 },
    baseElements: { selectors: ['main', 'article', 'body'], returnDomByDefault: true, orderBy: 'selectors' },
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'nav', format: 'skip' },
      { selector: 'a', options: { ignoreHref: true } },
      ...['h1', 'h2', 'h3', 'h4'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
