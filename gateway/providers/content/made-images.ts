import { asArray, asObject, asText } from '#shared/json/foreign-json.ts';
import type { ChatMessage, ContentPart } from '#shared/wire/chat-request.ts';
import { isBase64, maxAddress, parseDataUrl } from './data-url.ts';

/** An image that a model generated, as answers carry it: a base64 data URL or an https URL. */
export interface MadeImage {
  readonly type: 'image';
  readonly url: string;
}

/**
 * Maximum length of a stream event with an image, in characters. The base64 text of a PNG of 4096 × 4096 is shorter.
 */
export const maxImageEvent = 33_554_432;

interface Asked {
  readonly facts?: { readonly makesImages: boolean } | null;
  readonly parameters: { readonly modalities?: readonly string[] | undefined };
}

/** Returns the maximum length of a stream event if the answer may contain images; undefined for the usual limit. */
export const getMaxEvent = ({ facts, parameters }: Asked): number | undefined =>
  facts?.makesImages || parameters.modalities ? maxImageEvent : undefined;

/** Reads an image from Google's `inlineData`. Returns nothing if it's no image. */
export function imageOfInlineData(inlineData: unknown): MadeImage[] {
  const { mimeType, data } = asObject(inlineData);
  const [type, base64] = [asText(mimeType), asText(data)];
  if (type === null || base64 === null || !/^image\/[\w.+-]+$/i.test(type) || !isBase64(base64)) return [];
  return [{ type: 'image', url: `data:${type.toLowerCase()};base64,${base64}` }];
}

/**
 * Reads the field `images` of a message or a delta, in OpenRouter's format
 * (https://openrouter.ai/docs/features/multimodal/image-generation, read 2026-11-23).
 */
export const getImages = (images: unknown): MadeImage[] =>
  asArray(images).flatMap((entry): MadeImage[] => {
    const url = asText(asObject(asObject(entry).image_url).url);
    if (url === null) return [];
    const isImage = parseDataUrl(url)?.mediaType.startsWith('image/') === true;
    return isImage || (/^https:\/\//i.test(url) && url.length <= maxAddress) ? [{ type: 'image', url }] : [];
  });

/** Converts images to OpenRouter's format. `index`: the index of the first. */
export const imagesToWire = (images: readonly MadeImage[], index = 0) =>
  images.map(({ url }, offset) => ({ type: 'image_url' as const, index: index + offset, image_url: { url } }));

/**
 * Moves the images of earlier answers to the user's turn that follows. No provider accepts images in an assistant turn
 * that another model wrote, and Gemini 3 accepts them only with its own signature. Images that no user's turn follows
 * are dropped, because nobody asks about them.
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
    const parts: readonly ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const moved = { ...message, content: [...waiting, ...parts] };
    waiting = [];
    return moved;
  });
}
