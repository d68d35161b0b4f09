import type { ChatMessage } from '#shared/wire/chat-request.ts';

/** What a server adds of its own: instructions for tools and thinking, the marks between messages. */
const ownTokens = 16_384;
/** The dearest count of a picture that is known is 37,000. */
const tokensPerImage = 65_536;
/** A page of a PDF takes 50 bytes at the least, and is read as text and as a picture. */
const tokensPerFileChar = 64;

/** The parts of a request that become input. */
export interface BoundedInput {
  readonly messages: readonly ChatMessage[];
  readonly parameters: object;
}

/** What the input of a request comes to at the most, in tokens. */
export interface InputBound {
  readonly text: number;
  /** Files and pictures; they never come to more than a model's context holds. */
  readonly media: number;
}

/** Counts one token for each byte of the request's JSON, and what its files and pictures may come to: a pass over all of it. */
export function inputBound({ messages, parameters }: BoundedInput): InputBound {
  let media = 0;
  const text = JSON.stringify([messages, parameters], function (this: Record<string, unknown>, name, value: unknown) {
    if (typeof value !== 'string' || !isMedia(name, this)) return value;
    media += name === 'url' ? tokensPerImage : fileChars(value) * tokensPerFileChar;
    return '';
  });
  return { text: Buffer.byteLength(text), media };
}

/** More input tokens than any tokenizer makes of a request. `context`: what the model holds, where that is known. */
export const inputTokenCeiling = ({ text, media }: InputBound, context: number | null): number =>
  ownTokens + text + Math.min(media, context ?? media);

/** One that is only named by its address may be as long as any (wire contract §1.5). */
const fileChars = (value: string) => (/^https?:/i.test(value) ? 10 * 1024 * 1024 : value.length);

/** `image_url.url`, `file.file_data` and `input_audio.data` of content parts. */
const isMedia = (name: string, holder: Record<string, unknown>): boolean =>
  name === 'file_data' || (name === 'url' && !('type' in holder)) || (name === 'data' && 'format' in holder);
