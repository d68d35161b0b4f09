import { hash } from 'node:crypto';
import { z } from 'zod';
import { AppError, toAppError } from '#shared/errors.ts';
import { asArray, asObject } from '#shared/json/foreign-json.ts';
import {
  type ChatMessage,
  type CompletionRequest,
  type ContentPart,
  completionRequest,
  longCompletionRequest,
  type PromptRequest,
  promptRequest,
} from '#shared/wire/chat-request.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import type { Principal } from '../../access/auth/principal.ts';
import { Secret } from '../../access/auth/secret.ts';
import type { ChatRequest, CustomTools } from '../../engine/answer.ts';
import { grammarsInWords } from '../../engine/fitting/fit-warnings.ts';
import { getRoutingFacts } from '../../engine/routing/eligibility.ts';
import { chatBodyLimit } from '../../http/policies.ts';
import { type BodySource, onlyBlock, readBlocks } from '../../http/read-body.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { shortened } from '../../http/shorten-name.ts';
import { dataUrlBytes, isBase64, maxAddress, parseDataUrl } from '../../providers/content/data-url.ts';
import { getFileType } from '../../providers/content/file-type.ts';
import { withImagesMoved } from '../../providers/content/made-images.ts';
import { passedFields } from '../../providers/content/passed-fields.ts';
import { withReasoning } from '../../providers/content/reasoning-details.ts';
import type { Packed } from '../../providers/packed-request.ts';
import { publicAddress } from '../../providers/upstream/public-address.ts';
import type { MemoryLease } from '../../runtime/body/body-blocks.ts';
import { type JsonSpan, lightBytes, parseLightBody } from '../../runtime/json/parse-json.ts';
import { workerPool } from '../../runtime/threads/worker-pool.ts';
import { workerTask } from '../../runtime/threads/worker-task.ts';
import {
  capped,
  checkCompletion,
  checkReferences,
  ignored,
  maxWarnings,
  parseRequest,
  plainCompletion,
  refuseFields,
  refuseFunctionCalls,
  unknownFields,
  unknownParameter,
} from './check-fields.ts';
import { withOpenRouterFields } from './openrouter-fields.ts';
import { withCustomCalls, withCustomTools } from './tools/custom-tools.ts';

/** Checks attached content and inlines text files (wire contract §1.5), so that adapters get only what they can send. */

const maxPartBytes = 10 * 1024 * 1024;
const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
const textTypes = /^(text\/[\w.+-]+|application\/(json|csv|xml|x-yaml|yaml))$/;

const preparedMessages = (messages: readonly ChatMessage[]): readonly ChatMessage[] =>
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

/** A turn that is only a refusal has its text beside the content. */
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

/** Returns image data as it is, and an address in the spelling that every parser reads alike. */
function imageUrl(url: string, param: string): string {
  const bad = (why: string) => new AppError('invalid_image', `"${param}" ${why}`, { param });
  if (/^https?:\/\//i.test(url)) return shortAddress(url, param);
  const data = parseDataUrl(url);
  if (!data) throw bad('must be an https address or a base64 data URL.');
  checkSize(data.base64, param);
  const type = getFileType(dataUrlBytes(data, 16));
  if (type === null || !imageTypes.includes(type))
    throw bad(`must be a picture of one of the types ${imageTypes.join(', ')}.`);
  // Many tools name another type than the picture has, such as image/jpg, and vendors refuse that.
  return type === data.mediaType ? url : `data:${type};base64,${data.base64}`;
}

function shortAddress(url: string, param: string): string {
  if (url.length <= maxAddress) return fetchable(url, param);
  const code = param.endsWith('.url') ? 'invalid_image' : 'invalid_file';
  throw new AppError(code, `"${param}" must be an address of at most ${maxAddress} characters.`, { param });
}

/** Allows only addresses that the guard allows by their spelling, whether we or the provider fetch them (wire contract §1.5). */
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
  const isPdf = getFileType(dataUrlBytes(data, 1024)) === 'application/pdf';
  if (data.mediaType === 'application/pdf') {
    if (!isPdf) throw badFile(param, 'does not contain a PDF.');
    return { type: 'file', file };
  }
  if (!isPdf) throw badFile(param, `has the type ${data.mediaType}; only PDF and text files can be read.`);
  return { type: 'file', file: { ...file, file_data: `data:application/pdf;base64,${data.base64}` } };
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

const allowedTools = z.object({
  type: z.literal('allowed_tools'),
  allowed_tools: z.object({
    mode: z.enum(['auto', 'required']),
    tools: z
      .array(z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }))
      .min(1),
  }),
});

