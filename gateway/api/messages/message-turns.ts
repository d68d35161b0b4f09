import { AppError } from '#shared/errors.ts';
import type { JsonObject } from '#shared/json/foreign-json.ts';
import type {
  CacheControl,
  GivenBlock,
  MessagesRequest,
  MessageTurn,
  ModelBlock,
  ResultBlock,
  ToolResultBlock,
} from '#shared/wire/messages-request.ts';
import type { PlacedTurn } from '../chat/placed-turns.ts';
import { getState, noState } from '../chat/provider-state.ts';

type Content = Extract<MessageTurn, { role: 'user' }>['content'];

/**
 * Converts the conversation to the turns of a chat completion. The tool results in a user's turn come before its other
 * content.
 */
export function turnsOfMessages({ system, messages, cache_control: mark }: MessagesRequest): PlacedTurn[] {
  const instructions = system === undefined ? [] : systemTurns(system, 'system');
  const turns = [...instructions, ...messages.flatMap((message, index) => getTurns(message, `messages[${index}]`))];
  const last = turns.at(-1);
  return mark && last ? [...turns.slice(0, -1), { ...last, message: { ...last.message, ...marked(mark) } }] : turns;
}

function getTurns(message: MessageTurn, place: string): PlacedTurn[] {
  switch (message.role) {
    case 'system':
      return systemTurns(message.content, place);
    case 'assistant':
      return [{ message: assistantTurn(message.content), place }];
    case 'user':
      return userTurns(message.content, place);
  }
}

function systemTurns(content: NonNullable<MessagesRequest['system']>, place: string): PlacedTurn[] {
  if (content.length === 0) return [];
  const parts = typeof content === 'string' ? content : content.map(textPart);
  return [{ message: { role: 'system', content: parts }, place }];
}

function userTurns(content: Content, place: string): PlacedTurn[] {
  if (typeof content === 'string') return [{ message: { role: 'user', content }, place }];
  const results: PlacedTurn[] = [];
  const parts: JsonObject[] = [];
  for (const [index, block] of content.entries()) {
    const path = `${place}.content[${index}]`;
    if (block.type === 'tool_result') results.push({ message: resultTurn(block, path), place: path });
    else parts.push(...getParts(block, path));
  }
  const rest = parts.length > 0 ? parts : results.length > 0 ? null : '';
  return rest === null ? results : [...results, { message: { role: 'user', content: rest }, place }];
}

function resultTurn(
  { tool_use_id: id, content, is_error: failed, cache_control: mark }: ToolResultBlock,
  path: string,
) {
  const parts =
    typeof content === 'object'
      ? content.flatMap((block, index) => getParts(block, `${path}.content[${index}]`))
      : (content ?? '');
  const result = parts.length > 0 ? parts : '';
  return {
    role: 'tool',
    tool_call_id: id,
    content: result,
    ...(failed ? { is_error: true } : {}),
    ...marked(mark),
  };
}

/** Converts an assistant turn. Signed thinking is attached to the call that it led to, as in the gateway's own API. */
function assistantTurn(content: string | readonly ModelBlock[]): JsonObject {
  if (typeof content === 'string') return { role: 'assistant', content };
  const texts: JsonObject[] = [];
  const calls: JsonObject[] = [];
  let thoughts = '';
  let thinking: Thinking = nothingThought;
  let mark: CacheControl;
  for (const block of content) {
    if (block.type === 'text') texts.push(textPart(block));
    else if (block.type === 'tool_use') {
      calls.push(getCall(block, stateBefore(thinking)));
      thinking = nothingThought;
      mark = block.cache_control ?? mark;
    } else {
      if (block.type === 'thinking') thoughts += block.thinking;
      thinking = withBlock(thinking, block);
    }
  }
  return {
    role: 'assistant',
    content: texts.length > 0 || calls.length > 0 ? (texts.length > 0 ? texts : null) : '',
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(thoughts ? { reasoning_content: thoughts } : {}),
    ...marked(mark),
  };
}

