import { AppError } from '#shared/errors.ts';
import type { CacheMark, ChatMessage, ContentPart, ToolCall } from '#shared/wire/chat-request.ts';
import { requestLimits } from '../../runtime/json/json-limits.ts';
import { parseWithin } from '../../runtime/json/parse-json.ts';
import { getMark, getMarks, messageText } from '../content/conversation-shape.ts';
import { parseDataUrl } from '../content/data-url.ts';
import { functionSchema } from '../content/function-schema.ts';
import { formatInWords } from '../format-in-words.ts';
import type { ProviderRequest } from '../provider.ts';
import { dropsUnbound, isBound, thinkingFor } from './thinking.ts';
import { getThinking } from './thinking-state.ts';

interface AnthropicMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly object[];
}

/**
 * Merges all system and developer messages, in order, with `more` after them, because Anthropic has only one field for
 * instructions. Returns a text, or blocks if some of the messages are marked for the prompt cache.
 */
function systemFor(messages: readonly ChatMessage[], more: string): string | readonly object[] {
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer');
  const texts = [...system.map(messageText), more].filter((text) => /\S/.test(text));
  if (getMarks(system, undefined).length === 0) return texts.join('\n\n');
  const blocks = system.flatMap((message) => withMark(getParts(message.content ?? ''), message.cache_control));
  return [...blocks, ...textBlock(more)];
}

/**
 * Converts the conversation to Anthropic's rules: roles alternate, the results of parallel tool calls share one user
 * message, no text block is blank, and a final assistant message doesn't end with a space. `thinks`: the model gets its
 * earlier thinking back.
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

/** `thinker`: the model whose earlier thinking is sent back; null to send none back. */
function getTurn(message: ChatMessage, index: number, thinker: string | null): AnthropicMessage | null {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: withMark(getParts(message.content), message.cache_control) };
    case 'assistant': {
      const calls = message.tool_calls ?? [];
      const thoughts = calls.map((call) => (thinker === null ? [] : getThinking(call, thinker)));
      const uses = calls.flatMap((call, callIndex) => [
        ...(callIndex > 0 ? (thoughts[callIndex] ?? []) : []),
        toolUse(call, `messages[${index}].tool_calls[${callIndex}]`),
      ]);
      const blocks = withMark([...textBlock(messageText(message)), ...uses], getMark(message));
      return { role: 'assistant', content: [...(thoughts[0] ?? []), ...blocks] };
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

/** A tool result is a plain text, or a list of blocks if it contains pictures. */
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

/** Converts a cache mark to Anthropic's format. Without a `ttl`, Anthropic caches for five minutes. */
const anthropicMark = ({ type, ttl }: CacheMark): object => ({ type, ...(ttl ? { ttl } : {}) });

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

function toolUse(call: ToolCall, path: string): object {
  return { type: 'tool_use', id: toolId(call.id), name: call.function.name, input: getInput(call, path) };
}

/** Ids of other providers may contain characters that Anthropic refuses. */
const toolId = (id: string) => id.replace(/[^a-zA-Z0-9_-]/g, '_');

function getInput(call: ToolCall, path: string): object {
  if (call.function.arguments.trim() === '') return {};
  const param = `${path}.function.arguments`;
  const value = parseWithin(call.function.arguments, requestLimits);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new AppError('invalid_value', `"${param}" must be the JSON text of an object, and not of too many values.`, {
    param,
  });
}

const defaultMaxTokens = 4_096;

/** The body of `POST /v1/messages`. */
export function messagesBody(request: ProviderRequest): object {
  const { parameters } = request;
  const maxTokens = request.maxTokens ?? defaultMaxTokens;
  const { thinking, output_config: effort, active } = thinkingFor(request, maxTokens);
  checkMarks(request);
  const messages = anthropicMessages(request, active);
  const binds = active && isBound(request) && messages.some(hasThinking);
  const format = outputFormat(parameters);
  const system = systemFor(request.messages, format ? '' : formatInWords(parameters));
  return {
    model: request.model,
    max_tokens: maxTokens,
    stream: !request.nonStreaming,
    messages,
    ...(system.length > 0 ? { system } : {}),
    ...(binds ? { thinking: dropsUnbound(thinking) } : thinking ? { thinking } : {}),
    ...sampling(parameters),
    ...(effort || format ? { output_config: { ...effort, ...format } } : {}),
    ...(getStops(parameters).length ? { stop_sequences: getStops(parameters) } : {}),
    ...toolFields(request),
    ...(parameters.user === undefined ? {} : { metadata: { user_id: parameters.user } }),
  };
}

const hasThinking = ({ content }: AnthropicMessage) =>
  content.some((block) => 'type' in block && (block.type === 'thinking' || block.type === 'redacted_thinking'));

type Parameters = ProviderRequest['parameters'];

const maxMarks = 4;

/**
 * Anthropic refuses more marks, but its error talks about blocks that the caller has never seen. This error names the
 * caller's own field.
 */
function checkMarks({ messages, parameters }: ProviderRequest): void {
  const { length } = getMarks(messages, parameters.tools);
  if (length <= maxMarks) return;
  const message = `Anthropic takes ${maxMarks} marks for its prompt cache; there are ${length} "cache_control".`;
  throw new AppError('invalid_value', message, { param: 'messages' });
}

const sampling = ({ temperature, top_p }: Parameters): object => ({
  ...(temperature === undefined ? {} : { temperature }),
  ...(top_p === undefined ? {} : { top_p }),
});

/** Anthropic refuses stop sequences that consist of blanks, so they are left out. */
function getStops({ stop }: Parameters): string[] {
  const stops = typeof stop === 'string' ? [stop] : (stop ?? []);
  return stops.filter((text) => text.trim() !== '');
}

function outputFormat({ response_format: format }: Parameters): object | null {
  if (format?.type !== 'json_schema') return null;
  return { format: { type: 'json_schema', schema: format.json_schema.schema ?? { type: 'object' } } };
}

function toolFields({ parameters, facts }: ProviderRequest): object {
  const search = webSearchTool(parameters, facts?.webSearch?.max);
  if (!parameters.tools?.length) return search === null ? {} : { tools: [search] };
  const functions = parameters.tools.map(({ function: fn, cache_control: mark }) => ({
    name: fn.name,
    ...(fn.description === undefined ? {} : { description: fn.description }),
    input_schema: functionSchema(fn.parameters),
    ...(fn.strict ? { strict: true } : {}),
    ...(mark ? { cache_control: anthropicMark(mark) } : {}),
  }));
  return { tools: search === null ? functions : [...functions, search], tool_choice: toolChoice(parameters) };
}

/**
 * Anthropic's own web search (https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool, read
 * 2026-11-23).
 */
function webSearchTool({ web_search_options: options }: Parameters, maxUses: number | undefined): object | null {
  if (!options) return null;
  const place = options.user_location?.approximate;
  return {
    type: 'web_search_20250305',
    name: 'web_search',
    ...(maxUses === undefined ? {} : { max_uses: maxUses }),
    ...(place ? { user_location: { type: 'approximate', ...place } } : {}),
  };
}

function toolChoice({ tool_choice: choice, parallel_tool_calls: parallel }: Parameters): object {
  const oneAtATime = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === 'none') return { type: 'none' };
  if (choice === undefined || choice === 'auto') return { type: 'auto', ...oneAtATime };
  if (choice === 'required') return { type: 'any', ...oneAtATime };
  return { type: 'tool', name: choice.function.name, ...oneAtATime };
}
