import type { ChatMessage } from '#shared/wire/chat-request.ts';
import type { MaybePromise } from '../runtime/concurrency/awaitable.ts';
import { workerPool } from '../runtime/threads/worker-pool.ts';
import { messagesBody } from './anthropic/anthropic-body.ts';
import { bodyTask } from './body-task.ts';
import { closedSchema } from './content/closed-schema.ts';
import { hasTopChoice, withoutTopChoice } from './content/function-schema.ts';
import { repairedTurns, type TurnRepair } from './content/repaired-turns.ts';
import { withNames, withToolNames } from './content/tool-names.ts';
import { formatInWords } from './format-in-words.ts';
import { generateBody } from './google/google-body.ts';
import { completionBody } from './openai-compatible/completion-body.ts';
import { completionBytes } from './openai-compatible/completion-chunks.ts';
import type { Dialect } from './openai-compatible/dialects.ts';
import { type Extras, responsesBody } from './openai-responses/responses-body.ts';
import { getShare } from './packed-request.ts';
import type { ProviderRequest } from './provider.ts';
import { addressesIn } from './upstream/fetched-files.ts';

/**
 * Changes to the long parts of a request that its model needs. They are decided by the model's facts without unpacking
 * those parts, and applied where the body is written.
 */
export interface LongChanges {
  readonly turns: readonly TurnRepair[];
  /** Added after all other instructions. */
  readonly instructions: readonly string[];
  /** Name of the only tool that is offered, for a model that can't be forced to call a particular tool. */
  readonly onlyTool: string | null;
  /** How the answer's format is requested: with the schema as sent, with the schema closed, or in words. */
  readonly format: 'as_sent' | 'closed' | 'in_words';
  /** What happens to strict tools: their schemas stay as sent, are closed, or are no longer strict. */
  readonly strictTools: 'as_sent' | 'closed' | 'not_strict';
  /** Whether choices at the top of a tool's schema are merged. */
  readonly mergesTopChoices: boolean;
  /** Names of tools that are sent in place of the client's. */
  readonly toolNames: Readonly<Record<string, string>>;
}

type Parameters = ProviderRequest['parameters'];

/** Applies the request's changes. Returns the same object if there are none. */
function changedRequest(request: ProviderRequest): ProviderRequest {
  const { changes } = request;
  if (!changes) return request;
  const words = changes.format === 'in_words' ? formatInWords(request.parameters) : '';
  const hasNames = Object.keys(changes.toolNames).length > 0;
  const turns = changedMessages(request.messages, changes, words);
  const messages = hasNames ? withNames(turns, changes.toolNames) : turns;
  const parameters = changedParameters(request.parameters, changes);
  return {
    ...request,
    messages,
    messagesJson: messages === request.messages ? (request.messagesJson ?? null) : null,
    parameters: hasNames ? withToolNames(parameters, changes.toolNames) : parameters,
    changes: null,
  };
}

function changedMessages(
  messages: readonly ChatMessage[],
  changes: LongChanges,
  words: string,
): readonly ChatMessage[] {
  const instructions = [...changes.instructions, words].filter(Boolean);
  if (changes.turns.length === 0 && instructions.length === 0) return messages;
  const turns = repairedTurns(messages, changes.turns);
  const index = turns.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  const added = instructions.map((content): ChatMessage => ({ role: 'system', content }));
  return turns.toSpliced(index < 0 ? turns.length : index, 0, ...added);
}

function changedParameters(parameters: Parameters, changes: LongChanges): Parameters {
  const { onlyTool, format } = changes;
  const { tools, response_format: asked, ...rest } = parameters;
  const offered = onlyTool === null ? tools : tools?.filter((tool) => tool.function.name === onlyTool);
  const kept = format === 'in_words' ? undefined : format === 'closed' ? closedFormat(asked) : asked;
  return {
    ...rest,
    ...(offered ? { tools: offered.map((tool) => changedTool(tool, changes)) } : {}),
    ...(kept ? { response_format: kept } : {}),
  };
}

function closedFormat(format: Parameters['response_format']): Parameters['response_format'] {
  if (format?.type !== 'json_schema' || !format.json_schema.schema) return format;
  const closed = closedSchema(format.json_schema.schema);
  return closed ? { ...format, json_schema: { ...format.json_schema, schema: closed.schema } } : format;
}

type Tool = NonNullable<Parameters['tools']>[number];

function changedTool(given: Tool, { strictTools: rule, mergesTopChoices }: LongChanges): Tool {
  const tool = mergesTopChoices && hasTopChoice(given.function.parameters) ? withMergedSchema(given) : given;
  const { function: fn } = tool;
  if (!fn.strict || rule === 'as_sent') return tool;
  const closed = rule === 'closed' && fn.parameters ? closedSchema(fn.parameters) : null;
  if (closed) return { ...tool, function: { ...fn, parameters: closed.schema } };
  return { ...tool, function: { ...fn, strict: undefined } };
}

/** A merged schema lacks what a strict one must have. */
const withMergedSchema = (tool: Tool): Tool => ({
  ...tool,
  function: { ...tool.function, strict: undefined, parameters: withoutTopChoice(tool.function.parameters ?? {}) },
});

/** The API in whose format a request's body is written. */
export type BodyWriter =
  | { readonly kind: 'completions'; readonly dialect: Dialect }
  | { readonly kind: 'responses'; readonly extras: Extras }
  | { readonly kind: 'messages' }
  | { readonly kind: 'generate' };

/** Writes the body of an upstream request: an object still to be written as JSON, or the finished bytes. */
export function writtenBody(given: ProviderRequest, writer: BodyWriter): object | Uint8Array {
  const changed = changedRequest(given);
  const messages = withCallState(changed.messages, changed.recalled);
  const request = messages === changed.messages ? changed : { ...changed, messages };
  switch (writer.kind) {
    case 'completions':
      return completionBytes(request, writer.dialect) ?? completionBody(request, writer.dialect);
    case 'responses':
      return responsesBody(request, writer.extras);
    case 'messages':
      return messagesBody(request);
    case 'generate':
      return generateBody(request);
  }
}

/**
 * Writes the body of an upstream request, with the files that were downloaded for it. A long body is written on a
 * worker thread.
 */
export function upstreamBody(given: ProviderRequest, writer: BodyWriter): MaybePromise<object | Uint8Array> {
  if (!given.packed && !given.fetched) return writtenBody(given, writer);
  const { fetched = null, ...request } = given;
  return workerPool.run(
    bodyTask,
    { request, writer, fetched },
    fetched ? [...fetched.values()].map(({ bytes }) => bytes) : [],
    getShare(request.packed),
  );
}

/** Maps the URL of each picture and file in a request to the first place that names it. */
export const getRemoteFiles = ({ packed, messages }: ProviderRequest): ReadonlyMap<string, string> =>
  packed ? packed.remoteFiles : addressesIn(messages);

/** State that a provider wants back with a tool call, as its `extra_content`, by the call's id. */
export type CallState = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Adds stored state to tool calls that came back without any. Returns the same messages if there is none. */
function withCallState(messages: readonly ChatMessage[], state: CallState | null | undefined): readonly ChatMessage[] {
  if (!state?.size) return messages;
  return messages.map((message) => {
    if (message.role !== 'assistant' || !message.tool_calls) return message;
    const calls = message.tool_calls.map((call) => {
      const known = call.extra_content ? undefined : state.get(call.id);
      return known ? { ...call, extra_content: { ...known } } : call;
    });
    return { ...message, tool_calls: calls };
  });
}