/**
 * Rewrites OpenAI's choice among some of the tools for every provider: only these tools are offered. Returns the body itself when it makes
 * no such choice. Throws `invalid_value`.
 */
function withAllowedTools(body: Record<string, unknown>): Record<string, unknown> {
  const choice = asObject(body.tool_choice);
  if (choice.type !== 'allowed_tools') return body;
  const refuse = (why: string) => new AppError('invalid_value', `"tool_choice" ${why}`, { param: 'tool_choice' });
  const parsed = allowedTools.safeParse(choice);
  if (!parsed.success) throw refuse('must name a "mode" and function tools in "allowed_tools".');
  const { mode, tools } = parsed.data.allowed_tools;
  const names = new Set(tools.map((tool) => tool.function.name));
  const offered = asArray(body.tools).filter((tool) => names.delete(String(asObject(asObject(tool).function).name)));
  const [unknown] = names;
  if (unknown !== undefined) throw refuse(`allows a tool that "tools" does not have: "${unknown.slice(0, 64)}".`);
  return { ...body, tools: offered, tool_choice: mode };
}

export interface ReadOptions {
  /** The position of `messages` in the body, when it is certain. */
  readonly messages: JsonSpan | null;
  /** Whether unknown fields are refused. */
  readonly strict: boolean;
  /** The items of earlier answers that the request refers to. Absent when there are none. */
  readonly earlier?: EarlierItems | undefined;
  /** Whether the request has an `Idempotency-Key`, for which its body needs a digest. */
  readonly wantsDigest: boolean;
}

/** Items of earlier answers by their ids, and their length in characters of JSON. */
export interface EarlierItems {
  readonly found: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly length: number;
}

/** What the body of a chat request contains, in values that can be sent from one thread to another. */
export interface ChatBody extends Omit<ChatRequest, 'requestId' | 'principal' | 'packed' | 'fullRouting' | 'byoKey'> {
  readonly byoKey: string | null;
}

type Body = Record<string, unknown>;

/** Reads the chat requests of one API. A worker thread, which reads large bodies, finds its reader by this name. */
export interface ChatReader {
  readonly name: string;
  /** Throws the contract's 400 codes. */
  read(body: Body, options: ReadOptions): ChatBody;
}

/** Reads `POST /chat` and `POST /api/chat`. */
export const promptReader = createChatReader('prompt', readPrompt);
/** Reads `POST /v1/chat/completions`. */
export const completionReader = createChatReader('completion', readCompletion);
/** Reads a body in either of the two forms. */
export const eitherReader = createChatReader('either', (body, options) =>
  body.messages == null ? readPrompt(body, options) : readCompletion(body, options),
);

/** Creates a reader. It gets the body without the caller's provider key. */
export function createChatReader(name: string, read: (body: Body, options: ReadOptions) => BodyFields): ChatReader {
  return {
    name,
    read(body, options) {
      const byoKey = takeByoKey(body);
      const digest = options.wantsDigest ? hash('sha256', canonicalJson(body)) : null;
      return { ...read(body, options), byoKey, digest };
    },
  };
}

/** Reads and checks a chat request on a thread of its own; its long parts come back packed. */
export const chatRequestTask = workerTask<
  {
    readonly blocks: readonly Uint8Array[];
    /** The name of its reader. */
    readonly form: string;
    readonly options: Omit<ReadOptions, 'messages'>;
  },
  { readonly fields: ChatBody; readonly packed: Omit<Packed, 'account'> }
>('question');

/** Finds what a body refers to of earlier answers. Null when it refers to nothing. */
export type Recall = (principal: Principal, body: readonly Uint8Array[]) => Promise<EarlierItems> | null;

/** Who sends a chat request. */
export interface ChatSender extends Pick<RequestContext, 'requestId' | 'clientRequestId'> {
  readonly principal: Principal;
  readonly memoryLease: MemoryLease;
}

/**
 * Reads a chat request: a small one on this thread, a large one on a thread of its own. Throws the contract's 400 codes, 413
 * `request_too_large` and 503 `server_overloaded`.
 */
