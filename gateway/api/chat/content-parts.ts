import { AppError, toAppError } from '#shared/errors.ts';
import type { ChatMessage, ContentPart } from '#shared/wire/chat-request.ts';
import { dataUrlBytes, isBase64, maxAddress, parseDataUrl } from '../../providers/content/data-url.ts';
import { getFileType } from '../../providers/content/file-type.ts';
import { withImagesMoved } from '../../providers/content/made-images.ts';
import { withReasoning } from '../../providers/content/reasoning-details.ts';
import { publicAddress } from '../../providers/upstream/public-address.ts';

/** Checks attached content and inlines text files (wire contract §1.5), so that adapters get only what they can send. */

const maxPartBytes = 10 * 1024 * 1024;
const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
const textTypes = /^(text\/[\w.+-]+|application\/(json|csv|xml|x-yaml|yaml))$/;

export const preparedMessages = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
  withImagesMoved(messages.map(prepared));

function prepared(message: ChatMessage, index: number): ChatMessage {
  if (message.role === 'assistant') return withRefusal(withReasoning(withCheckedImages(message, index)));
  if ((message.role !== 'user' && message.role !== 'tool') || typeof message.content === 'string') return message;
  return { ...message, content: preparedParts(message.content, `messages[${index}].content`) } as ChatMessage;
}

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

function withCheckedImages(message: AssistantMessage, index: number): AssistantMessage {
  if (!message.images) return message;
  const images = message.images.map((image, at) => ({
    ...image,
    image_url: {
      ...image.image_url,
      url: imageUrl(image.image_url.url, `messages[${index}].images[${at}].image_url.url`),
    },
  }));
  return { ...message, images };
}

/** A turn that only refused has its words beside the content. */
function withRefusal(message: AssistantMessage): ChatMessage {
  const { content, refusal, tool_calls: calls } = message;
  return content == null && !calls?.length && typeof refusal === 'string' ? { ...message, content: refusal } : message;
}

/** `at` is the list's dotted path, for the error. */
export const preparedParts = (parts: readonly ContentPart[], at: string): ContentPart[] =>
  parts.map((part, index) => preparedPart(part, `${at}[${index}]`));

function preparedPart(part: ContentPart, at: string): ContentPart {
  switch (part.type) {
    case 'text':
      return part;
    case 'image_url':
      return { ...part, image_url: { ...part.image_url, url: imageUrl(part.image_url.url, `${at}.image_url.url`) } };
    case 'input_audio':
      if (!isBase64(part.input_audio.data)) throw badFile(`${at}.input_audio.data`, 'is not base64.');
      checkSize(part.input_audio.data, `${at}.input_audio.data`);
      return part;
    case 'file':
      return { ...preparedFile(part.file, at), ...(part.cache_control ? { cache_control: part.cache_control } : {}) };
  }
}

/** As it is, where it is data; an address in the spelling that every parser reads alike. */
function imageUrl(url: string, param: string): string {
  const bad = (why: string) => new AppError('invalid_image', `"${param}" ${why}`, { param });
  if (/^https?:\/\//i.test(url)) return shortAddress(url, param);
  const data = parseDataUrl(url);
  if (!data) throw bad('must be an https address or a base64 data URL.');
  if (!imageTypes.includes(data.mediaType)) throw bad(`must be one of ${imageTypes.join(', ')}.`);
  checkSize(data.base64, param);
  if (getFileType(dataUrlBytes(data, 16)) !== data.mediaType) throw bad(`does not contain a ${data.mediaType}.`);
  return url;
}

function shortAddress(url: string, param: string): string {
  if (url.length <= maxAddress) return fetchable(url, param);
  const code = param.endsWith('.url') ? 'invalid_image' : 'invalid_file';
  throw new AppError(code, `"${param}" must be an address of at most ${maxAddress} characters.`, { param });
}

/** Whoever will fetch it, we or the provider: only what the guard allows, by its spelling (wire contract §1.5). */
function fetchable(url: string, param: string): string {
  try {
    return publicAddress(url).href;
  } catch (error) {
    const { code, message } = toAppError(error);
    throw new AppError(code, message, { param, cause: error });
  }
}

function preparedFile(file: Extract<ContentPart, { type: 'file' }>['file'], at: string): ContentPart {
  if (file.file_id !== undefined) {
    throw new AppError('unsupported_file_id', 'This gateway stores no files. Send the content in "file_data".', {
      param: `${at}.file.file_id`,
    });
  }
  const param = `${at}.file.file_data`;
  if (file.file_data === undefined)
    throw new AppError('missing_required_parameter', `"${param}" is missing.`, { param });
  if (/^https?:\/\//i.test(file.file_data)) {
    return { type: 'file', file: { ...file, file_data: shortAddress(file.file_data, param) } };
  }
  const data = parseDataUrl(file.file_data);
  if (!data) throw badFile(param, 'must be a base64 data URL, or the https address of a PDF.');
  checkSize(data.base64, param);
  if (textTypes.test(data.mediaType))
    return inlined(file.filename, Buffer.from(data.base64, 'base64').toString('utf8'));
  if (data.mediaType !== 'application/pdf')
    throw badFile(param, `has the type ${data.mediaType}; only PDF and text files can be read.`);
  if (getFileType(dataUrlBytes(data, 1024)) !== data.mediaType) throw badFile(param, 'does not contain a PDF.');
  return { type: 'file', file };
}

const badFile = (param: string, why: string) => new AppError('invalid_file', `"${param}" ${why}`, { param });

const inlined = (filename: string | undefined, text: string): ContentPart => ({
  type: 'text',
  text: `File${filename ? ` "${filename}"` : ''}:\n\n${text}`,
});

function checkSize(base64: string, param: string): void {
  if ((base64.length * 3) / 4 <= maxPartBytes + 3) return;
  throw new AppError('request_too_large', `"${param}" is larger than ${maxPartBytes} bytes.`, {
    param,
    details: { limit: maxPartBytes },
  });
}
