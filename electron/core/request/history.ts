import type { Message, ToolCall } from '#shared/contract/chat/conversations.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { CompletionRequestBody, ContentPart } from '#shared/wire/chat-request.ts';
import type { MessageStore } from '../conversations/message-store.ts';

type Answer = Pick<Message, 'text'> & Partial<Pick<Message, 'toolCalls' | 'finishReason' | 'reasoning'>>;

/** The calls of an answer, if the model completed them. A cut-off answer called nothing. */
export const getCalls = ({ toolCalls = [], finishReason }: Partial<Pick<Message, 'toolCalls' | 'finishReason'>>) =>
  finishReason === 'tool_calls' ? toolCalls : [];

/** The result that the model gets for a call: each call has exactly one, whatever the outcome. */
function getResult({ run }: ToolCall): string {
  switch (run?.state) {
    case 'done':
    case 'failed':
    case 'skipped':
      return run.result || 'The tool answered without words.';
    case 'denied':
      return 'The user did not allow this call. Go on without it.';
    case 'stopped':
      return run.startedAt === null
        ? 'Not run: the answer was stopped before the user had decided.'
        : 'Stopped before it answered. It may have done its work, or not.';
    default:
      return 'Not run.';
  }
}

/**
 * An answer with calls as wire messages, each call followed by its result. `thinking`: with its reasoning, which some
 * providers need while they still work on the same question (wire contract §1.3).
 */
export function withCalls(answer: Answer, thinking: boolean): WireMessage[] {
  const calls = getCalls(answer).map((call, at) => ({ ...call, id: call.id || `call_${at}` }));
  return [
    {
      role: 'assistant',
      content: answer.text === '' ? null : answer.text,
      tool_calls: calls.map(({ id, name, arguments: input, extra }) => ({
        id,
        type: 'function',
        function: { name, arguments: objectIn(input) },
        ...(extra ? { extra_content: extra } : {}),
      })),
      ...(thinking && answer.reasoning ? { reasoning_content: answer.reasoning } : {}),
    },
    ...calls.map((call): WireMessage => ({ role: 'tool', tool_call_id: call.id, content: getResult(call) })),
  ];
}

/** The same as plain text, for a request without tools. */
export function wordsWithCalls(answer: Answer): string {
  const calls = getCalls(answer).map(
    (call) => `[Used the tool ${call.name} with ${call.arguments || '{}'}. It answered:\n${getResult(call)}]`,
  );
  return [...(answer.text.trim() === '' ? [] : [answer.text]), ...calls].join('\n\n');
}

/** Several providers refuse a whole conversation if one call’s arguments are not an object. */
function objectIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? text : '{}';
  } catch {
    return '{}';
  }
}

export type WireMessage = CompletionRequestBody['messages'][number];

/** The wire’s limit (wire contract §1.3): of a longer chat the newest messages are sent. */
export const maxMessages = 2048;
/** Size of all files before base64: the body must stay below the gateway’s 25 MiB (wire contract §7). */
const maxFileBytes = 17 * 1_048_576;
/** Of one file (wire contract §1.5). */
const maxPartBytes = 10 * 1_048_576;

const ended = new Set<Message['status']>(['done', 'cancelled', 'interrupted']);

export type HistoryEntry = Pick<Message, 'id' | 'role' | 'text' | 'attachments' | 'status'> &
  Partial<Pick<Message, 'continues' | 'reasoning' | 'toolCalls' | 'finishReason'>>;

/** Prompt after tool results that are sent as text. */
export const goOnWithResults: WireMessage = { role: 'user', content: 'Go on with your answer, using these results.' };

/** A prompt to continue: several providers refuse a chat that ends with an answer, others begin a new one. */
export const goOn: WireMessage = {
  role: 'user',
  content: 'Your last message was cut off. Continue it exactly where it ends, without repeating any of it.',
};

/**
 * The messages of a branch that are sent. Without empty answers, and without failed ones that are not continued; the
 * parts of an answer are merged, except after tool results. `continues`: the branch ends with an answer to continue.
 */
