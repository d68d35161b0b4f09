import { hash } from 'node:crypto';
import { z } from 'zod';
import { AppError, toAppError } from '#shared/errors.ts';
import { asArray, asObject } from '#shared/json/foreign-json.ts';
import {
  type ChatMessage,
  type CompletionRequest,
  type ContentPart,
  completionRequest,
  type PromptRequest,
  promptRequest,
} from '#shared/wire/chat-request.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import type { Question } from '../../engine/answer.ts';
import { grammarsInWords } from '../../engine/fitting/fit-warnings.ts';
import { getRoutingFacts } from '../../engine/routing/eligibility.ts';
import { shortened } from '../../http/shorten-name.ts';
import { dataUrlBytes, isBase64, maxAddress, parseDataUrl } from '../../providers/content/data-url.ts';
import { getFileType } from '../../providers/content/file-type.ts';
import { withImagesMoved } from '../../providers/content/made-images.ts';
import { passedFields } from '../../providers/content/passed-fields.ts';
import { withReasoning } from '../../providers/content/reasoning-details.ts';
import { publicAddress } from '../../providers/upstream/public-address.ts';
import type { JsonSpan } from '../../runtime/json/parse-json.ts';
import { plainCompletion } from './completion-writer.ts';
import { checkReferences, ignored, parseRequest, unknownFields, unknownParameter } from './read-request.ts';
import { refuseFields, refuseFunctionCalls } from './refused-fields.ts';
import { capped, maxWarnings } from './request-warnings.ts';
import { type CustomTools, withCustomCalls, withCustomTools } from './tools/custom-tools.ts';

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
 * OpenAI's choice among some of the tools, said so that every provider understands it: only these are offered. The body itself where
 * it makes no such choice. Throws `invalid_value`.
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
  /** Where the body's `messages` stand, where that is certain. */
  readonly messages: JsonSpan | null;
  /** Unknown fields are refused. */
  readonly strict: boolean;
  /** What the request refers to of earlier answers; absent where it refers to nothing. */
  readonly earlier?: EarlierItems | undefined;
  /** The request has an `Idempotency-Key`: its body is to be told from others. */
  readonly wantsDigest: boolean;
}

/** Items of earlier answers, by their ids, and how long they are in characters of JSON. */
export interface EarlierItems {
  readonly found: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly length: number;
}

/** All of a question that its body says, in values that threads can hand to each other. */
export interface ChatFields extends Omit<Question, 'requestId' | 'principal' | 'packed' | 'fullRouting' | 'byoKey'> {
  readonly byoKey: string | null;
  /** `stream_options.include_usage`: usage in a chunk of its own (wire contract §1.3). */
  readonly includeUsage: boolean;
  /** Functions that the caller knows as custom tools. */
  readonly customTools: CustomTools;
  /** Of the body without the caller's provider key, however it was spelled; null where nobody wants it. */
  readonly digest: string | null;
  /** What the answer repeats of the request; null where it repeats nothing. */
  readonly echo: Echo | null;
}

/** What an answer repeats of its request. What may be long is repeated of a short request only. */
export interface Echo {
  readonly short: Readonly<Record<string, unknown>>;
  readonly long: Readonly<Record<string, unknown>>;
}

type Body = Record<string, unknown>;

/** Reads one form of a chat request. A large body is read on a thread of its own, which finds its reader by this name. */
export interface QuestionReader {
  readonly name: string;
  /** Throws the contract's 400 codes. */
  read(body: Body, options: ReadOptions): ChatFields;
}

/** Of `POST /chat` and `POST /api/chat`. */
export const promptReader = questionReader('prompt', promptQuestion);
/** Of `POST /v1/chat/completions`. */
export const completionReader = questionReader('completion', completionQuestion);
/** Of whichever of the two a body is. */
export const eitherReader = questionReader('either', (body, options) =>
  body.messages == null ? promptQuestion(body, options) : completionQuestion(body, options),
);

/** A reader of what is left of a body once the caller's provider key was taken out of it. */
export function questionReader(name: string, read: (body: Body, options: ReadOptions) => Said): QuestionReader {
  return {
    name,
    read(body, options) {
      const byoKey = takeByoKey(body);
      const digest = options.wantsDigest ? hash('sha256', canonicalJson(body)) : null;
      return { ...read(body, options), byoKey, digest };
    },
  };
}

type Shared = PromptRequest | CompletionRequest;

export type Said = Omit<ChatFields, 'byoKey' | 'digest'>;

function promptQuestion(given: Body, { strict }: ReadOptions): Said {
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
  return saidBy(request, { messages, maxTokens: request.max_tokens ?? null, custom, unknown, strict });
}

