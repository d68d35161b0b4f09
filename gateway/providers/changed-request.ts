import type { ChatMessage } from '#shared/wire/chat-request.ts';
import type { MaybePromise } from '../runtime/concurrency/awaitable.ts';
import { workerPool } from '../runtime/threads/worker-pool.ts';
import { messagesBody } from './anthropic/anthropic-body.ts';
import { bodyTask } from './body-task.ts';
import { closedSchema } from './content/closed-schema.ts';
import { repairedTurns, type TurnRepair } from './content/repaired-turns.ts';
import { formatInWords } from './format-in-words.ts';
import { generateBody } from './google/google-body.ts';
import { completionBody } from './openai-compatible/completion-body.ts';
import { completionBytes } from './openai-compatible/completion-chunks.ts';
import type { Dialect } from './openai-compatible/dialects.ts';
import { type Extras, responsesBody } from './openai-responses/responses-body.ts';
import { getShare } from './packed-request.ts';
import type { ProviderRequest } from './provider.ts';
import { addressesIn } from './upstream/fetched-files.ts';

/** What a model's facts ask of the long parts of a request. Decided without opening them, done where its body is written. */
export interface LongChanges {
  readonly turns: readonly TurnRepair[];
  /** Said after all other instructions. */
  readonly instructions: readonly string[];
  /** Only this tool is offered, because the model cannot be told to call it. */
  readonly onlyTool: string | null;
  /** The answer's format: its schema closed, or all of it asked for in words. */
  readonly format: 'as_sent' | 'closed' | 'in_words';
  /** Strict tools: their schemas closed, or no longer strict. */
  readonly strictTools: 'as_sent' | 'closed' | 'not_strict';
}

type Parameters = ProviderRequest['parameters'];

/** The request as its model takes it; the same one where nothing is to be changed. */
function changedRequest(request: ProviderRequest): ProviderRequest {
  const { changes } = request;
  if (!changes) return request;
  const words = changes.format === 'in_words' ? formatInWords(request.parameters) : '';
  const messages = changedMessages(request.messages, changes, words);
  return {
    ...request,
    messages,
    messagesJson: messages === request.messages ? (request.messagesJson ?? null) : null,
    parameters: changedParameters(request.parameters, changes),
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
  const at = turns.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  const said = instructions.map((content): ChatMessage => ({ role: 'system', content }));
  return turns.toSpliced(at < 0 ? turns.length : at, 0, ...said);
}

function changedParameters(parameters: Parameters, { onlyTool, format, strictTools }: LongChanges): Parameters {
  const { tools, response_format: asked, ...rest } = parameters;
  const offered = onlyTool === null ? tools : tools?.filter((tool) => tool.function.name === onlyTool);
  const kept = format === 'in_words' ? undefined : format === 'closed' ? closedFormat(asked) : asked;
  return {
    ...rest,
    ...(offered ? { tools: offered.map((tool) => changedTool(tool, strictTools)) } : {}),
    ...(kept ? { response_format: kept } : {}),
  };
}

function closedFormat(format: Parameters['response_format']): Parameters['response_format'] {
  if (format?.type !== 'json_schema' || !format.json_schema.schema) return format;
  const closed = closedSchema(format.json_schema.schema);
  return closed ? { ...format, json_schema: { ...format.json_schema, schema: closed.schema } } : format;
}

type Tool = NonNullable<Parameters['tools']>[number];

function changedTool(tool: Tool, rule: LongChanges['strictTools']): Tool {
  const { function: fn } = tool;
  if (!fn.strict || rule === 'as_sent') return tool;
  const closed = rule === 'closed' && fn.parameters ? closedSchema(fn.parameters) : null;
  if (closed) return { ...tool, function: { ...fn, parameters: closed.schema } };
  return { ...tool, function: { ...fn, strict: undefined } };
}

/** Whose words a request's body is written in. */
export type BodyWriter =
  | { readonly kind: 'completions'; readonly dialect: Dialect }
  | { readonly kind: 'responses'; readonly extras: Extras }
  | { readonly kind: 'messages' }
  | { readonly kind: 'generate' };

/** What an upstream is sent: an object to be written as JSON, or its bytes. */
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

/** What an upstream is sent, with the files that were fetched for it; written on a thread of its own where it is long. */
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

/** The pictures and files that a request names by their address, each with the first place that names it. */
export const getRemoteFiles = ({ packed, messages }: ProviderRequest): ReadonlyMap<string, string> =>
  packed ? packed.remoteFiles : addressesIn(messages);

/** What providers want back with a tool call, as its `extra_content`, by the call's id. */
export type CallState = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** The messages with the state of calls that came back without any; the same ones where there is none. */
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
