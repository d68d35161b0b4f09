import { createHash } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import type { ChatMessage, ContentPart, ToolCall } from '#shared/wire/chat-request.ts';
import { unmarked } from '../content/conversation-shape.ts';
import { functionSchema, hasTopChoice } from '../content/function-schema.ts';
import type { PassedName } from '../content/passed-fields.ts';
import { foreignDetails } from '../content/reasoning-details.ts';
import { formatInWords } from '../format-in-words.ts';
import type { ProviderRequest } from '../provider.ts';
import type { Dialect } from './dialects.ts';
import { withoutAddress } from './extra-content.ts';
import { templateTurns } from './template-rules.ts';

type Parameters = ProviderRequest['parameters'];

/** The body of `POST /chat/completions`. */
export function completionBody(request: ProviderRequest, dialect: Dialect): object {
  return {
    ...dialect.always,
    ...openAiFields(request.openaiOnly),
    ...plainParameters(request.parameters, dialect),
    ...responseFormat(request.parameters, dialect),
    ...toolFields(request.parameters, dialect),
    ...effortField(request, dialect),
    model: request.model,
    messages: messagesFor(request, dialect),
    stream: !request.nonStreaming,
    ...(dialect.asksForUsage && !request.nonStreaming ? { stream_options: { include_usage: true } } : {}),
    ...(request.maxTokens === null ? {} : { [dialect.maxTokensField]: request.maxTokens }),
  };
}

const isEmpty = (fields: object): boolean => {
  for (const _ in fields) return false;
  return true;
};

/**
 * Returns the parameters that are sent unchanged: those that have no rule of their own and that this server accepts.
 */
function plainParameters(parameters: Parameters, { refuses, seedField }: Dialect): object {
  if (isEmpty(parameters)) return parameters;
  const {
    response_format: _format,
    tools: _tools,
    tool_choice: _choice,
    reasoning_effort: _effort,
    ...rest
  } = parameters;
  const { parallel_tool_calls: _parallel, seed, ...plain } = rest;
  const kept = Object.fromEntries(Object.entries(plain).filter(([name]) => !refuses.includes(name)));
  return { ...kept, ...(seed === undefined || refuses.includes('seed') ? {} : { [seedField]: seed }) };
}

function messagesFor({ messages, parameters }: ProviderRequest, dialect: Dialect): object[] {
  const words = formatWords(parameters, dialect);
  const asked: readonly ChatMessage[] = words === '' ? messages : [{ role: 'system', content: words }, ...messages];
  return templateTurns(asked, dialect).map((message) =>
    messageFor(dialect.keepsCacheMarks ? message : unmarkedMessage(message), dialect),
  );
}

const unmarkedMessage = (message: ChatMessage) => unmarked(message) as ChatMessage;

function effortField({ parameters, messages }: ProviderRequest, dialect: Dialect): object {
  const effort = parameters.reasoning_effort;
  if (dialect.effort === 'thinking_switch') {
    if (messages.some(lostItsThinking)) return { thinking: { type: 'disabled' } };
    return effort === undefined ? {} : { thinking: { type: effort === 'none' ? 'disabled' : 'enabled' } };
  }
  return effort === undefined || dialect.effort === 'none' ? {} : { reasoning_effort: effort };
}

const lostItsThinking = (message: ChatMessage) =>
  message.role === 'assistant' && Boolean(message.tool_calls?.length) && !message.reasoning_content;

const word = z.string().regex(/^[\w.-]{1,64}$/);
const predictedText = z.union([z.string(), z.array(z.object({ type: z.literal('text'), text: z.string() }))]);

/** OpenAI's further fields by their types. Unknown properties inside them are left out. */
const fields = z
  .object({
    logprobs: z.boolean(),
    top_logprobs: z.int(),
    logit_bias: z.record(z.string(), z.number()),
    prediction: z.object({ type: z.literal('content'), content: predictedText }),
    service_tier: word,
    verbosity: word,
    prompt_cache_key: z.string(),
    safety_identifier: z.string(),
  } satisfies Record<PassedName, z.ZodType>)
  .partial();

/**
 * Checks OpenAI's own fields before its models get them. Each must have its type: at an address of the operator's
 * choice there may be a server that fetches a URL in a field of another shape. Throws `invalid_value`.
 */
export function openAiFields(given: Readonly<Record<string, unknown>>): z.infer<typeof fields> {
  if (isEmpty(given)) return {};
  const result = fields.safeParse(given);
  if (result.success) return result.data;
  const param = String(result.error.issues[0]?.path[0] ?? '');
  throw new AppError('invalid_value', `"${param}" is not what OpenAI takes there.`, { param });
}

/** Converts one message to the server's dialect. */
function messageFor(message: ChatMessage, dialect: Dialect): object {
  switch (message.role) {
    case 'developer':
      return { ...knownFields(message, dialect), role: dialect.knowsDeveloperRole ? 'developer' : 'system' };
    case 'assistant':
      return assistantMessage(message, dialect);
    case 'tool': {
      return { ...knownFields(message, dialect), tool_call_id: idFor(message.tool_call_id, dialect) };
    }
    case 'user':
      return knownFields({ ...message, content: partsFor(message.content, dialect) }, dialect);
    default:
      return knownFields(message, dialect);
  }
}

