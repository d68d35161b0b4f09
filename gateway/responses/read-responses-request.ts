import type { JsonObject } from '#shared/json/foreign-json.ts';
import { type ResponsesRequest, responsesRequest } from '#shared/wire/responses-request.ts';
import { type PlacedTurn, turnsInForm } from '../chat/placed-turns.ts';
import type { EarlierItems, Echo } from '../chat/read-question.ts';
import { parseRequest, unknownWarnings } from '../chat/read-request.ts';
import { type Translation, translatedReader } from '../chat/translated-question.ts';
import { withEarlierItems } from './earlier-items.ts';
import { turnsOfItems } from './item-turns.ts';
import { droppedFields, refuseUnserved } from './unserved.ts';

/** Of `POST /v1/responses`. */
export const responsesReader = translatedReader('responses', translated);

function translated(given: Record<string, unknown>, strict: boolean, earlier?: EarlierItems): Translation {
  const { body, forgotten } = withEarlierItems(given, earlier);
  refuseUnserved(body);
  const request = parseRequest(responsesRequest, body);
  const turns = turnsInForm(turnsOf(request));
  return {
    body: { ...completionFields(request), messages: turns.map(({ message }) => message) },
    warnings: [...droppedFields(body, forgotten), ...unknownWarnings(body, responsesRequest.shape, strict)],
    echo: echoOf(request),
    places: turns.map(({ place }) => place),
  };
}

function turnsOf({ instructions, input }: ResponsesRequest): PlacedTurn[] {
  const system = instructions ? [{ message: { role: 'system', content: instructions }, place: 'instructions' }] : [];
  if (typeof input !== 'string') return [...system, ...turnsOfItems(input)];
  return [...system, { message: { role: 'user', content: input }, place: 'input' }];
}

/** Fields of the same name and meaning. */
const sameNames = [
  ...['provider', 'model', 'temperature', 'top_p', 'stream', 'session_id', 'route', 'parallel_tool_calls', 'user'],
  ...['metadata', 'service_tier', 'prompt_cache_key', 'safety_identifier'],
] as const;

function completionFields(request: ResponsesRequest): JsonObject {
  const { text, reasoning, tools, max_output_tokens: maxTokens } = request;
  const asked = {
    ...Object.fromEntries(sameNames.map((name) => [name, request[name]])),
    max_completion_tokens: maxTokens,
    reasoning_effort: reasoning?.effort,
    verbosity: text?.verbosity,
    response_format: formatOf(text?.format),
    tools: functionsIn(tools),
    web_search_options: searchIn(tools),
    tool_choice: choiceOf(request.tool_choice),
    ...logprobsOf(request),
  };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}

type Tools = ResponsesRequest['tools'];

function functionsIn(tools: Tools): JsonObject[] | undefined {
  const functions = tools?.flatMap((tool) => {
    if (tool.type !== 'function') return [];
    const { type, name, description, parameters, strict } = tool;
    return [{ type, function: { name, description, parameters, strict } }];
  });
  return functions?.length === 0 && tools?.length !== 0 ? undefined : functions;
}

/** The search that is among the tools, as a chat completion asks for it. */
function searchIn(tools: Tools): JsonObject | undefined {
  for (const tool of tools ?? []) {
    if (tool.type === 'function') continue;
    const { search_context_size: size, user_location: location } = tool;
    const named = Object.entries(location ?? {}).filter(([name, value]) => name !== 'type' && value !== null);
    return {
      ...(size ? { search_context_size: size } : {}),
      ...(named.length > 0 ? { user_location: { type: 'approximate', approximate: Object.fromEntries(named) } } : {}),
    };
  }
  return undefined;
}

function formatOf(format: NonNullable<ResponsesRequest['text']>['format']): JsonObject | undefined {
  if (format?.type !== 'json_schema') return format;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}

const functionNamed = (name: string) => ({ type: 'function', function: { name } });

function choiceOf(choice: ResponsesRequest['tool_choice']): unknown {
  if (choice === undefined || typeof choice === 'string') return choice;
  if (choice.type === 'function') return functionNamed(choice.name);
  const { type, mode, tools } = choice;
  return { type, allowed_tools: { mode, tools: tools.map(({ name }) => functionNamed(name)) } };
}

function logprobsOf({ include, top_logprobs: most }: ResponsesRequest): JsonObject {
  if (most === undefined && !include?.includes('message.output_text.logprobs')) return {};
  return { logprobs: true, ...(most === undefined ? {} : { top_logprobs: most }) };
}

/** What a response repeats of its request. */
function echoOf(request: ResponsesRequest): Echo {
  const { instructions, tools, text, reasoning, metadata, user, tool_choice: choice } = request;
  return {
    short: {
      max_output_tokens: request.max_output_tokens ?? null,
      keeps: request.store !== false,
      metadata: metadata ?? {},
      parallel_tool_calls: request.parallel_tool_calls ?? true,
      prompt_cache_key: request.prompt_cache_key ?? null,
      reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
      safety_identifier: request.safety_identifier ?? null,
      temperature: request.temperature ?? null,
      tool_choice: choice ?? 'auto',
      top_logprobs: request.top_logprobs ?? 0,
      top_p: request.top_p ?? null,
      ...(user === undefined ? {} : { user }),
    },
    long: { instructions: instructions ?? null, text: text ?? { format: { type: 'text' } }, tools: tools ?? [] },
  };
}
