import { asArray, asObject, asText } from '#shared/json/foreign-json.ts';
import type { CacheMark, ChatMessage, CompletionRequest, ContentPart, ToolCall } from '#shared/wire/chat-request.ts';
import { closedSchema } from './closed-schema.ts';
import { hasTopChoice } from './function-schema.ts';
import { unusualNames } from './tool-names.ts';

/**
 * The properties of a conversation that decide how it's fitted to a model, without its text. With them a request can be
 * fitted without unpacking its long parts.
 */
export interface ConversationShape {
  /**
   * Role of the first turn that has content; null if there are only instructions. `last` is the same for the last turn.
   */
  readonly first: Turn | null;
  readonly last: Turn | null;
  /** Some turns have no content. */
  readonly blankTurns: boolean;
  readonly picturesInResults: boolean;
  /** Ids of the newest tool calls that came back without their provider's state. */
  readonly unsignedCalls: readonly string[];
  /**
   * If the conversation ends with tool results: the ids of their calls, and the models whose signed thinking came back
   * with these calls. Null otherwise.
   */
  readonly lastCalls: { readonly ids: readonly string[]; readonly thinkers: readonly string[] } | null;
  /** The word JSON occurs in the messages. It's only searched for if JSON mode is requested. */
  readonly containsJson: boolean;
  /** Keywords that change when the answer's schema is closed; null if it can't be closed. */
  readonly schemaChanges: readonly string[] | null;
  /** The same for the schemas of all strict tools together. */
  readonly toolSchemaChanges: readonly string[] | null;
  /** Some tools have a schema with a choice at its top. */
  readonly topChoices: boolean;
  /** Names of tools and calls that some vendor refuses. */
  readonly unusualNames: readonly string[];
  /** A user's turn follows directly after tool results. */
  readonly userAfterResults: boolean;
}

/** Stands in `thinkers` for thinking that doesn't name its model. */
const anyThinker = '*';
const maxUnsigned = 256;

type Turn = 'user' | 'assistant' | 'tool';
type Parameters = Partial<Pick<CompletionRequest, 'response_format' | 'tools'>>;

export function conversationShape(messages: readonly ChatMessage[], parameters: Parameters): ConversationShape {
  let first: Turn | null = null;
  let last: Turn | null = null;
  let blankTurns = false;
  let picturesInResults = false;
  const unsigned: string[] = [];
  for (const message of messages) {
    const { role } = message;
    if (role === 'tool') picturesInResults ||= hasPicture(message);
    if (role === 'assistant' && message.tool_calls) unsigned.push(...unsignedIn(message.tool_calls));
    if (hasNoContent(message)) blankTurns = true;
    else if (role !== 'system' && role !== 'developer') {
      first ??= role;
      last = role;
    }
  }
  const { response_format: format, tools } = parameters;
  return {
    first,
    last,
    blankTurns,
    picturesInResults,
    unsignedCalls: unsigned.slice(-maxUnsigned),
    lastCalls: last === 'tool' ? lastCalls(messages) : null,
    containsJson: format?.type === 'json_object' && messages.some((message) => /json/i.test(messageText(message))),
    schemaChanges: format?.type === 'json_schema' ? getChanges(format.json_schema.schema) : nothing,
    toolSchemaChanges: tools ? toolChanges(tools) : nothing,
    topChoices: tools?.some(({ function: fn }) => hasTopChoice(fn.parameters)) ?? false,
    unusualNames: unusualNames(messages, tools),
    userAfterResults: messages.some(({ role }, index) => role === 'user' && messages[index - 1]?.role === 'tool'),
  };
}

const nothing: readonly string[] = [];
const getChanges = (schema: Record<string, unknown> | undefined): readonly string[] | null =>
  schema === undefined ? nothing : (closedSchema(schema)?.changed ?? null);

function toolChanges(tools: NonNullable<Parameters['tools']>): readonly string[] | null {
  const changed = new Set<string>();
  for (const { function: fn } of tools) {
    const changes = fn.strict ? getChanges(fn.parameters) : nothing;
    if (changes === null) return null;
    for (const name of changes) changed.add(name);
  }
  return changed.size === 0 ? nothing : [...changed];
}