/** The thinking since the last call: the gateway's own state, or blocks that Anthropic itself signed. */
interface Thinking {
  readonly state: JsonObject | null;
  readonly blocks: readonly JsonObject[];
}

const nothingThought: Thinking = { state: null, blocks: [] };

function withBlock(
  thinking: Thinking,
  block: Extract<ModelBlock, { type: 'thinking' | 'redacted_thinking' }>,
): Thinking {
  const signed = block.type === 'thinking' ? (block.signature ?? '') : block.data;
  const state = getState(signed);
  if (state) return { ...thinking, state };
  if (signed === '' || signed === noState) return thinking;
  const { type } = block;
  const own =
    block.type === 'thinking' ? { type, thinking: block.thinking, signature: signed } : { type, data: signed };
  return { ...thinking, blocks: [...thinking.blocks, own] };
}

const stateBefore = ({ state, blocks }: Thinking): JsonObject | null =>
  state ?? (blocks.length > 0 ? { anthropic: { thinking: blocks } } : null);

const getCall = ({ id, name, input }: Extract<ModelBlock, { type: 'tool_use' }>, state: JsonObject | null) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(input) },
  ...(state ? { extra_content: state } : {}),
});

/** Keeps the fields of a cache mark that every provider supports. In Anthropic's betas it may have more. */
export const marked = (mark: CacheControl): { cache_control?: JsonObject } =>
  mark ? { cache_control: { type: mark.type, ...(mark.ttl ? { ttl: mark.ttl } : {}) } } : {};

const textPart = ({ text, cache_control: mark }: { text: string; cache_control?: CacheControl }): JsonObject => ({
  type: 'text',
  text,
  ...marked(mark),
});

function getParts(block: ResultBlock, path: string): JsonObject[] {
  switch (block.type) {
    // The gateway offers every tool from the beginning, even those that a tool search would find.
    case 'tool_reference':
      return [
        textPart({ text: `The tool "${block.tool_name}" can be called now.`, cache_control: block.cache_control }),
      ];
    case 'text':
      return [textPart(block)];
    case 'image':
      return [{ type: 'image_url', image_url: { url: imageUrl(block.source, path) }, ...marked(block.cache_control) }];
    case 'search_result': {
      const { title, source, content, cache_control: mark } = block;
      const text = [`Search result "${title}" (${source}):`, ...content.map((part) => part.text)].join('\n\n');
      return [textPart({ text, cache_control: mark })];
    }
    case 'document':
      return documentParts(block, path);
  }
}

function imageUrl(source: Extract<GivenBlock, { type: 'image' }>['source'], path: string): string {
  if (source.type === 'url') return source.url;
  if (source.type === 'base64') return `data:${source.media_type};base64,${source.data}`;
  throw notStored(path);
}

function documentParts(block: Extract<GivenBlock, { type: 'document' }>, path: string): JsonObject[] {
  const { source, title, context, cache_control: mark } = block;
  const about = context === undefined ? [] : [{ type: 'text', text: context }];
  const heading = title === undefined ? 'Document' : `Document "${title}"`;
  switch (source.type) {
    case 'base64': {
      const filename = title === undefined ? {} : { filename: title };
      const file_data = `data:${source.media_type};base64,${source.data}`;
      return [...about, { type: 'file', file: { ...filename, file_data }, ...marked(mark) }];
    }
    case 'text':
      return [...about, textPart({ text: `${heading}:\n\n${source.data}`, cache_control: mark })];
    case 'content': {
      const { content } = source;
      const parts =
        typeof content === 'string' ? [{ type: 'text' as const, text: content, cache_control: mark }] : content;
      return [...about, { type: 'text', text: `${heading}:` }, ...parts.flatMap((part) => getParts(part, path))];
    }
    default:
      throw notStored(path);
  }
}

function notStored(path: string): AppError {
  const message = 'This gateway stores and fetches no files. Send the content itself, as a "base64" source.';
  return new AppError('unsupported_file_id', message, { param: `${path}.source` });
}