export async function readChatRequest(
  { requestId, clientRequestId, principal, memoryLease }: ChatSender,
  source: BodySource,
  reader: ChatReader,
  recall?: Recall,
): Promise<ChatRequest> {
  const blocks = await readBlocks(source, chatBodyLimit, memoryLease);
  const recalling = recall?.(principal, blocks);
  const earlier = recalling == null ? undefined : await recalling;
  const options = {
    ...(earlier ? { earlier } : {}),
    strict: source.header('x-portico-strict') === '1',
    wantsDigest: source.header('idempotency-key') !== null,
  };
  const block = onlyBlock(blocks);
  const light = block && (earlier?.length ?? 0) <= lightBytes && parseLightBody(block);
  const account = principal.accountId;
  const { fields, packed } = light
    ? { fields: reader.read(light.value, { ...options, messages: light.messages }), packed: null }
    : await workerPool.run(chatRequestTask, { blocks, form: reader.name, options }, blocks, { account });
  const { byoKey, metadata } = fields;
  return {
    ...fields,
    requestId,
    principal,
    packed: packed && { ...packed, account },
    // A client whose connection was lost before it saw our id finds the record by its own id (§10).
    metadata: clientRequestId === null ? metadata : { ...metadata, client_request_id: clientRequestId },
    byoKey: byoKey === null ? null : new Secret(byoKey),
    fullRouting: source.header('x-portico-route-detail') === 'full',
  };
}

type Shared = PromptRequest | CompletionRequest;

export type BodyFields = Omit<ChatBody, 'byoKey' | 'digest'>;

function readPrompt(given: Body, { strict }: ReadOptions): BodyFields {
  const { body: functions, custom } = withCustomTools(given);
  const body = withAllowedTools(functions);
  refuseFields(body, 'prompt');
  const request = parseRequest(promptRequest, body);
  const unknown = unknownFields(body, promptRequest.shape);
  const files = preparedParts(request.files ?? [], 'files');
  const messages: ChatMessage[] = [
    ...(request.system === undefined ? [] : [{ role: 'system' as const, content: request.system }]),
    {
      role: 'user' as const,
      content: files.length ? [{ type: 'text' as const, text: request.prompt }, ...files] : request.prompt,
      name: undefined,
    },
  ];
  return toFields(request, { messages, maxTokens: request.max_tokens ?? null, custom, unknown, strict });
}

/** Reads the body of `POST /v1/chat/completions`. */
export function readCompletion(
  given: Body,
  { messages: span, strict }: ReadOptions,
  { isMessages = false }: { readonly isMessages?: boolean } = {},
): BodyFields {
  const { body: functions, custom } = withCustomTools(given);
  const openRouter = withOpenRouterFields(withAllowedTools(functions));
  const { body } = openRouter;
  const plain = plainCompletion(body);
  if (!plain) {
    refuseFields(body, 'completion');
    refuseFunctionCalls(body.messages);
  }
  const schema = isMessages ? longCompletionRequest : completionRequest;
  const request = plain ?? parseRequest(schema, withCustomCalls(body));
  checkCompletion(request);
  const unknown = unknownFields(body, completionRequest.shape);
  const messages = preparedMessages(request.messages);
  const maxTokens = request.max_completion_tokens ?? request.max_tokens ?? null;
  const messagesJson = plain && getSpan(plain.messages, span);
  const includeUsage = request.stream_options?.include_usage ?? openRouter.includesUsage;
  const fields = toFields(request, {
    messages,
    messagesJson,
    maxTokens,
    mayLowerMaxTokens: isMessages,
    custom,
    unknown,
    strict,
  });
  return { ...fields, warnings: [...openRouter.warnings, ...fields.warnings], includeUsage };
}

/** A plain message has two fields and so four strings. With more strings a field was repeated, and its value is ambiguous. */
const getSpan = (messages: readonly ChatMessage[], span: JsonSpan | null): Uint8Array | null =>
  span && span.strings === 4 * messages.length ? span.bytes : null;

