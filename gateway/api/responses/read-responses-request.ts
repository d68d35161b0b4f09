import { AppError } from '#shared/errors.ts';
import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import {
  type InputItem,
  type InputPart,
  inputItemTypes,
  type NamedTool,
  type ResponsesRequest,
  responsesRequest,
} from '#shared/wire/responses-request.ts';
import type { Echo } from '../../engine/answer.ts';
import { shortened } from '../../http/shorten-name.ts';
import { type ClientTools, noClientTools, offeredName } from '../../providers/content/client-tools.ts';
import { getFileType } from '../../providers/content/file-type.ts';
import { parseRequest, refuseFields, unknownWarnings } from '../chat/check-fields.ts';
import { type PlacedTurn, turnsInForm } from '../chat/placed-turns.ts';
import { getState } from '../chat/provider-state.ts';
import type { EarlierItems } from '../chat/read-chat-request.ts';
import { type Translation, translatedReader } from '../chat/translated-request.ts';
import { callIdsIn, callIn, resultIn } from './client-calls.ts';
import { withEarlierItems } from './earlier-items.ts';
import { namedTool, type OfferedTools, offerTools } from './offered-tools.ts';

/** An assistant turn while it's assembled: its thinking, content and calls. */
interface Turn {
  readonly place: string;
  readonly content: JsonObject[];
  readonly calls: JsonObject[];
  readonly images: string[];
  thoughts: string;
  /** The provider's state for the next call. */
  state: JsonObject | null;
}

/**
 * Reads items in their order. Everything between two turns of other roles becomes one assistant turn. `tools`: the
 * functions that stand for the caller's tools.
 */
export function turnsOfItems(items: readonly InputItem[], tools: ClientTools = noClientTools): PlacedTurn[] {
  const turns: PlacedTurn[] = [];
  const callIds = callIdsIn(items);
  let turn: Turn | null = null;
  const close = () => {
    if (turn && (turn.content.length > 0 || turn.calls.length > 0 || turn.images.length > 0)) {
      turns.push({ message: turnMessage(turn), place: turn.place });
    }
    turn = null;
  };
  for (const [index, item] of items.entries()) {
    const place = `input[${index}]`;
    if (hasNoContent(item)) continue;
    const result = resultIn(item, callIds);
    if (result) {
      close();
      const { id, output, failed } = result;
      const content = typeof output === 'string' ? output : outputParts(output, place);
      const message = { role: 'tool', tool_call_id: id, content, ...(failed ? { is_error: true } : {}) };
      turns.push({ message, place });
    } else if (isModels(item)) {
      turn ??= { place, content: [], calls: [], images: [], thoughts: '', state: null };
      addToTurn(turn, item, tools);
    } else {
      close();
      turns.push({ message: otherMessage(item as OthersItem, place), place });
    }
  }
  close();
  return turns;
}

/**
 * True for items without content: offers of tools, which are read together with the other tools, and searches on
 * OpenAI's servers, whose results are in the message after them.
 */
const hasNoContent = (item: InputItem) =>
  item.type === 'additional_tools' ||
  item.type === 'web_search_call' ||
  ((item.type === 'tool_search_call' || item.type === 'tool_search_output') && item.call_id === undefined);

type OthersItem = Extract<InputItem, { role: 'user' | 'system' | 'developer' } | { type: 'agent_message' }>;

const isModels = (item: InputItem): boolean =>
  item.type === 'reasoning' ||
  item.type === 'image_generation_call' ||
  ('role' in item && item.role === 'assistant') ||
  callIn(item) !== null;

