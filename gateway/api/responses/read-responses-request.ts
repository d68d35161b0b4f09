import { asArray, asObject, type JsonObject } from '#shared/json/foreign-json.ts';
import { type NamedTool, type ResponsesRequest, responsesRequest } from '#shared/wire/responses-request.ts';
import { type ClientTools, offeredName } from '../../providers/content/client-tools.ts';
import { type PlacedTurn, turnsInForm } from '../chat/placed-turns.ts';
import type { EarlierItems, Echo } from '../chat/read-question.ts';
import { parseRequest, unknownWarnings } from '../chat/read-request.ts';
import { type Translation, translatedReader } from '../chat/translated-question.ts';
import { callIn } from './client-calls.ts';
import { withEarlierItems } from './earlier-items.ts';
import { turnsOfItems } from './item-turns.ts';
import { liftTools } from './lifted-tools.ts';
import { namedTool, type OfferedTools, offerTools } from './offered-tools.ts';
import { droppedFields, refuseItem, refuseUnserved } from './unserved.ts';

/** Of `POST /v1/responses`. */
export const responsesReader = translatedReader('responses', translated);

function translated(given: Record<string, unknown>, strict: boolean, earlier?: EarlierItems): Translation {
  const { body: whole, forgotten } = withEarlierItems(given, earlier);
  refuseUnserved(whole);
  const { body, found, warnings } = liftTools(whole, strict);
  const request = parseRequest(responsesRequest, body);
  const items = typeof request.input === 'string' ? [] : request.input;
  const called = items.flatMap((item) => callIn(item)?.tool ?? []);
  const offered = offerTools(request.tools ?? [], found, called);
  const turns = turnsInForm(getTurns(request, offered.clientTools));
  if (turns.length === 0) refuseItem(asObject(asArray(body.input)[0]), 0);
  return {
    body: { ...completionFields(request, offered), messages: turns.map(({ message }) => message) },
    warnings: [
      ...droppedFields(body, forgotten),
      ...warnings,
      ...unknownWarnings(body, responsesRequest.shape, strict),
    ],
    echo: getEcho(request, asArray(given.tools)),
    places: turns.map(({ place }) => place),
    clientTools: offered.clientTools,
    ...(offered.clientTools.size > 0 ? { ownTools: offered.own } : {}),
  };
}

function getTurns({ instructions, input }: ResponsesRequest, tools: ClientTools): PlacedTurn[] {
  const system = instructions ? [{ message: { role: 'system', content: instructions }, place: 'instructions' }] : [];
  if (typeof input !== 'string') return [...system, ...turnsOfItems(input, tools)];
  return [...system, { message: { role: 'user', content: input }, place: 'input' }];
}

/** Fields of the same name and meaning. */
const sameNames = [
  ...['provider', 'model', 'temperature', 'top_p', 'stream', 'session_id', 'route', 'parallel_tool_calls', 'user'],
  ...['metadata', 'service_tier', 'prompt_cache_key', 'safety_identifier'],
] as const;

function completionFields(request: ResponsesRequest, { functions, clientTools }: OfferedTools): JsonObject {
  const { text, reasoning, tools, max_output_tokens: maxTokens } = request;
  const asked = {
    ...Object.fromEntries(sameNames.map((name) => [name, request[name]])),
    max_completion_tokens: maxTokens,
    reasoning_effort: reasoning?.effort,
    verbosity: text?.verbosity,
    response_format: getFormat(text?.format),
    tools: functions.length === 0 && tools?.length !== 0 ? undefined : functions,
    web_search_options: searchIn(tools),
    tool_choice: getChoice(request.tool_choice, clientTools),
    ...getLogprobs(request),
  };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}

type Tools = ResponsesRequest['tools'];

/** The search that is among the tools, as a chat completion asks for it. */
function searchIn(tools: Tools): JsonObject | undefined {
  for (const tool of tools ?? []) {
    if (!('search_context_size' in tool) && !tool.type.startsWith('web_search')) continue;
    const { search_context_size: size, user_location: location } = tool;
    const named = Object.entries(location ?? {}).filter(([name, value]) => name !== 'type' && value !== null);
    return {
      ...(size ? { search_context_size: size } : {}),
      ...(named.length > 0 ? { user_location: { type: 'approximate', approximate: Object.fromEntries(named) } } : {}),
    };
  }
  return undefined;
}

function getFormat(format: NonNullable<ResponsesRequest['text']>['format']): JsonObject | undefined {
  if (format?.type !== 'json_schema') return format;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}

const functionNamed = (name: string) => ({ type: 'function', function: { name } });

function getChoice(choice: ResponsesRequest['tool_choice'], tools: ClientTools): unknown {
  if (choice === undefined || typeof choice === 'string') return choice;
  const getName = (named: NamedTool) => offeredName(tools, namedTool(named));
  if (choice.type !== 'allowed_tools') return functionNamed(getName(choice));
  const { type, mode, tools: allowed } = choice;
  return { type, allowed_tools: { mode, tools: allowed.map((named) => functionNamed(getName(named))) } };
}

function getLogprobs({ include, top_logprobs: most }: ResponsesRequest): JsonObject {
  if (most === undefined && !include?.includes('message.output_text.logprobs')) return {};
  return { logprobs: true, ...(most === undefined ? {} : { top_logprobs: most }) };
}

/** What a response repeats of its request. */
function getEcho(request: ResponsesRequest, tools: readonly unknown[]): Echo {
  const { instructions, text, reasoning, metadata, user, tool_choice: choice } = request;
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
    long: { instructions: instructions ?? null, text: text ?? { format: { type: 'text' } }, tools: [...tools] },
  };
}
