import { inflateSync } from 'node:zlib';
import type { CompletionRequestBody } from '#shared/wire/chat-request.ts';
import { estimateText } from './estimate-text.ts';

/** Of objects that are kept compressed (ISO 32000-1, 7.5.7): what is unpacked of one of their streams, and of all. */
const maxUnpacked = { each: 4_194_304, all: 33_554_432 };
/** Between the type of such a stream and its beginning. */
const maxStreamHead = 4_096;
/** How far a node of the page tree reaches from its type, and how many characters of nodes are looked at. */
const maxNode = 65_536;
const maxLookedAt = 4_194_304;

/**
 * How many pages a PDF says that it has, by the counts of its page tree (ISO 32000-1, 7.7.3.2); null where none is found, as
 * in an encrypted one. A bounded pass over its bytes; never throws.
 */
export function pdfPages(bytes: Buffer): number | null {
  const text = bytes.toString('latin1');
  const counts = [...countsIn(text)];
  let left = maxUnpacked.all;
  for (let at = text.indexOf('/ObjStm'); at >= 0 && left > 0; at = text.indexOf('/ObjStm', at + 1)) {
    const head = text.indexOf('stream', at);
    if (head < 0 || head - at > maxStreamHead) continue;
    const begin = head + (text.startsWith('\r\n', head + 6) ? 8 : 7);
    const end = text.indexOf('endstream', begin);
    if (end < 0) break;
    const objects = unpacked(bytes.subarray(begin, end), Math.min(maxUnpacked.each, left));
    left -= Math.max(objects.length, end - begin);
    counts.push(...countsIn(objects));
  }
  // The root counts the pages of all its nodes.
  return counts.length > 0 ? Math.max(...counts) : null;
}

function unpacked(stream: Buffer, maxOutputLength: number): string {
  try {
    return inflateSync(stream, { maxOutputLength }).toString('latin1');
  } catch {
    // Damaged, encrypted, packed in another way or too large: what is in it is not counted.
    return '';
  }
}

/** The counts of the page tree's nodes. */
function* countsIn(text: string): Generator<number> {
  let left = maxLookedAt;
  const types = /\/Type\s{0,8}\/Pages\b/g;
  for (let found = types.exec(text); found && left > 0; found = types.exec(text)) {
    const [begin, end] = [edge(text, found.index, '<', -1), edge(text, found.index, '>', 1)];
    left -= end - begin;
    const count = Number(/\/Count\s{1,8}(\d{1,6})\b/.exec(text.slice(begin, end))?.[1] ?? 0);
    if (count > 0) yield count;
  }
}

/** Where the dictionary around a place begins (`<`, -1) or ends (`>`, 1), past those that are nested in it; or how far is looked. */
function edge(text: string, from: number, bracket: '<' | '>', step: 1 | -1): number {
  const other = bracket === '<' ? '>' : '<';
  const furthest = Math.min(Math.max(from + step * maxNode, 0), text.length);
  let depth = 0;
  for (let at = from; at !== furthest; at += step) {
    const char = text[at];
    if ((char !== '<' && char !== '>') || char !== text[at + step]) continue;
    if (char === other) depth += 1;
    else if (depth === 0) return at;
    else depth -= 1;
    if (at + step !== furthest) at += step;
  }
  return furthest;
}

/**
 * The gateway's estimate of token counts (wire contract §7): text by its kinds of characters (`estimate-text.ts`), 1,000 per
 * image, 1,500 per PDF page. What they come to at the most is another matter (`input-size.ts`). True usage settles.
 */

/** As it is sent or as it was read: both are counted alike. */
type Message = CompletionRequestBody['messages'][number];
type Part = Extract<NonNullable<Message['content']>, readonly unknown[]>[number];

const bytesPerToken = 3.5;
export const tokensPerImage = 1_000;
/** Of an image that a model makes, 1024 pixels wide (https://ai.google.dev/gemini-api/docs/pricing, read 2026-11-23). */
export const tokensPerMadeImage = 1_120;
/** What a model reads of one search of the web, at most as a rule; it is input like any other. */
export const tokensPerSearch = 10_000;
export const tokensPerPdfPage = 1_500;
const tokensPerMessage = 4;
/** About 32 tokens a second of compressed speech. */
const audioBytesPerToken = 500;
/** Where a PDF does not say how many pages it has. */
const pdfBytesPerPage = 200_000;

/** Tokens of so many UTF-8 bytes, where nobody keeps the text. */
export const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / bytesPerToken);

export const estimateTextTokens = estimateText;

/** Input tokens of a whole request: messages, their parts and the tools that are described with them. */
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

/** Of a file that is only named by its address. */
const pagesElsewhere = 10;

export function fileTokens(dataUrl: string): number {
  if (/^https?:/i.test(dataUrl)) return pagesElsewhere * tokensPerPdfPage;
  const bytes = Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64');
  const pages = pdfPages(bytes) ?? Math.ceil(bytes.length / pdfBytesPerPage);
  return Math.max(1, pages) * tokensPerPdfPage;
}
