import type { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { type ChatMessage, type CompletionRequest, maxOutputTokens } from '#shared/wire/chat-request.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import { requestError } from '../../http/request-error.ts';
import { shortened } from '../../http/shorten-name.ts';

/**
 * A field that changes which conversation a model is asked, or what its answer is. If it were ignored, the model would answer another
 * question than the client asked, so it is served or refused, never left out with a warning (docs/decisions/104-what-is-never-left-out.md).
 * Fields that only cost tokens or a feature of the answer are listed beside each API's reader.
 */
export interface RefusedField {
  readonly name: string;
  /** What to send instead. */
  readonly why: string;
  /** Where the vendor describes the field. */
  readonly source: string;
  /** Whether this value asks for anything; null never does. */
  readonly isAsked?: (value: unknown) => boolean;
  /** Facts that the vendor's own clients look for in the error. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** `completion` is `POST /v1/chat/completions`, `prompt` is `POST /chat`. */
export type ChatApi = 'prompt' | 'completion' | 'responses' | 'messages';

const openai = 'https://developers.openai.com/api/reference/resources/responses/methods/create';
const completions =
  'https://developers.openai.com/api/reference/resources/chat/subresources/completions/methods/create';
const anthropic = 'https://platform.claude.com/docs/en/api/messages/create';
const gemini = 'https://ai.google.dev/gemini-api/docs/openai';

const isNotFalse = (value: unknown) => value !== false;
const isFalse = (value: unknown) => value === false;
const isFilled = (value: unknown) => !(Array.isArray(value) && value.length === 0);

const wholeConversation = 'This gateway keeps no conversations: send all of it with each request.';

/** Fields for state that a vendor stores: the request contains only what is new. */
const storedByVendor: readonly RefusedField[] = [
  { name: 'previous_response_id', why: wholeConversation, source: openai },
  { name: 'conversation', why: wholeConversation, source: openai },
  {
    name: 'thread',
    why: `Message threads are not kept here. ${wholeConversation}`,
    source: 'https://platform.claude.com/docs/en/build-with-claude/message-threads',
    // Anthropic's SDKs go on without a thread when a server refuses it with this code (`ThreadState` of anthropic-sdk-typescript 1.14).
    details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  },
  {
    name: 'cached_content',
    why: 'Contents that Google keeps are not looked up here: send them with the request.',
    source: gemini,
  },
  {
    name: 'extra_body',
    why: 'Contents that Google keeps are not looked up here: send them with the request.',
    source: gemini,
    isAsked: (value) => asObject(asObject(value).google).cached_content != null,
  },
];

/** Fields for instructions by the name that another of the APIs has for them. */
const namesOfOtherApis = (source: string, names: Readonly<Record<string, string>>): RefusedField[] =>
  Object.entries(names).map(([name, why]) => ({ name, why, source }));

const compacts = (value: unknown) =>
  [...asArray(asObject(value).edits), ...asArray(value)].some((edit) =>
    /^compact/.test(asText(asObject(edit).type) ?? ''),
  );

const compaction: RefusedField = {
  name: 'context_management',
  why: 'Conversations are not compacted here: shorten the conversation yourself, or leave compaction out.',
  source: 'https://platform.claude.com/docs/en/build-with-claude/compaction',
  // Clearing only saves tokens: without it the model sees what would have been cleared.
  isAsked: compacts,
};

export const refusedFields: Readonly<Record<ChatApi, readonly RefusedField[]>> = {
  prompt: [
    ...storedByVendor,
    ...namesOfOtherApis(completions, {
      messages: 'This endpoint takes "prompt"; for "messages" use /v1/chat/completions.',
      input: 'This endpoint takes "prompt"; for "input" use /v1/responses.',
      instructions: 'This endpoint takes "system"; for "instructions" use /v1/responses.',
    }),
  ],
  completion: [
    ...storedByVendor,
    ...namesOfOtherApis(completions, {
      prompt: 'This endpoint takes "messages"; for "prompt" use /chat.',
      input: 'This endpoint takes "messages"; for "input" use /v1/responses.',
      instructions: 'Send instructions as a message with the role "system", or use /v1/responses.',
      system: 'Send it as a message with the role "system", or use /v1/messages.',
      functions: '"functions" is deprecated; use "tools" and "tool_choice".',
      function_call: '"function_call" is deprecated; use "tools" and "tool_choice".',
    }),
    {
      name: 'documents',
      why: 'Send the documents in "messages": a model is given nothing else.',
      source: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
      isAsked: isFilled,
    },
    {
      name: 'preset',
      why: 'Presets are not kept here: send what the preset says.',
      source: 'https://openrouter.ai/docs/guides/features/presets',
    },
  ],
  responses: [
    ...storedByVendor.map((field) =>
      field.name === 'previous_response_id' || field.name === 'conversation'
        ? {
            ...field,
            why: 'This gateway keeps single items only: send the earlier ones themselves, or references to them, in "input".',
          }
        : field,
    ),
    ...namesOfOtherApis(openai, {
      messages: 'This endpoint takes "input"; for "messages" use /v1/chat/completions.',
      system: 'Send it as "instructions".',
    }),
    {
      name: 'prompt',
      why: 'This gateway keeps no prompt templates: send "instructions" and "input".',
      source: openai,
      isAsked: isNotFalse,
    },
    {
      name: 'background',
      why: 'Answers are not given in the background: ask with "stream": true.',
      source: openai,
      isAsked: isNotFalse,
    },
    {
      name: 'generate',
      why: 'Requests cannot be prepared without an answer here: leave "generate" out.',
      source: openai,
      isAsked: isFalse,
    },
    { ...compaction, source: 'https://developers.openai.com/api/docs/guides/compaction' },
  ],
  messages: [
    ...storedByVendor,
    ...namesOfOtherApis(anthropic, {
      prompt: 'This endpoint takes "messages"; for "prompt" use /chat.',
      input: 'This endpoint takes "messages"; for "input" use /v1/responses.',
      instructions: 'Send it as "system".',
    }),
    {
      name: 'container',
      why: 'No code is run here and no skills are kept. Offer tools of your own and run them yourself.',
      source: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/code-execution-tool',
    },
    {
      name: 'mcp_servers',
      why: 'MCP servers are not called from here. Offer their tools in "tools" and call them yourself.',
      source: 'https://platform.claude.com/docs/en/agents-and-tools/mcp-connector',
      isAsked: isFilled,
    },
    {
      name: 'compaction',
      why: 'Conversations are not compacted here: ask for a summary in words.',
      source: anthropic,
    },
    compaction,
    {
      name: 'fallback_credit_token',
      why: 'Refused answers cannot be gone on from here: ask again without it.',
      source: 'https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback',
    },
  ],
};

/** Throws `unsupported_parameter` for a field that can neither be served nor be left out. */
export function refuseFields(body: JsonObject, api: ChatApi): void {
  for (const { name, why, isAsked, details } of refusedFields[api]) {
    const value = body[name];
    if (value == null || isAsked?.(value) === false) continue;
    throw new AppError('unsupported_parameter', why, { param: shortened(name), ...(details ? { details } : {}) });
  }
}

/** Refuses `function_call` in messages, OpenAI's first form of a tool call. */
export function refuseFunctionCalls(messages: unknown): void {
  for (const [index, message] of asArray(messages).entries()) {
    if (asObject(message).function_call == null) continue;
    throw new AppError('unsupported_parameter', '"function_call" is deprecated; send the call in "tool_calls".', {
      param: `messages[${index}].function_call`,
    });
  }
}

/** No client reads more warnings; one more reports how many there were. */
export const maxWarnings = 20;

/** Adds a warning with the number of warnings that were left out. */
export function capped(warnings: readonly Warning[], found: number): Warning[] {
  const left = found - warnings.length;
  if (left <= 0) return [...warnings];
  const message = `There are ${left} more fields of this kind; they were ignored.`;
  return [...warnings, { code: 'more_warnings', param: null, message }];
}

/** Reads a body by its schema. Throws the contract's 400 codes for the first fault. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw requestError(result.error.issues, body);
}

/** The fields of a body that its API does not have. `null` means nothing. */
export const unknownFields = (body: Record<string, unknown>, shape: Record<string, unknown>): string[] =>
  Object.keys(body).filter((name) => !Object.hasOwn(shape, name) && body[name] != null);

/** Warns about ignored fields by their names. Throws `unknown_parameter` when the client asked for that (wire contract §1.0). */
export function unknownWarnings(
  body: Record<string, unknown>,
  shape: Record<string, unknown>,
  strict: boolean,
): Warning[] {
  const unknown = unknownFields(body, shape);
  if (strict && unknown[0] !== undefined) throw unknownParameter(unknown[0]);
  return capped(unknown.slice(0, maxWarnings).map(ignored), unknown.length);
}

export function unknownParameter(name: string): AppError {
  const param = shortened(name);
  return new AppError('unknown_parameter', `There is no parameter "${param}".`, { param });
}

export function ignored(name: string): Warning {
  const param = shortened(name);
  return { code: 'unknown_parameter', param, message: `There is no parameter "${param}"; it was ignored.` };
}

const references = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/** Refuses schemas that refer to a place outside themselves: a server that resolves the reference would fetch it. */
export function checkReferences({
  tools,
  response_format: format,
}: Pick<CompletionRequest, 'tools' | 'response_format'>): void {
  for (const [index, tool] of (tools ?? []).entries()) {
    checkSchema(tool.function.parameters, `tools[${index}].function.parameters`);
  }
  if (format?.type === 'json_schema') checkSchema(format.json_schema.schema, 'response_format.json_schema.schema');
}

function checkSchema(schema: unknown, param: string): void {
  const left: unknown[] = [schema];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (references.has(key) && typeof inner === 'string' && !inner.startsWith('#')) throw outside(param, key);
      if (inner !== undefined) left.push(inner);
    }
  }
}