/** Converts a user's parts for the server. Returns the same list if the server accepts all of them. */
function partsFor(content: string | readonly ContentPart[], dialect: Dialect): string | readonly ContentPart[] {
  if (typeof content === 'string') return content;
  const parts = content.map((part) => partFor(part, dialect));
  return parts.some((part, index) => part !== content[index]) ? parts : content;
}

/** OpenAI mistakes a file without a name for a file that is stored there. */
function partFor(part: ContentPart, { knowsOriginalDetail }: Dialect): ContentPart {
  if (part.type === 'file' && part.file.filename === undefined) {
    return { ...part, file: { ...part.file, filename: 'document.pdf' } };
  }
  if (part.type !== 'image_url' || part.image_url.detail !== 'original' || knowsOriginalDetail) return part;
  return { ...part, image_url: { ...part.image_url, detail: 'high' } };
}

function assistantMessage(message: Extract<ChatMessage, { role: 'assistant' }>, dialect: Dialect): object {
  const { reasoning_content: reasoning, tool_calls: calls } = message;
  return {
    ...knownFields(message, dialect),
    ...(reasoning !== undefined && dialect.givesBack === 'reasoning_content' ? { reasoning_content: reasoning } : {}),
    ...(dialect.givesBack === 'reasoning_details' ? reasoningDetails(message) : {}),
    // OpenAI refuses an empty list, which other servers send with every answer.
    ...(calls?.length ? { tool_calls: calls.map((call) => callFor(call, dialect)) } : {}),
  };
}

/** Fields that were checked when the request was read, and fields that are passed on only if they are texts. */
const readFields = new Set(['role', 'content', 'cache_control']);
const textFields = new Set(['name', 'refusal']);

/**
 * Keeps the known fields of a message, and the boolean switches that some servers have (`prefix`). Any other field that
 * a caller adds is dropped: it could contain a URL that the server fetches.
 */
function knownFields(message: object, { refusesInMessages }: Dialect): object {
  const goesOn = ([name, value]: [string, unknown]) =>
    !refusesInMessages.includes(name) &&
    name !== 'is_error' &&
    (readFields.has(name) || typeof value === 'boolean' || (textFields.has(name) && typeof value === 'string'));
  return Object.fromEntries(Object.entries(message).filter(goesOn));
}

function callFor({ id, type, function: fn, extra_content: extra }: ToolCall, dialect: Dialect): object {
  return {
    id: idFor(id, dialect),
    type,
    function: fn,
    ...(dialect.keepsExtraContent && extra ? { extra_content: withoutAddress(extra) } : {}),
  };
}

/** The details travel as `extra_content.openrouter.reasoning_details` of the calls that the thinking led to. */
function reasoningDetails(message: Extract<ChatMessage, { role: 'assistant' }>): object {
  const details = foreignDetails(message);
  return details.length > 0 ? { reasoning_details: withoutAddress(details) } : {};
}

/**
 * OpenAI refuses longer ids (https://github.com/jin-bo/agentao/pull/321, read 2026-11-22), but other gateways issue
 * them.
 */
const maxId = 64;

function idFor(id: string, { nineCharacterIds }: Dialect): string {
  if (nineCharacterIds) return nineCharacters(id);
  return id.length <= maxId ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/** Maps an id to nine letters and digits, always the same ones. An id that already has this form stays. */
const nineCharacters = (id: string) =>
  /^[a-zA-Z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);

/** Returns the tools and the rules for calling them. */
export function toolFields(parameters: Parameters, dialect: Dialect): object {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = parameters;
  if (!tools) return {};
  const forced = typeof choice === 'object' && dialect.forcesTool !== 'by_name' ? choice.function.name : null;
  const offered = forced === null ? tools : tools.filter((tool) => tool.function.name === forced);
  return {
    tools: (dialect.keepsCacheMarks ? offered : offered.map(unmarked)).map(withProperties),
    ...(choice === undefined ? {} : { tool_choice: choiceFor(choice, dialect) }),
    ...(parallel === undefined || dialect.refuses.includes('parallel_tool_calls')
      ? {}
      : { parallel_tool_calls: parallel }),
  };
}

/** Tools without arguments often list no properties, which OpenAI and others refuse. */
function withProperties(tool: NonNullable<Parameters['tools']>[number]): object {
  const { parameters } = tool.function;
  if (parameters === undefined || hasTopChoice(parameters) || typeof parameters.$ref === 'string') return tool;
  const schema = functionSchema(parameters);
  return schema === parameters ? tool : { ...tool, function: { ...tool.function, parameters: schema } };
}

function choiceFor(choice: NonNullable<Parameters['tool_choice']>, { forcesTool, requiredWord }: Dialect): unknown {
  if (choice === 'required') return requiredWord;
  return typeof choice === 'object' && forcesTool !== 'by_name' ? forcesTool : choice;
}

/**
 * Returns the response format if the server supports it. A schema that it doesn't support becomes plain JSON, if it
 * supports that.
 */
export function responseFormat({ response_format: format }: Parameters, { formats }: Dialect): object {
  if (!format || format.type === 'text') return {};
  if (formats.includes(format.type)) return { response_format: format };
  return formats.includes('json_object') ? { response_format: { type: 'json_object' } } : {};
}

/** Asks in words for a format that the server has no field for. */
function formatWords({ response_format: format }: Parameters, { formats }: Dialect): string {
  return !format || format.type === 'text' || formats.includes(format.type)
    ? ''
    : formatInWords({ response_format: format });
}
