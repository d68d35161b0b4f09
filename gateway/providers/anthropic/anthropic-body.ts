import { AppError } from '#shared/errors.ts';
import { getMarks } from '../content/conversation-shape.ts';
import { formatInWords } from '../format-in-words.ts';
import type { ProviderRequest } from '../provider.ts';
import { type AnthropicMessage, anthropicMark, anthropicMessages, systemFor } from './messages.ts';
import { dropsUnbound, isBound, thinkingFor } from './thinking.ts';

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
    stream: !request.whole,
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

/** More of them Anthropic refuses, in words of its own shape. */
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

/** Stop sequences of blanks only are refused. */
function getStops({ stop }: Parameters): string[] {
  const stops = typeof stop === 'string' ? [stop] : (stop ?? []);
  return stops.filter((text) => text.trim() !== '');
}

function outputFormat({ response_format: format }: Parameters): object | null {
  if (format?.type !== 'json_schema') return null;
  return { format: { type: 'json_schema', schema: format.json_schema.schema ?? { type: 'object' } } };
}

function toolFields({ parameters, facts }: ProviderRequest): object {
  const search = webSearchTool(parameters, facts?.webSearch?.most);
  if (!parameters.tools?.length) return search === null ? {} : { tools: [search] };
  const functions = parameters.tools.map(({ function: fn, cache_control: mark }) => ({
    name: fn.name,
    ...(fn.description === undefined ? {} : { description: fn.description }),
    input_schema: { type: 'object', properties: {}, ...fn.parameters },
    ...(fn.strict ? { strict: true } : {}),
    ...(mark ? { cache_control: anthropicMark(mark) } : {}),
  }));
  return { tools: search === null ? functions : [...functions, search], tool_choice: toolChoice(parameters) };
}

/** Anthropic's own search (https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool, read 2026-11-23). */
function webSearchTool({ web_search_options: options }: Parameters, most: number | undefined): object | null {
  if (!options) return null;
  const place = options.user_location?.approximate;
  return {
    type: 'web_search_20250305',
    name: 'web_search',
    ...(most === undefined ? {} : { max_uses: most }),
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
