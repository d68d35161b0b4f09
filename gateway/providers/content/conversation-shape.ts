import { asArray, asObject, asText } from '#shared/json/foreign-json.ts';
import type { CacheMark, ChatMessage, CompletionRequest, ContentPart, ToolCall } from '#shared/wire/chat-request.ts';
import { closedSchema } from './closed-schema.ts';

/** What models differ about in a conversation, without its text: so that a request is fitted without opening its long parts. */
export interface ConversationShape {
  /** Whose turn is the first and the last that says something; null where there are instructions only. */
  readonly first: Turn | null;
  readonly last: Turn | null;
  /** Some turns say nothing. */
  readonly blankTurns: boolean;
  readonly picturesInResults: boolean;
  /** The newest calls that came back without their provider's state, by their ids. */
  readonly unsignedCalls: readonly string[];
  /** The calls whose results it ends with, and the models whose signed thinking came back with them; null where it ends otherwise. */
  readonly lastCalls: { readonly ids: readonly string[]; readonly thinkers: readonly string[] } | null;
  /** The word JSON stands somewhere in it; looked for only where JSON mode is asked for. */
  readonly saysJson: boolean;
  /** What closing the answer's schema changes, by keyword; null where it cannot be closed. */
  readonly schemaChanges: readonly string[] | null;
  /** The same of the strict tools' schemas, all together. */
  readonly toolSchemaChanges: readonly string[] | null;
}

/** In `thinkers`: thinking that does not say whose it is. */
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
    if (saysNothing(message)) blankTurns = true;
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
    saysJson: format?.type === 'json_object' && messages.some((message) => /json/i.test(messageText(message))),
    schemaChanges: format?.type === 'json_schema' ? getChanges(format.json_schema.schema) : nothing,
    toolSchemaChanges: tools ? toolChanges(tools) : nothing,
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

/** Neither a word nor a picture nor a call. The result of a call says something also where it is empty. */
export function saysNothing(message: ChatMessage): boolean {
  const { content, role } = message;
  if (role === 'tool' || (role === 'assistant' && message.tool_calls?.length)) return false;
  if (typeof content === 'string') return !/\S/.test(content);
  return (content ?? []).every((part) => part.type === 'text' && !/\S/.test(part.text));
}

const hasPicture = ({ content }: ChatMessage): boolean =>
  Array.isArray(content) && content.some((part) => part.type === 'image_url');

/** A client that sends some state back sends all of it: in parallel calls only the first one may have any. */
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

/** Whether it ends with results of calls that came back without the thinking of this model before them. */
export const lostThinking = ({ lastCalls: calls }: ConversationShape, model: string): boolean =>
  calls !== null && !calls.thinkers.some((thinker) => thinker === model || thinker === anyThinker);

/** The text of a message, its text parts joined; other parts say nothing here. */
export function messageText(message: Pick<ChatMessage, 'content'>): string {
  const { content } = message;
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The text of the last message from the user, or the empty string. */
export function lastUserText(messages: readonly ChatMessage[]): string {
  const last = messages.findLast((message) => message.role === 'user');
  return last ? messageText(last) : '';
}

/**
 * Marks for a provider's prompt cache: `cache_control` on a message, a content part or a tool says that everything up to
 * there is to be kept. Anthropic wants it said; most others decide by themselves and refuse the field.
 */

type Marked = { readonly cache_control?: CacheMark | null | undefined };
type Tools = CompletionRequest['tools'];

/** All of them, in their order; a request without any costs a look at each message. */
export function getMarks(messages: readonly ChatMessage[], tools: Tools): CacheMark[] {
  const marks: CacheMark[] = [];
  const look = ({ cache_control: mark }: Marked) => {
    if (mark) marks.push(mark);
  };
  tools?.forEach(look);
  for (const message of messages) {
    if (Array.isArray(message.content)) (message.content as readonly ContentPart[]).forEach(look);
    look(message);
  }
  return marks;
}

/** For how long, at the longest, what a request marks is to be kept; null where it marks nothing. */
export function getPromptCache(messages: readonly ChatMessage[], tools: Tools): '5m' | '1h' | null {
  const marks = getMarks(messages, tools);
  if (marks.length === 0) return null;
  return marks.some(({ ttl }) => ttl === '1h') ? '1h' : '5m';
}

/** The mark of a message or of the last of its parts that has one, for providers that mark whole blocks. */
export function getMark(message: Pick<ChatMessage, 'content'> & Marked): CacheMark | null {
  const parts: readonly Marked[] = Array.isArray(message.content) ? message.content : [];
  return message.cache_control ?? parts.findLast(({ cache_control: mark }) => mark)?.cache_control ?? null;
}

/** The same without marks; itself where it has none. */
export function unmarked<T extends Marked & { readonly content?: unknown }>(marked: T): Omit<T, 'cache_control'> {
  const { content } = marked;
  const partsMarked = Array.isArray(content) && content.some((part: object) => 'cache_control' in part);
  if (!partsMarked && !('cache_control' in marked)) return marked;
  const { cache_control: _mark, ...rest } = marked;
  return partsMarked ? { ...rest, content: content.map((part: ContentPart) => unmarked(part)) } : rest;
}