/** Reads the body of `POST /v1/chat/completions`. */
export function completionQuestion(given: Body, { messages: span, strict }: ReadOptions): Said {
  const { body: functions, custom } = withCustomTools(given);
  const body = withAllowedTools(functions);
  const plain = plainCompletion(body);
  if (!plain) {
    refuseFields(body, 'completion');
    refuseFunctionCalls(body.messages);
  }
  const request = plain ?? parseRequest(completionRequest, withCustomCalls(body));
  checkCompletion(request);
  const unknown = unknownFields(body, completionRequest.shape);
  const messages = preparedMessages(request.messages);
  const maxTokens = request.max_completion_tokens ?? request.max_tokens ?? null;
  const messagesJson = plain && getSpan(plain.messages, span);
  const includeUsage = request.stream_options?.include_usage ?? false;
  return { ...saidBy(request, { messages, messagesJson, maxTokens, custom, unknown, strict }), includeUsage };
}

/** Plain messages have two fields and so four strings each. With more, one was written twice: which of them counts is open. */
const getSpan = (messages: readonly ChatMessage[], span: JsonSpan | null): Uint8Array | null =>
  span && span.strings === 4 * messages.length ? span.bytes : null;

/** Takes the caller's key out of the body before anything else can see it (wire contract §6). */
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

function checkCompletion(request: CompletionRequest): void {
  const { n, max_tokens: plain, max_completion_tokens: completion } = request;
  if (n !== undefined && n !== 1) throw new AppError('unsupported_value', '"n" can only be 1.', { param: 'n' });
  if (plain !== undefined && completion !== undefined && plain !== completion) {
    throw new AppError('invalid_value', '"max_tokens" and "max_completion_tokens" differ. Send one of them.', {
      param: 'max_completion_tokens',
    });
  }
  if (request.stream_options !== undefined && !request.stream) {
    throw new AppError('invalid_value', '"stream_options" is only allowed with "stream": true.', {
      param: 'stream_options',
    });
  }
  checkToolMessages(request.messages);
}

/** A tool's result must answer a call that was made before it. */
function checkToolMessages(messages: readonly ChatMessage[]): void {
  const known = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') {
      for (const call of message.tool_calls ?? []) known.add(call.id);
      if (isSilent(message)) {
        const param = `messages[${index}].content`;
        throw new AppError('missing_required_parameter', `"${param}" may only be empty beside "tool_calls".`, {
          param,
        });
      }
    }
    if (message.role === 'tool' && !known.has(message.tool_call_id)) {
      const param = `messages[${index}].tool_call_id`;
      throw new AppError('invalid_tool_call_id', `"${param}" names no earlier tool call.`, { param });
    }
  }
}

const isSilent = (message: Extract<ChatMessage, { role: 'assistant' }>): boolean =>
  message.content == null &&
  !message.tool_calls?.length &&
  !message.images?.length &&
  typeof message.refusal !== 'string';

const openaiOnly = Object.keys(passedFields);
/** OpenAI's fields that no answer of this gateway can honour. */
const notHonoured = ['store', 'audio'];

interface Parts {
  readonly messages: readonly ChatMessage[];
  readonly messagesJson?: Uint8Array | null;
  readonly maxTokens: number | null;
  readonly custom: CustomTools;
  readonly unknown: readonly string[];
  readonly strict: boolean;
}

function saidBy(request: Shared, { messages, messagesJson, maxTokens, custom, unknown, strict }: Parts): Said {
  checkReferences(request);
  if (request.modalities?.includes('audio'))
    throw new AppError('unsupported_value', 'Audio answers are not supported.', { param: 'modalities' });
  const parameters = getParameters(request);
  return {
    provider: request.provider ?? null,
    model: request.model ?? null,
    facts: getRoutingFacts({ messages, maxTokens, parameters }),
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

const noControls: Question['route'] = {
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

function getParameters(request: Shared): Question['parameters'] {
  if (!hasParameters(request)) return {};
  const { temperature, top_p, stop, seed, frequency_penalty, presence_penalty, response_format } = request;
  const { tools, tool_choice, parallel_tool_calls, reasoning_effort, web_search_options, user } = request;
  const sampling = { temperature, top_p, stop, seed, frequency_penalty, presence_penalty, response_format };
  const offered = { tools, tool_choice, parallel_tool_calls, web_search_options };
  // Text needs no asking for.
  const modalities = request.modalities?.includes('image') ? request.modalities : undefined;
  const all = { ...sampling, ...offered, reasoning_effort, modalities, user };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** Unknown fields are reported, the first of them by name, or refused where the caller asked for that (wire contract §1.0). */
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

/** JSON with the members of every object in one order: the same value is always the same text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
