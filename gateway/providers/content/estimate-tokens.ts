import { inflateSync } from 'node:zlib';
import type { CompletionRequestBody } from '#shared/wire/chat-request.ts';
import { estimateText } from './estimate-text.ts';

/** Maximum size to unpack from one compressed object stream of a PDF, and from all of them (ISO 32000-1, 7.5.7). */
const maxUnpacked = { perStream: 4_194_304, all: 33_554_432 };
/** Maximum number of characters between the type of such a stream and its data. */
const maxStreamHead = 4_096;
/** How far a node of the page tree may extend from its type, and how many characters of nodes are read in all. */
const maxNode = 65_536;
const maxScanned = 4_194_304;

/**
 * Returns the number of pages of a PDF, by the counts of its page tree (ISO 32000-1, 7.7.3.2), or null if it has none
 * that can be read, as in an encrypted PDF. The scan is limited and never throws.
 */
export function pdfPages(bytes: Buffer): number | null {
  const text = bytes.toString('latin1');
  const counts = [...countsIn(text)];
  let left = maxUnpacked.all;
  for (let index = text.indexOf('/ObjStm'); index >= 0 && left > 0; index = text.indexOf('/ObjStm', index + 1)) {
    const head = text.indexOf('stream', index);
    if (head < 0 || head - index > maxStreamHead) continue;
    const begin = head + (text.startsWith('\r\n', head + 6) ? 8 : 7);
    const end = text.indexOf('endstream', begin);
    if (end < 0) break;
    const objects = unpacked(bytes.subarray(begin, end), Math.min(maxUnpacked.perStream, left));
    left -= Math.max(objects.length, end - begin);
    counts.push(...countsIn(objects));
  }
  // The root node counts all pages, so the largest count is the total.
  return counts.length > 0 ? Math.max(...counts) : null;
}

function unpacked(stream: Buffer, maxOutputLength: number): string {
  try {
    return inflateSync(stream, { maxOutputLength }).toString('latin1');
  } catch {
    // The stream is damaged, encrypted, compressed in another way or too large, so its objects aren't counted.
    return '';
  }
}

/** Yields the page counts of the page tree's nodes. */
function* countsIn(text: string): Generator<number> {
  let left = maxScanned;
  const types = /\/Type\s{0,8}\/Pages\b/g;
  for (let found = types.exec(text); found && left > 0; found = types.exec(text)) {
    const [begin, end] = [edge(text, found.index, '<', -1), edge(text, found.index, '>', 1)];
    left -= end - begin;
    const count = Number(/\/Count\s{1,8}(\d{1,6})\b/.exec(text.slice(begin, end))?.[1] ?? 0);
    if (count > 0) yield count;
  }
}

/**
 * Finds where the dictionary around a position begins (`<`, -1) or ends (`>`, 1), past the dictionaries nested in it.
 * Returns the farthest position allowed if it isn't found before.
 */
function edge(text: string, from: number, bracket: '<' | '>', step: 1 | -1): number {
  const other = bracket === '<' ? '>' : '<';
  const furthest = Math.min(Math.max(from + step * maxNode, 0), text.length);
  let depth = 0;
  for (let index = from; index !== furthest; index += step) {
    const char = text[index];
    if ((char !== '<' && char !== '>') || char !== text[index + step]) continue;
    if (char === other) depth += 1;
    else if (depth === 0) return index;
    else depth -= 1;
    if (index + step !== furthest) index += step;
  }
  return furthest;
}

/**
 * The gateway's estimate of token counts (wire contract §7): text by its kinds of characters (`estimate-text.ts`),
 * 1,000 per image, 1,500 per PDF page. `input-size.ts` computes the maximum instead. The cost is settled with the usage
 * that the provider reports.
 */

/** A message as the caller sent it or after parsing. Both are counted alike. */
type Message = CompletionRequestBody['messages'][number];
type Part = Extract<NonNullable<Message['content']>, readonly unknown[]>[number];

const bytesPerToken = 3.5;
export const tokensPerImage = 1_000;
/**
 * Tokens of an image that a model generates, 1024 pixels wide (https://ai.google.dev/gemini-api/docs/pricing, read
 * 2026-11-23).
 */
export const tokensPerMadeImage = 1_120;
/** Tokens that a model usually reads of one web search at most. They are charged as input. */
export const tokensPerSearch = 10_000;
export const tokensPerPdfPage = 1_500;
const tokensPerMessage = 4;
/** Compressed speech has about 32 tokens a second. */
const audioBytesPerToken = 500;
/** Assumed size of a page if a PDF's page count can't be read. */
const pdfBytesPerPage = 200_000;

/** Estimates the tokens of a text from its length in UTF-8 bytes, for text that nobody stores. */
export const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / bytesPerToken);

export const estimateTextTokens = estimateText;

/** Estimates the input tokens of a request: its messages with all their parts, and its tool definitions. */
export function estimateInputTokens(messages: readonly Message[], tools: CompletionRequestBody['tools']): number {
  const described = tools?.length ? estimateTextTokens(JSON.stringify(tools)) : 0;
  return messages.reduce((sum, message) => sum + messageTokens(message), described);
}

function messageTokens(message: Message): number {
  const calls =
    message.role === 'assistant' && message.tool_calls ? estimateTextTokens(JSON.stringify(message.tool_calls)) : 0;
  return tokensPerMessage + calls + contentTokens(message.content);
}

function contentTokens(content: Message['content']): number {
  if (content === null || content === undefined) return 0;
  if (typeof content === 'string') return estimateTextTokens(content);
  return content.reduce((sum, part) => sum + partTokens(part), 0);
}

function partTokens(part: Part): number {
  switch (part.type) {
    case 'text':
      return estimateTextTokens(part.text);
    case 'refusal':
      return estimateTextTokens(part.refusal);
    case 'image_url':
      return tokensPerImage;
    case 'input_audio':
      return Math.ceil((part.input_audio.data.length * 3) / 4 / audioBytesPerToken);
    case 'file':
      return fileTokens(part.file.file_data ?? '');
  }
}

/** Assumed pages of a file that is only given by its URL. */
const remoteFilePages = 10;

export function fileTokens(dataUrl: string): number {
  if (/^https?:/i.test(dataUrl)) return remoteFilePages * tokensPerPdfPage;
  const bytes = Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64');
  const pages = pdfPages(bytes) ?? Math.ceil(bytes.length / pdfBytesPerPage);
  return Math.max(1, pages) * tokensPerPdfPage;
}
