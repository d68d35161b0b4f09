import { hash } from 'node:crypto';
import { AppError } from '#shared/errors.ts';
import {
  type ChatMessage,
  type CompletionRequest,
  completionRequest,
  type PromptRequest,
  promptRequest,
} from '#shared/wire/chat-request.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import type { Question } from '../../engine/answer.ts';
import { grammarsInWords } from '../../engine/fitting/fit-warnings.ts';
import { canonicalJson } from '../../engine/idempotency/canonical-json.ts';
import { getRoutingFacts } from '../../engine/routing/eligibility.ts';
import { shortened } from '../../http/shorten-name.ts';
import { passedFields } from '../../providers/content/passed-fields.ts';
import type { JsonSpan } from '../../runtime/json/parse-json.ts';
import { plainCompletion } from './completion-writer.ts';
import { preparedMessages, preparedParts } from './content-parts.ts';
import { checkReferences, ignored, parseRequest, unknownFields, unknownParameter } from './read-request.ts';
import { refuseFields, refuseFunctionCalls } from './refused-fields.ts';
import { capped, maxWarnings } from './request-warnings.ts';
import { withAllowedTools } from './tools/allowed-tools.ts';
import { type CustomTools, withCustomCalls, withCustomTools } from './tools/custom-tools.ts';

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
