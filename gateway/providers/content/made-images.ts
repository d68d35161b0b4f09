import { asArray, asObject, asText } from '#shared/json/foreign-json.ts';
import type { ChatMessage, ContentPart } from '#shared/wire/chat-request.ts';
import { isBase64, maxAddress, parseDataUrl } from './data-url.ts';

/** An image that a model made, as answers carry it: a base64 data URL, or the https address of one. */
export interface MadeImage {
  readonly type: 'image';
  readonly url: string;
}

/** Longest event that carries an image, in characters: the base64 of a PNG of 4096 × 4096 has less. */
export const maxImageEvent = 33_554_432;

interface Asked {
  readonly facts?: { readonly makesImages: boolean } | null;
  readonly parameters: { readonly modalities?: readonly string[] | undefined };
}

/** How long an event of an answer may be, where images may be in it. */
export const getMaxEvent = ({ facts, parameters }: Asked): number | undefined =>
  facts?.makesImages || parameters.modalities ? maxImageEvent : undefined;

/** Of Google's `inlineData`. Nothing where it is no image. */
export function imageOfInlineData(inlineData: unknown): MadeImage[] {
  const { mimeType, data } = asObject(inlineData);
  const [type, base64] = [asText(mimeType), asText(data)];
  if (type === null || base64 === null || !/^image\/[\w.+-]+$/i.test(type) || !isBase64(base64)) return [];
  return [{ type: 'image', url: `data:${type.toLowerCase()};base64,${base64}` }];
}

/** Of `images` in a message or a delta, in OpenRouter's words (https://openrouter.ai/docs/features/multimodal/image-generation, read 2026-11-23). */
export const getImages = (images: unknown): MadeImage[] =>
  asArray(images).flatMap((entry): MadeImage[] => {
    const url = asText(asObject(asObject(entry).image_url).url);
    if (url === null) return [];
    const isImage = parseDataUrl(url)?.mediaType.startsWith('image/') === true;
    return isImage || (/^https:\/\//i.test(url) && url.length <= maxAddress) ? [{ type: 'image', url }] : [];
  });

/** In OpenRouter's words; `index`: the place of the first. */
export const imagesToWire = (images: readonly MadeImage[], index = 0) =>
  images.map(({ url }, at) => ({ type: 'image_url' as const, index: index + at, image_url: { url } }));

/**
 * Images of earlier answers, moved to the user's turn that follows: no provider takes them in a turn of the model from somebody else,
 * and Gemini 3 only with a signature of its own. Where no turn follows, nobody is asked about them.
 */
export function withImagesMoved(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  if (!messages.some((message) => message.role === 'assistant' && message.images)) return messages;
  let waiting: ContentPart[] = [];
  return messages.map((message) => {
    if (message.role === 'assistant') {
      const { images = [], ...rest } = message;
      waiting = [...waiting, ...images];
      return rest as ChatMessage;
    }
    if (message.role !== 'user' || waiting.length === 0) return message;
    const { content } = message;
    const said: readonly ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const moved = { ...message, content: [...waiting, ...said] };
    waiting = [];
    return moved;
  });
}
