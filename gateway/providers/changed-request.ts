import type { ChatMessage } from '#shared/wire/chat-request.ts';
import { closedSchema } from '../content/closed-schema.ts';
import { repairedTurns, type TurnRepair } from '../content/repaired-turns.ts';
import { formatInWords } from './format-in-words.ts';
import type { ProviderRequest } from './provider.ts';

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
export function changedRequest(request: ProviderRequest): ProviderRequest {
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