export function sendable<Entry extends HistoryEntry>(branch: readonly Entry[], continues = false): Entry[] {
  const joined: Entry[] = [];
  branch.forEach((entry, at) => {
    const goesOn = branch[at + 1]?.continues || (continues && at === branch.length - 1);
    if (!ended.has(entry.status) && !(goesOn && entry.status === 'error')) return;
    const last = joined.at(-1);
    if (entry.continues && last?.role === 'assistant' && getCalls(last).length === 0) {
      const { toolCalls, finishReason } = entry;
      const attachments = [...last.attachments, ...entry.attachments];
      joined[joined.length - 1] = { ...last, toolCalls, finishReason, attachments, text: last.text + entry.text };
    } else joined.push(entry);
  });
  return joined.filter(
    (entry) => entry.text.trim() !== '' || entry.attachments.length > 0 || getCalls(entry).length > 0,
  );
}

export interface FilePart {
  readonly part: ContentPart;
  /** Words without a meaning, for tokens that the part is counted too few. Only what is priced has them. */
  readonly padding?: string;
}

/** Converts a file to a content part; null if its bytes are missing. */
export type ToPart = (attachment: Attachment) => Promise<FilePart | null>;

export interface WireOptions {
  readonly reads: (attachment: Attachment) => boolean;
  readonly toPart: ToPart;
  /** Tools are sent; else calls are sent as text, because calls of unknown tools are refused. */
  readonly tools: boolean;
}

/** Wire messages with the files that the model reads and that fit into the request. */
export async function toWire(
  entries: readonly HistoryEntry[],
  { reads, toPart, tools }: WireOptions,
): Promise<WireMessage[]> {
  const carried = fitting(entries, reads);
  const getPart: PartOf = async (entry, at, file) => (carried.has(`${entry.id} ${at}`) ? toPart(file) : null);
  const question = entries.findLastIndex(({ role }) => role === 'user');
  const messages = await Promise.all(
    entries.map(async (entry, index): Promise<WireMessage | WireMessage[]> => {
      if (entry.role === 'assistant') {
        if (tools && getCalls(entry).length > 0) return withCalls(entry, index > question);
        return { role: 'assistant', ...(await answerContent(entry, getPart)) };
      }
      if (entry.attachments.length === 0) return { role: 'user', content: entry.text };
      const files = await Promise.all(
        entry.attachments.map(async (file, at): Promise<FilePart> => {
          const part = await getPart(entry, at, file);
          return part ?? textPart(`[${file.name} was attached here; it is not sent again.]`);
        }),
      );
      const words = files.map(({ padding = '' }) => padding).join('') + (entry.text.trim() === '' ? '' : entry.text);
      const parts = [...files, ...(words === '' ? [] : [textPart(words)])];
      return { role: 'user', content: parts.map(({ part }) => part) };
    }),
  );
  return messages.flat();
}

/** A file of a message as it is sent; null: it is not. */
type PartOf = (entry: HistoryEntry, at: number, file: Attachment) => Promise<FilePart | null>;

/** An answer with the images that the model made, as far as they are sent. */
async function answerContent(entry: HistoryEntry, getPart: PartOf) {
  const content = wordsWithCalls(entry);
  if (entry.attachments.length === 0) return { content };
  const files = await Promise.all(entry.attachments.map((file, at) => getPart(entry, at, file)));
  const images = files.flatMap((file) => (file?.part.type === 'image_url' ? file.part : []));
  const left = files.length - images.length;
  const words = [content, ...(left > 0 ? [`[${left} of your images stood here; not sent again.]`] : [])];
  return {
    content: words.filter((text) => text !== '').join('\n\n'),
    ...(images.length > 0 ? { images } : {}),
  };
}

const textPart = (text: string): FilePart => ({ part: { type: 'text', text } });

/** The files to send: those the model reads, newest first, as many as fit. */
function fitting(entries: readonly HistoryEntry[], reads: (attachment: Attachment) => boolean): Set<string> {
  const carried = new Set<string>();
  let freeBytes = maxFileBytes;
  for (const entry of [...entries].reverse()) {
    for (const [at, file] of entry.attachments.entries()) {
      if (!reads(file) || file.bytes > Math.min(freeBytes, maxPartBytes)) continue;
      freeBytes -= file.bytes;
      carried.add(`${entry.id} ${at}`);
    }
  }
  return carried;
}

/** The user’s message that an answer, with all its parts, replies to. */
export async function getQuestion(messages: Pick<MessageStore, 'above'>, answer: Message): Promise<Message> {
  const above = await messages.above(answer);
  if (!above) throw refusal('not_found', 'answerGone');
  return above.role === 'user' ? above : getQuestion(messages, above);
}
