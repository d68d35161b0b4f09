import { AppError } from '#shared/errors.ts';
import type { ChatMessage, ContentPart } from '#shared/wire/chat-request.ts';
import { platformSignal, type StopSignal } from '../../runtime/concurrency/stop-signal.ts';
import { getFileType } from '../content/file-type.ts';
import { type Downloaded, type DownloadOptions, guardedDownload } from './guarded-download.ts';

/** Downloads the file at one URL. The default is `guardedDownload`. */
export type Download = (address: string, options: DownloadOptions) => Promise<Downloaded>;

/** Limits for each file (wire contract §1.5). All files of a request together may be no larger than a request. */
const maxBytes = 10 * 1024 * 1024;
const maxTotalBytes = 25 * 1024 * 1024;
const timeoutMs = 10_000;
const maxFiles = 20;
/** Only https and http URLs have to be downloaded: everything else is a data URL once the request was read. */
const remote = /^https?:/i;

/** Downloaded pictures and documents, by the URL that the request has for them. */
export type FetchedFiles = ReadonlyMap<string, { readonly type: string; readonly bytes: Uint8Array }>;

/**
 * Downloads pictures and documents, each once, for providers that can't or may not fetch them; null if there are none.
 * `wanted` has the first place that names each URL. Throws `file_download_failed` with that place, before anything is
 * sent upstream.
 */
export async function fetchFiles(
  wanted: ReadonlyMap<string, string>,
  signal: StopSignal,
  download: Download = guardedDownload,
): Promise<FetchedFiles | null> {
  if (wanted.size === 0) return null;
  if (wanted.size > maxFiles) {
    const message = `At most ${maxFiles} files are fetched for one request.`;
    throw new AppError('file_download_failed', message, { param: 'messages' });
  }
  const platform = platformSignal(signal);
  const found = new Map<string, { type: string; bytes: Uint8Array }>();
  let total = 0;
  for (const [address, param] of wanted) {
    const left = Math.min(maxBytes, maxTotalBytes - total);
    const options = {
      maxBytes: left,
      timeoutMs,
      signal: platform,
      accept: isDocument(param) ? 'application/pdf' : 'image/*',
    };
    const { bytes } = await withPlace(param, download(address, options));
    total += bytes.length;
    found.set(address, { type: getType(bytes, param), bytes });
  }
  return found;
}

/** Maps each remote URL to the first place that names it. */
export function addressesIn(messages: readonly ChatMessage[]): Map<string, string> {
  const wanted = new Map<string, string>();
  for (const [index, { role, content }] of messages.entries()) {
    if ((role !== 'user' && role !== 'tool') || typeof content === 'string') continue;
    for (const [place, part] of content.entries()) {
      const [url = '', name] = getAddress(part);
      if (remote.test(url) && !wanted.has(url)) wanted.set(url, `messages[${index}].content[${place}].${name}`);
    }
  }
  return wanted;
}

async function withPlace<T>(param: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'file_download_failed') throw error;
    throw new AppError(error.code, error.message, { param, cause: error });
  }
}

const documentField = 'file.file_data';
const isDocument = (param: string) => param.endsWith(documentField);

/** Returns only the documents among these URLs. */
export const getDocuments = (wanted: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  wanted.size === 0 ? wanted : new Map([...wanted].filter(([, param]) => isDocument(param)));

function getAddress(part: ContentPart): [url?: string | undefined, name?: string] {
  if (part.type === 'image_url') return [part.image_url.url, 'image_url.url'];
  return part.type === 'file' ? [part.file.file_data, documentField] : [];
}

/** A file's type is decided by its first bytes, because a server may call anything an image. */
function getType(bytes: Buffer, param: string): string {
  const type = getFileType(bytes);
  if (type && (type === 'application/pdf') === isDocument(param)) return type;
  const wanted = isDocument(param) ? 'PDF' : 'PNG, JPEG, WebP or GIF image';
  throw new AppError('file_download_failed', `The file that was fetched is no ${wanted}.`, { param });
}

/** Replaces the URLs in a message by the pictures and documents. */
export function withFiles(message: ChatMessage, found: FetchedFiles): ChatMessage {
  if ((message.role !== 'user' && message.role !== 'tool') || typeof message.content === 'string') return message;
  const content = message.content.map((part: ContentPart): ContentPart => {
    const file = found.get(getAddress(part)[0] ?? '');
    if (!file) return part;
    if (part.type === 'image_url') return { ...part, image_url: { ...part.image_url, url: toDataUrl(file) } };
    return part.type === 'file' ? { ...part, file: { ...part.file, file_data: toDataUrl(file) } } : part;
  });
  return { ...message, content } as ChatMessage;
}

const toDataUrl = ({ type, bytes }: { readonly type: string; readonly bytes: Uint8Array }) =>
  `data:${type};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}`;
