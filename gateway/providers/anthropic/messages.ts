import { AppError } from '#shared/errors.ts';
import type { CacheMark, ChatMessage, ContentPart, ToolCall } from '#shared/wire/chat-request.ts';
import { requestLimits } from '../../runtime/json/json-limits.ts';
import { parseWithin } from '../../runtime/json/parse-json.ts';
import { getMark, getMarks, messageText } from '../content/conversation-shape.ts';
import { parseDataUrl } from '../content/data-url.ts';
import type { ProviderRequest } from '../provider.ts';
import { getThinking } from './thinking-state.ts';

export interface AnthropicMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly object[];
}

/**
 * All system and developer messages, merged in order, with what is to be said after them: Anthropic has one slot for them.
 * A text; or blocks, where some of it is marked for the prompt cache.
 */
export function systemFor(messages: readonly ChatMessage[], more: string): string | readonly object[] {
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer');
  const texts = [...system.map(messageText), more].filter((text) => /\S/.test(text));
  if (getMarks(system, undefined).length === 0) return texts.join('\n\n');
  const blocks = system.flatMap((message) => withMark(getParts(message.content ?? ''), message.cache_control));
  return [...blocks, ...textBlock(more)];
}

/**
 * The conversation as Anthropic wants it: roles take turns, results of parallel tool calls share one user message, no text block
 * is blank, and where the last words are its own they end without a space. `thinks`: it gets its earlier thinking back.
 */
export function anthropicMessages(
  { messages, model }: Pick<ProviderRequest, 'messages' | 'model'>,
  thinks: boolean,
): AnthropicMessage[] {
  const turns: { role: 'user' | 'assistant'; content: object[] }[] = [];
  for (const [index, message] of messages.entries()) {
    const turn = getTurn(message, index, thinks ? model : null);
    const last = turns.at(-1);
    if (!turn?.content.length) continue;
    if (last?.role === turn.role) last.content.push(...turn.content);
    else turns.push({ role: turn.role, content: [...turn.content] });
  }
  const last = turns.at(-1);
  if (last?.role === 'assistant') last.content = last.content.map(withoutTrailingSpace);
  return turns;
}

const withoutTrailingSpace = (block: object, index: number, blocks: readonly object[]): object =>
  index === blocks.length - 1 && 'text' in block && typeof block.text === 'string'
    ? { ...block, text: block.text.trimEnd() }
    : block;

/** `thinker`: the model that gets its thinking back; null where none does. */
function getTurn(message: ChatMessage, index: number, thinker: string | null): AnthropicMessage | null {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: withMark(getParts(message.content), message.cache_control) };
    case 'assistant': {
      const calls = message.tool_calls ?? [];
      const thoughts = calls.map((call) => (thinker === null ? [] : getThinking(call, thinker)));
      const uses = calls.flatMap((call, at) => [
        ...(at > 0 ? (thoughts[at] ?? []) : []),
        toolUse(call, `messages[${index}].tool_calls[${at}]`),
      ]);
      const said = withMark([...textBlock(messageText(message)), ...uses], getMark(message));
      return { role: 'assistant', content: [...(thoughts[0] ?? []), ...said] };
    }
    case 'tool': {
      const failed = message.is_error ? { is_error: true } : {};
      const id = toolId(message.tool_call_id);
      const result = { type: 'tool_result', tool_use_id: id, content: getResult(message), ...failed };
      return { role: 'user', content: withMark([result], getMark(message)) };
    }
    default:
      return null;
  }
}

const textBlock = (text: string) => (/\S/.test(text) ? [{ type: 'text', text }] : []);

/** A text; or blocks, where there are pictures among it. */
const getResult = (message: Extract<ChatMessage, { role: 'tool' }>): string | readonly object[] =>
  Array.isArray(message.content) && message.content.some((part) => part.type === 'image_url')
    ? message.content.flatMap(partBlocks)
    : messageText(message);

function getParts(content: string | readonly ContentPart[]): object[] {
  if (typeof content === 'string') return textBlock(content);
  return content.flatMap((part) => withMark(partBlocks(part), part.cache_control));
}

/** Marks the last of these blocks for the prompt cache. */
function withMark(blocks: readonly object[], mark: CacheMark | null | undefined): object[] {
  const last = blocks.at(-1);
  return mark && last ? [...blocks.slice(0, -1), { ...last, cache_control: anthropicMark(mark) }] : [...blocks];
}

/** Anthropic's spelling: five minutes where nothing is said. */
export const anthropicMark = ({ type, ttl }: CacheMark): object => ({ type, ...(ttl ? { ttl } : {}) });

function partBlocks(part: ContentPart): object[] {
  switch (part.type) {
    case 'text':
      return textBlock(part.text);
    case 'image_url':
      return [{ type: 'image', source: imageSource(part.image_url.url) }];
    case 'file': {
      const data = parseDataUrl(part.file.file_data ?? '')?.base64 ?? '';
      const title = part.file.filename ? { title: part.file.filename } : {};
      return [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data }, ...title }];
    }
    case 'input_audio':
      throw new AppError('unsupported_modality', "Anthropic's models do not take audio input.", { param: 'messages' });
  }
}

function imageSource(url: string): object {
  const data = parseDataUrl(url);
  return data ? { type: 'base64', media_type: data.mediaType, data: data.base64 } : { type: 'url', url };
}

function toolUse(call: ToolCall, at: string): object {
  return { type: 'tool_use', id: toolId(call.id), name: call.function.name, input: getInput(call, at) };
}

/** Other providers' ids may hold characters that Anthropic refuses. */
const toolId = (id: string) => id.replace(/[^a-zA-Z0-9_-]/g, '_');

function getInput(call: ToolCall, at: string): object {
  if (call.function.arguments.trim() === '') return {};
  const param = `${at}.function.arguments`;
  const value = parseWithin(call.function.arguments, requestLimits);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new AppError('invalid_value', `"${param}" must be the JSON text of an object, and not of too many values.`, {
    param,
  });
}
