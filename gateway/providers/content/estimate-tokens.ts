import type { CompletionRequestBody } from '#shared/wire/chat-request.ts';
import { estimateText } from './estimate-text.ts';
import { pdfPages } from './pdf-pages.ts';

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