function addToTurn(turn: Turn, item: InputItem, tools: ClientTools): void {
  const call = callIn(item);
  if (call) {
    const { tool, id, arguments: text } = call;
    const state = turn.state ? { extra_content: turn.state } : {};
    turn.calls.push({ id, type: 'function', function: { name: offeredName(tools, tool), arguments: text }, ...state });
    turn.state = null;
  } else if (item.type === 'reasoning') {
    turn.thoughts += asArray(item.summary).reduce((all: string, part) => all + (asText(asObject(part).text) ?? ''), '');
    turn.state = (item.encrypted_content === undefined ? null : getState(item.encrypted_content)) ?? turn.state;
  } else if (item.type === 'image_generation_call') {
    if (item.result) turn.images.push(imageAddress(item.result));
  } else if ('role' in item && item.role === 'assistant') {
    const { content } = item as Extract<InputItem, { role: 'assistant' }>;
    const parts = typeof content === 'string' ? [{ type: 'output_text' as const, text: content }] : content;
    turn.content.push(
      ...parts.map((part) =>
        part.type === 'refusal' ? { type: 'refusal', refusal: part.refusal } : { type: 'text', text: part.text },
      ),
    );
  }
}

/** Items only contain the base64 of an image, so its type is read from its first bytes. */
function imageAddress(result: string): string {
  if (/^https:\/\//i.test(result)) return result;
  const type = getFileType(Buffer.from(result.slice(0, 24), 'base64'));
  return `data:${type ?? 'image/png'};base64,${result}`;
}

const turnMessage = ({ content, calls, images, thoughts }: Turn): JsonObject => ({
  role: 'assistant',
  content: content.length > 0 ? content : null,
  ...(calls.length > 0 ? { tool_calls: calls } : {}),
  ...(thoughts ? { reasoning_content: thoughts } : {}),
  ...(images.length > 0 ? { images: images.map((url) => ({ type: 'image_url', image_url: { url } })) } : {}),
});

function otherMessage(item: OthersItem, place: string): JsonObject {
  if (item.type === 'agent_message') {
    const text = item.content.map((part) => part.text ?? part.encrypted_content ?? '').join('\n');
    return { role: 'user', content: item.author === undefined ? text : `Message from ${item.author}:\n\n${text}` };
  }
  const { role, content } = item;
  if (typeof content === 'string') return { role, content };
  const parts = content.map((part, partIndex) => contentPart(part, `${place}.content[${partIndex}]`));
  return { role, content: parts };
}

/** An empty output becomes an empty text. */
const outputParts = (parts: readonly InputPart[], place: string): string | JsonObject[] =>
  parts.length === 0 ? '' : parts.map((part, partIndex) => contentPart(part, `${place}.output[${partIndex}]`));

function contentPart(part: InputPart, place: string): JsonObject {
  switch (part.type) {
    case 'input_text':
      return { type: 'text', text: part.text };
    case 'input_image':
      if (part.image_url === undefined) throw notStored(`${place}.image_url`, part.file_id);
      return { type: 'image_url', image_url: { url: part.image_url, detail: part.detail } };
    case 'input_file':
      if (part.file_data === undefined) throw notStored(`${place}.file_data`, part.file_id ?? part.file_url);
      return { type: 'file', file: { filename: part.filename, file_data: asDataUrl(part.file_data) } };
  }
}

/** OpenAI accepts the bare base64 of a PDF too. */
const asDataUrl = (data: string) => (data.startsWith('data:') ? data : `data:application/pdf;base64,${data}`);

function notStored(param: string, named: string | undefined): AppError {
  if (named === undefined) return new AppError('missing_required_parameter', `"${param}" is missing.`, { param });
  const message = `This gateway stores and fetches no files. Send the content itself in "${param}".`;
  return new AppError('unsupported_file_id', message, { param });
}

/**
 * Tools may be in three places of a request: in `tools`, in items that offer more of them (`additional_tools`), and in
 * the results of the caller's own search (`tool_search_output`). The model is offered all of them.
 */
interface LiftedTools {
  /** The body with all tools in `tools`. */
  readonly body: JsonObject;
  /** The tools that only a search found. OpenAI's own models read them from its output. */
  readonly found: readonly JsonObject[];
  readonly warnings: readonly Warning[];
}

interface PlacedTool {
  readonly tool: JsonObject;
  readonly place: string;
}

/**
 * Leaves out tools that only OpenAI's servers run, with a warning, if the model can do without them. `isStrict`: they
 * are refused instead. Throws `unsupported_tool_type` for tools that hold the caller's data, and if no other tool is
 * left.
 */
function liftTools(body: JsonObject, isStrict: boolean): LiftedTools {
  const given = toolsAt(body.tools, 'tools');
  const items = asArray(body.input).map(asObject);
  const added = items.flatMap((item, index) =>
    item.type === 'additional_tools' ? toolsAt(item.tools, `input[${index}].tools`) : [],
  );
  const searched = items.flatMap((item, index) =>
    item.type === 'tool_search_output' ? toolsAt(item.tools, `input[${index}].tools`) : [],
  );
  refuseHostedChoice(body.tool_choice);
  const all = [...given, ...added, ...searched];
  const hosted = all.filter(({ tool }) => isHosted(tool));
  const refused = isStrict || hosted.length === all.length ? hosted : hosted.filter(({ tool }) => holdsData(tool));
  const [first] = refused;
  if (first) throw notRun(asText(first.tool.type) ?? '', first.place);
  if (added.length + searched.length + hosted.length === 0) return { body, found: [], warnings: [] };
  const own = merged([...given, ...added]);
  const offered = merged([...own.map((tool) => ({ tool, place: '' })), ...searched]);
  return {
    body: { ...body, tools: offered },
    found: offered.flatMap((tool) => onlyFound(tool, own)),
    warnings: hosted.map(({ tool, place }) => ({
      code: 'parameter_dropped',
      param: place,
      message: `Tools of the type "${shortened(asText(tool.type) ?? '')}" are not run here; it was left out.`,
    })),
  };
}

const toolsAt = (tools: unknown, place: string): PlacedTool[] =>
  asArray(tools).map((tool, index) => ({ tool: asObject(tool), place: `${place}[${index}]` }));

const clientRun = new Set(['function', 'custom', 'namespace', 'local_shell', 'apply_patch']);

/** True if OpenAI's servers would run the tool. A tool without a type is left to the schema. */
function isHosted({ type, execution, environment }: JsonObject): boolean {
  const name = asText(type);
  if (name === null || clientRun.has(name) || name.startsWith('web_search')) return false;
  if (name === 'tool_search') return execution !== 'client';
  return !(name === 'shell' && [undefined, 'local'].includes(asText(asObject(environment).type) ?? undefined));
}

const dataTools = new Set([
  'file_search',
  'code_interpreter',
  'mcp',
  'computer',
  'computer_use_preview',
  'computer-preview',
]);

/** Tools that bring the caller's documents, servers or screen. An answer without them isn't the requested one. */
const holdsData = ({ type }: JsonObject): boolean => dataTools.has(asText(type) ?? '');

const choices = new Set(['function', 'custom', 'allowed_tools', 'tool_search', 'local_shell', 'shell', 'apply_patch']);

/** A model can't be forced to call a hosted tool here, and must not do something else instead. */
function refuseHostedChoice(choice: unknown): void {
  const { type, tools } = asObject(choice);
  for (const entry of [type, ...asArray(tools).map((tool) => asObject(tool).type)]) {
    const name = asText(entry);
    if (name !== null && !choices.has(name)) throw notRun(name, 'tool_choice');
  }
}

const notRun = (type: string, place: string) =>
  new AppError(
    'unsupported_tool_type',
    `Tools of the type "${type.slice(0, 64)}" are not run here. Offer a "function" tool and run it yourself.`,
    { param: place === 'tool_choice' ? 'tool_choice.type' : `${place}.type` },
  );

/** Returns each tool once: a later definition replaces an earlier one, and the tools of one namespace are joined. */
function merged(tools: readonly PlacedTool[]): JsonObject[] {
  const all = new Map<string, JsonObject>();
  for (const [index, { tool }] of tools.entries()) {
    if (isHosted(tool)) continue;
    const key = asText(tool.name) === null && tool.type === 'function' ? `unnamed ${index}` : getKey(tool);
    const known = all.get(key);
    all.set(key, known && tool.type === 'namespace' ? together(known, tool) : tool);
  }
  return [...all.values()];
}

const getKey = ({ type, name }: JsonObject): string => JSON.stringify([type, name ?? null]);

function together(known: JsonObject, tool: JsonObject): JsonObject {
  const inner = [...asArray(known.tools), ...asArray(tool.tools)].map((entry) => ({
    tool: asObject(entry),
    place: '',
  }));
  return { ...known, description: tool.description || known.description, tools: merged(inner) };
}

/** Returns the part of a tool that isn't among the caller's own tools. */
function onlyFound(tool: JsonObject, own: readonly JsonObject[]): JsonObject[] {
  const known = own.find((entry) => getKey(entry) === getKey(tool));
  if (!known) return [tool];
  if (tool.type !== 'namespace') return [];
  const inner = asArray(tool.tools).map(asObject);
  const ownInner = asArray(known.tools).map(asObject);
  return [{ ...tool, tools: inner.flatMap((entry) => onlyFound(entry, ownInner)) }];
}

/** The types of items that this gateway accepts. The error for any other type names the nearest alternative. */

const servedItems = new Set(inputItemTypes);

/** Throws `unsupported_parameter` for features that need stored responses. */
function refuseUnserved(body: JsonObject): void {
  refuseFields(body, 'responses');
  for (const [index, item] of asArray(body.input).entries()) checkItem(asObject(item), index);
}

function checkItem(item: JsonObject, index: number): void {
  const type = asText(item.type);
  if (type !== null && !servedItems.has(type)) refuseItem(item, index);
}

/** Throws `unsupported_parameter` for an item that can't be read, or that contains nothing for a model. */
function refuseItem(item: JsonObject, index: number): never {
  const type = asText(item.type) ?? '';
  const why =
    type === 'item_reference'
      ? `The item "${(asText(item.id) ?? '').slice(0, 64)}" is not kept, or not any more: send it itself. Clients do so with "store": false.`
      : `Items of the type "${type.slice(0, 64)}" cannot be read here; messages, calls of tools that you run, their outputs, images and reasoning can.`;
  throw new AppError('unsupported_parameter', why, { param: `input[${index}].type` });
}

const includable = new Set(['reasoning.encrypted_content', 'message.output_text.logprobs']);

/** Returns warnings for the fields that are ignored. */
function droppedFields(body: JsonObject, forgotten: readonly number[]): Warning[] {
  const drop = (param: string, message: string): Warning => ({ code: 'parameter_dropped', param, message });
  return [
    ...(body.store === true
      ? [drop('store', 'Responses cannot be fetched later; their items are kept for an hour, for references to them.')]
      : []),
    ...(body.truncation === 'auto'
      ? [drop('truncation', 'Nothing is cut from the input here; "truncation" was left out.')]
      : []),
    ...forgotten.map((index) => drop(`input[${index}]`, 'This reasoning is not kept any more; it was left out.')),
    ...asArray(body.include)
      .filter((name) => !includable.has(String(name)))
      .map((name) => drop('include', `"${String(name).slice(0, 64)}" cannot be included here; it was left out.`)),
  ];
}

/** Reads `POST /v1/responses`. */
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

/** Fields with the same name and meaning in both APIs. */
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

/** Returns the web search among the tools, in the form of a chat completion. */
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

function getLogprobs({ include, top_logprobs: topLogprobs }: ResponsesRequest): JsonObject {
  if (topLogprobs === undefined && !include?.includes('message.output_text.logprobs')) return {};
  return { logprobs: true, ...(topLogprobs === undefined ? {} : { top_logprobs: topLogprobs }) };
}

/** Returns the fields of a request that its response repeats. */
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