/** Takes the caller's key out of the body before any other code sees it (wire contract §6). */
export function takeByoKey(body: Record<string, unknown>): string | null {
  const key = body.byoapi_key ?? null;
  delete body.byoapi_key;
  if (key === null) return null;
  const refuse = (code: 'invalid_type' | 'invalid_value', why: string) =>
    new AppError(code, `"byoapi_key" ${why}`, { param: 'byoapi_key' });
  if (typeof key !== 'string') throw refuse('invalid_type', 'must be a string.');
  if (!/^[\x21-\x7e]{8,512}$/.test(key)) throw refuse('invalid_value', 'must be 8 to 512 visible ASCII characters.');
  return key;
}

const openaiOnly = Object.keys(passedFields);
/** OpenAI's fields that no answer of this gateway can honour. */
const notHonoured = ['store', 'audio'];

interface Parts {
  readonly messages: readonly ChatMessage[];
  readonly messagesJson?: Uint8Array | null;
  readonly maxTokens: number | null;
  readonly mayLowerMaxTokens?: boolean;
  readonly custom: CustomTools;
  readonly unknown: readonly string[];
  readonly strict: boolean;
}

function toFields(request: Shared, parts: Parts): BodyFields {
  const { messages, messagesJson, maxTokens, mayLowerMaxTokens, custom, unknown, strict } = parts;
  checkReferences(request);
  if (request.modalities?.includes('audio'))
    throw new AppError('unsupported_value', 'Audio answers are not supported.', { param: 'modalities' });
  const parameters = getParameters(request);
  return {
    provider: request.provider ?? null,
    model: request.model ?? null,
    facts: getRoutingFacts({ messages, maxTokens, parameters, mayLowerMaxTokens: mayLowerMaxTokens ?? false }),
    messages,
    messagesJson: messagesJson ?? null,
    maxTokens,
    parameters,
    openaiOnly: Object.fromEntries(
      unknown.filter((name) => openaiOnly.includes(name)).map((name) => [name, request[name]]),
    ),
    route: request.route ?? noControls,
    sessionId: request.session_id ?? null,
    metadata: request.metadata ?? {},
    warnings: [...warningsFor(unknown, request, strict), ...(custom.inWords ? [grammarsInWords] : [])],
    customTools: custom,
    stream: request.stream ?? false,
    includeUsage: false,
    echo: null,
  };
}

const noControls: ChatRequest['route'] = {
  policy: undefined,
  only: undefined,
  ignore: undefined,
  max_cost_usd: undefined,
  require_parameters: undefined,
  allow_fallbacks: undefined,
  max_attempts: undefined,
};

const parameterNames = [
  ...['temperature', 'top_p', 'stop', 'seed', 'frequency_penalty', 'presence_penalty', 'response_format', 'tools'],
  ...['tool_choice', 'parallel_tool_calls', 'reasoning_effort', 'web_search_options', 'modalities', 'user'],
];

function hasParameters(request: Shared): boolean {
  for (const name of parameterNames) if (request[name] !== undefined) return true;
  return false;
}

function getParameters(request: Shared): ChatRequest['parameters'] {
  if (!hasParameters(request)) return {};
  const { temperature, top_p, stop, seed, frequency_penalty, presence_penalty, response_format } = request;
  const { tools, tool_choice, parallel_tool_calls, reasoning_effort, web_search_options, user } = request;
  const sampling = { temperature, top_p, stop, seed, frequency_penalty, presence_penalty, response_format };
  const offered = { tools, tool_choice, parallel_tool_calls, web_search_options };
  // Text is the default.
  const modalities = request.modalities?.includes('image') ? request.modalities : undefined;
  const all = { ...sampling, ...offered, reasoning_effort, modalities, user };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** Warns about unknown fields by their names, or refuses the first one when the caller asked for that (wire contract §1.0). */
function warningsFor(unknown: readonly string[], request: Record<string, unknown>, strict: boolean): Warning[] {
  const named = unknown.filter((name) => !openaiOnly.includes(name));
  const worthAWord = named.filter((name) => !notHonoured.includes(name) || request[name] !== false);
  const stranger = worthAWord.find((name) => !notHonoured.includes(name));
  if (strict && stranger !== undefined) throw unknownParameter(stranger);
  return capped(worthAWord.slice(0, maxWarnings).map(fieldWarning), worthAWord.length);
}

function fieldWarning(name: string): Warning {
  if (!notHonoured.includes(name)) return ignored(name);
  const param = shortened(name);
  return { code: 'parameter_dropped', param, message: `"${param}" is not supported here; it was left out.` };
}

/** JSON with the members of every object in one order, so that the same value is always the same text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
