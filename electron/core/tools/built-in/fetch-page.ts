import type { Downloaded } from '#gateway/providers/upstream/guarded-download.ts';
import { AppError } from '#shared/errors.ts';
import type { ReadPage } from './page-reader.ts';
import { isText } from './text-types.ts';

/** Fetches a page and returns its text. Throws `tool_failed` or `file_download_failed` with the reason. */
export type FetchPage = (url: string, signal: AbortSignal) => Promise<string>;

export interface FetchPageDeps {
  /** Downloads from public addresses only. */
  readonly download: (
    url: string,
    options: { maxBytes: number; timeoutMs: number; signal: AbortSignal; accept: string },
  ) => Promise<Downloaded>;
  readonly readPage: ReadPage;
}

const maxBytes = 3_000_000;
const timeoutMs = 20_000;
const accept = 'text/html, text/plain, text/markdown, application/json;q=0.9';

export function pageFetcher({ download, readPage }: FetchPageDeps): FetchPage {
  return async (url, signal) => {
    const page = await download(url, { maxBytes, timeoutMs, signal, accept });
    const { contentType, charset } = page;
    if (!isText(contentType)) throw new AppError('tool_failed', notText(contentType));
    // The bytes are copied because they are transferred to another thread, and a buffer may share its memory.
    const { text, characters } = await readPage({ bytes: new Uint8Array(page.bytes), contentType, charset }, signal);
    const cut = characters > text.length ? `${text}\n\n[cut after ${text.length} of ${characters} characters]` : text;
    return `From ${page.url}:\n\n${cut || '[the page has no text]'}`;
  };
}

const notText = (contentType: string): string =>
  `The address answers with ${contentType || 'something unnamed'}, not with text.`;
