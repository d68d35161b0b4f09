import { htmlToText } from 'html-to-text';
import type { Downloaded } from '#gateway/lib/guarded-download.ts';
import { AppError } from '#shared/errors.ts';

/** Reads a page and answers with its text. Throws `tool_failed` or `file_download_failed` with the reason. */
export type FetchPage = (url: string, signal: AbortSignal) => Promise<string>;

export interface FetchPageDeps {
  /** Reaches public addresses only. */
  readonly download: (
    url: string,
    options: { maxBytes: number; timeoutMs: number; signal: AbortSignal; accept: string },
  ) => Promise<Downloaded>;
}

const maxBytes = 3_000_000;
const mostCharacters = 40_000;
const timeoutMs = 20_000;
const accept = 'text/html, text/plain, text/markdown, application/json;q=0.9';

export function pageFetcher({ download }: FetchPageDeps): FetchPage {
  return async (url, signal) => {
    const page = await download(url, { maxBytes, timeoutMs, signal, accept });
    const body = textOf(page);
    const cut =
      body.length > mostCharacters
        ? `${body.slice(0, mostCharacters)}\n\n[cut after ${mostCharacters} of ${body.length} characters]`
        : body;
    return `From ${page.url}:\n\n${cut || '[the page has no text]'}`;
  };
}

function textOf({ bytes, contentType }: Downloaded): string {
  const source = new TextDecoder('utf-8').decode(bytes);
  if (/^(text\/html|application\/xhtml\+xml)$/.test(contentType)) return plain(source);
  if (contentType.startsWith('text/') || /[/+]json$/.test(contentType)) return source.trim();
  throw new AppError('tool_failed', `The address answers with ${contentType || 'something unnamed'}, not with text.`);
}

const plain = (html: string): string =>
  htmlToText(html, {
    wordwrap: false,
    limits: { maxInputLength: maxBytes, maxDepth: 200, maxChildNodes: 20_000 },
    baseElements: { selectors: ['main', 'article', 'body'], returnDomByDefault: true, orderBy: 'selectors' },
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'nav', format: 'skip' },
      { selector: 'a', options: { ignoreHref: true } },
      ...['h1', 'h2', 'h3', 'h4'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  }).trim();
