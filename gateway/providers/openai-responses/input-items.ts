import { createHash } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import type { ChatMessage, ContentPart } from '#shared/wire/chat-request.ts';
import type { ClientTools } from '../content/client-tools.ts';
import { messageText } from '../content/conversation-shape.ts';
import { createOwnItems } from './own-tools.ts';
import { getReasoning } from './reasoning-state.ts';

/** A conversation as the Responses API takes it. `thinker`: the model that gets its earlier reasoning back; null: nobody does. */
export function inputItems(
  messages: readonly ChatMessage[],
  thinker: string | null,
  clientTools?: ClientTools,
): object[] {
  const own = createOwnItems(clientTools);
  return messages.flatMap((message) => getItems(message, thinker, own));
}

type OwnItems = ReturnType<typeof createOwnItems>;

function getItems(message: ChatMessage, thinker: string | null, own: OwnItems): object[] {
  switch (message.role) {
    case 'system':
    case 'developer':
      return [{ role: 'developer', content: messageText(message) }];
    case 'user':
      return [{ role: 'user', content: getContent(message.content) }];
    case 'assistant':
      return assistantItems(message, thinker, own);
    case 'tool': {
      const { tool_call_id: id, is_error: failed } = message;
      return [own.result(id, callId(id), messageText(message), failed === true)];
    }
  }
}

/** What was thought before the first call was also thought before the text. */
function assistantItems(
  message: Extract<ChatMessage, { role: 'assistant' }>,
  thinker: string | null,
  own: OwnItems,
): object[] {
  const text = messageText(message);
  const calls = message.tool_calls ?? [];
  const thoughts = calls.map((call) => (thinker === null ? [] : getReasoning(call, thinker)));
  return [
    ...(thoughts[0] ?? []),
    ...(text === '' ? [] : [{ role: 'assistant', content: text }]),
    ...calls.flatMap((call, at) => [...(at > 0 ? (thoughts[at] ?? []) : []), own.call(call, callId(call.id))]),
  ];
}

/** Longer ids are refused, also its own (https://github.com/V1ki/dsh-plugin-subscriptions/issues/29, read 2026-11-22). */
const maxCallId = 64;

/** The same id always becomes the same one. */
const callId = (id: string) =>
  id.length <= maxCallId ? id : `call_${createHash('sha256').update(id).digest('base64url')}`;

const getContent = (content: string | readonly ContentPart[]): string | object[] =>
  typeof content === 'string' ? content : content.map(getPart);

function getPart(part: ContentPart): object {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image_url': {
      const { url, detail } = part.image_url;
      return { type: 'input_image', image_url: url, detail: detail ?? 'auto' };
    }
    case 'file': {
      const { filename = 'document.pdf', file_data } = part.file;
      return { type: 'input_file', filename, file_data };
    }
    case 'input_audio':
      throw new AppError('unsupported_modality', "OpenAI's Responses API does not take audio input.", {
        param: 'messages',
      });
  }
}
