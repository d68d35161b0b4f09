import type { ChatMessage } from '#shared/wire/chat-request.ts';

/** Tokens that a server may add itself: instructions for tools and thinking, and the marks between messages. */
const ownTokens = 16_384;
/** The highest count that any provider is known to use for a picture is 37,000. */
const tokensPerImage = 65_536;
/** A PDF page may take as little as 50 bytes, and is read both as text and as a picture. */
const tokensPerFileChar = 64;

/** The parts of a request that become input. */
export interface BoundedInput {
  readonly messages: readonly ChatMessage[];
  readonly parameters: object;
}

/** An upper limit for the input tokens of a request. */
export interface InputBound {
  readonly text: number;
  /** Files and pictures. They never take more tokens than a model's context has. */
  readonly media: number;
}

/**
 * Computes the limit in one pass over the request: one token for each byte of its JSON, and the maximum for its files
 * and pictures.
 */
export function inputBound({ messages, parameters }: BoundedInput): InputBound {
  let media = 0;
  const text = JSON.stringify([messages, parameters], function (this: Record<string, unknown>, name, value: unknown) {
    if (typeof value !== 'string' || !isMedia(name, this)) return value;
    media += name === 'url' ? tokensPerImage : fileChars(value) * tokensPerFileChar;
    return '';
  });
  return { text: Buffer.byteLength(text), media };
}

/**
 * Returns a number of input tokens that no tokenizer exceeds for the request. `context`: the model's context length, if
 * known.
 */
export const inputTokenCeiling = ({ text, media }: InputBound, context: number | null): number =>
  ownTokens + text + Math.min(media, context ?? media);

/** A file given by its URL may have the maximum size (wire contract §1.5). */
const fileChars = (value: string) => (/^https?:/i.test(value) ? 10 * 1024 * 1024 : value.length);

/** True for `image_url.url`, `file.file_data` and `input_audio.data` of content parts. */
const isMedia = (name: string, holder: Record<string, unknown>): boolean =>
  name === 'file_data' || (name === 'url' && !('type' in holder)) || (name === 'data' && 'format' in holder);