/** True if a message has no text, picture or tool call. A tool result counts as content even if it's empty. */
export function hasNoContent(message: ChatMessage): boolean {
  const { content, role } = message;
  if (role === 'tool' || (role === 'assistant' && message.tool_calls?.length)) return false;
  if (typeof content === 'string') return !/\S/.test(content);
  return (content ?? []).every((part) => part.type === 'text' && !/\S/.test(part.text));
}

const hasPicture = ({ content }: ChatMessage): boolean =>
  Array.isArray(content) && content.some((part) => part.type === 'image_url');

/**
 * A client that sends any provider state back sends all of it. Of parallel calls only the first may have state, so one
 * call with state is enough.
 */
const unsignedIn = (calls: readonly ToolCall[]): string[] =>
  calls.some((call) => call.extra_content) ? [] : calls.map(({ id }) => id);

function lastCalls(messages: readonly ChatMessage[]): ConversationShape['lastCalls'] {
  const message = messages.findLast(({ role }) => role === 'assistant');
  const calls = message?.role === 'assistant' ? (message.tool_calls ?? []) : [];
  const thinkers = calls.flatMap((call) => {
    const { thinking, model } = asObject(asObject(call.extra_content).anthropic);
    return asArray(thinking).length > 0 ? [asText(model) ?? anyThinker] : [];
  });
  return { ids: calls.slice(-maxUnsigned).map(({ id }) => id), thinkers };
}

/** True if the conversation ends with results of calls that came back without this model's thinking. */
export const lostThinking = ({ lastCalls: calls }: ConversationShape, model: string): boolean =>
  calls !== null && !calls.thinkers.some((thinker) => thinker === model || thinker === anyThinker);

/** Joins the text parts of a message; other parts are skipped. */
export function messageText(message: Pick<ChatMessage, 'content'>): string {
  const { content } = message;
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Returns the text of the last user message, or the empty string. */
export function lastUserText(messages: readonly ChatMessage[]): string {
  const last = messages.findLast((message) => message.role === 'user');
  return last ? messageText(last) : '';
}

/**
 * Marks for a provider's prompt cache: `cache_control` on a message, a content part or a tool asks the provider to
 * cache everything up to there. Anthropic needs these marks. Most others cache automatically and refuse the field.
 */

type Marked = { readonly cache_control?: CacheMark | null | undefined };
type Tools = CompletionRequest['tools'];

/** Returns the cache marks of the tools and then of the messages, in order. */
export function getMarks(messages: readonly ChatMessage[], tools: Tools): CacheMark[] {
  const marks: CacheMark[] = [];
  const collect = ({ cache_control: mark }: Marked) => {
    if (mark) marks.push(mark);
  };
  tools?.forEach(collect);
  for (const message of messages) {
    if (Array.isArray(message.content)) (message.content as readonly ContentPart[]).forEach(collect);
    collect(message);
  }
  return marks;
}

/** Returns the longest time for which a request asks to be cached; null if it has no marks. */
export function getPromptCache(messages: readonly ChatMessage[], tools: Tools): '5m' | '1h' | null {
  const marks = getMarks(messages, tools);
  if (marks.length === 0) return null;
  return marks.some(({ ttl }) => ttl === '1h') ? '1h' : '5m';
}

/** Returns the cache mark of a message, or of its last part that has one. It's for providers that mark whole blocks. */
export function getMark(message: Pick<ChatMessage, 'content'> & Marked): CacheMark | null {
  const parts: readonly Marked[] = Array.isArray(message.content) ? message.content : [];
  return message.cache_control ?? parts.findLast(({ cache_control: mark }) => mark)?.cache_control ?? null;
}

/** Removes the cache marks. Returns the same object if it has none. */
export function unmarked<T extends Marked & { readonly content?: unknown }>(marked: T): Omit<T, 'cache_control'> {
  const { content } = marked;
  const partsMarked = Array.isArray(content) && content.some((part: object) => 'cache_control' in part);
  if (!partsMarked && !('cache_control' in marked)) return marked;
  const { cache_control: _mark, ...rest } = marked;
  return partsMarked ? { ...rest, content: content.map((part: ContentPart) => unmarked(part)) } : rest;
}