const outside = (param: string, key: string) =>
  new AppError('invalid_value', `A "${key}" in "${param}" must stay inside the schema, such as "#/$defs/name".`, {
    param,
  });

const maxModel = 256;
const maxMessages = 2_048;
const messageFields = new Set(['role', 'content']);

/** The fields of a plain request, each with its complete rule. The order of the schema does not matter. */
const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  model: (value) => typeof value === 'string' && value.length >= 1 && value.length <= maxModel,
  stream: (value) => typeof value === 'boolean',
  temperature: (value) => isNumber(value) && value >= 0 && value <= 2,
  top_p: (value) => isNumber(value) && value >= 0 && value <= 1,
  max_tokens: isOutputTokens,
  max_completion_tokens: isOutputTokens,
  messages: (value) =>
    Array.isArray(value) && value.length >= 1 && value.length <= maxMessages && value.every(isPlainMessage),
};

/**
 * Returns the request itself when it is of the commonest kind: text messages and a few scalars. Null for all others, valid or not: the
 * schema decides those. What is accepted here, `completionRequest` accepts with the same value; the property test beside this file compares
 * the two.
 */
export function plainCompletion(body: Record<string, unknown>): CompletionRequest | null {
  if (body.messages === undefined) return null;
  for (const name of Object.keys(body)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check?.(body[name])) return null;
  }
  return body as unknown as CompletionRequest;
}

function isOutputTokens(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= maxOutputTokens;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function isPlainMessage(value: unknown): value is ChatMessage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { role, content } = value as Record<string, unknown>;
  if (typeof content !== 'string') return false;
  if (role !== 'system' && role !== 'user' && role !== 'assistant' && role !== 'developer') return false;
  return Object.keys(value).every((name) => messageFields.has(name));
}

/** Checks what the schema of a chat completion does not: fields that contradict each other. */
export function checkCompletion(request: CompletionRequest): void {
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

/** Checks that each tool result answers an earlier call. */
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
