import type { Message, ToolCall } from '#shared/contract/chat/conversations.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { CompletionRequestBody, ContentPart } from '#shared/wire/chat-request.ts';
import type { MessageStore } from '../conversations/message-store.ts';

type Answer = Pick<Message, 'text'> & Partial<Pick<Message, 'toolCalls' | 'finishReason' | 'reasoning'>>;

/**
 * Returns the tool calls of an answer if the model completed them. An answer that was cut off has none that may run.
 */
export const getCalls = ({ toolCalls = [], finishReason }: Partial<Pick<Message, 'toolCalls' | 'finishReason'>>) =>
  finishReason === 'tool_calls' ? toolCalls : [];

/** Returns the result that the model gets for a call. Each call needs exactly one, whatever its outcome. */
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
 * Converts an answer with calls to wire messages, with each call's result. `thinking` adds its reasoning, which some
 * providers need while they still work on the same question (wire contract §1.3).
 */
export function withCalls(answer: Answer, thinking: boolean): WireMessage[] {
  const calls = getCalls(answer).map((call, position) => ({ ...call, id: call.id || `call_${position}` }));
  return [
    {
      role: 'assistant',
      content: answer.text === '' ? null : answer.text,
      tool_calls: calls.map(({ id, name, arguments: input, extra }) => ({
        id,
        type: 'function',
        function: { name, arguments: toObjectText(input) },
        ...(extra ? { extra_content: extra } : {}),
      })),
      ...(thinking && answer.reasoning ? { reasoning_content: answer.reasoning } : {}),
    },
    ...calls.map((call): WireMessage => ({ role: 'tool', tool_call_id: call.id, content: getResult(call) })),
  ];
}

/** Converts an answer with calls to plain text, for a request without tools. */
export function wordsWithCalls(answer: Answer): string {
  const calls = getCalls(answer).map(
    (call) => `[Used the tool ${call.name} with ${call.arguments || '{}'}. It answered:\n${getResult(call)}]`,
  );
  return [...(answer.text.trim() === '' ? [] : [answer.text]), ...calls].join('\n\n');
}

/**
 * Returns the arguments if they are a JSON object, else `{}`. Several providers refuse the entire conversation if one
 * call’s arguments are not an object.
 */
function toObjectText(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? text : '{}';
  } catch {
    return '{}';
  }
}

export type WireMessage = CompletionRequestBody['messages'][number];

/** The most messages of a request (wire contract §1.3). Of a longer chat, the newest are sent. */
export const maxMessages = 2048;
/** The total size of all files before base64. The body must stay below the gateway’s 25 MiB (wire contract §7). */
const maxFileBytes = 17 * 1_048_576;
/** The largest file (wire contract §1.5). */
const maxPartBytes = 10 * 1_048_576;

const ended = new Set<Message['status']>(['done', 'cancelled', 'interrupted']);

export type HistoryEntry = Pick<Message, 'id' | 'role' | 'text' | 'attachments' | 'status'> &
  Partial<Pick<Message, 'continues' | 'reasoning' | 'toolCalls' | 'finishReason'>>;

/** Asks the model to continue after tool results that are sent as text. */
export const goOnWithResults: WireMessage = { role: 'user', content: 'Go on with your answer, using these results.' };

/**
 * Asks the model to continue its answer. Without it, several providers refuse a chat that ends with an answer, and
 * others begin a new answer.
 */
export const goOn: WireMessage = {
  role: 'user',
  content: 'Your last message was cut off. Continue it exactly where it ends, without repeating any of it.',
};

/**
 * Returns the messages of a branch that are sent. Empty answers are left out, and so are failed ones that aren't
 * continued. The parts of an answer are merged, except after tool results. With `continues`, the branch ends with an
 * answer to continue.
 */
export function sendable<Entry extends HistoryEntry>(branch: readonly Entry[], continues = false): Entry[] {
  const joined: Entry[] = [];
  branch.forEach((entry, position) => {
    const isContinued = branch[position + 1]?.continues || (continues && position === branch.length - 1);
    if (!ended.has(entry.status) && !(isContinued && entry.status === 'error')) return;
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
  /** Meaningless text for the tokens that the part lacks. Only requests that are priced and not sent have it. */
  readonly padding?: string;
}

/** Converts a file to a content part. Null if its bytes are missing. */
export type ToPart = (attachment: Attachment) => Promise<FilePart | null>;

export interface WireOptions {
  readonly reads: (attachment: Attachment) => boolean;
  readonly toPart: ToPart;
  /**
   * Whether tools are sent. Otherwise calls are sent as text, because gateways refuse calls of tools that aren't in the
   * request.
   */
  readonly tools: boolean;
}

/** Converts messages to wire messages, with the files that the model reads and that fit into the request. */
export async function toWire(
  entries: readonly HistoryEntry[],
  { reads, toPart, tools }: WireOptions,
): Promise<WireMessage[]> {
  const sentFiles = chooseFiles(entries, reads);
  const getPart: GetFilePart = async (entry, position, file) =>
    sentFiles.has(`${entry.id} ${position}`) ? toPart(file) : null;
  const question = entries.findLastIndex(({ role }) => role === 'user');
  const messages = await Promise.all(
    entries.map(async (entry, index): Promise<WireMessage | WireMessage[]> => {
      if (entry.role === 'assistant') {
        if (tools && getCalls(entry).length > 0) return withCalls(entry, index > question);
        return { role: 'assistant', ...(await answerContent(entry, getPart)) };
      }
      if (entry.attachments.length === 0) return { role: 'user', content: entry.text };
      const files = await Promise.all(
        entry.attachments.map(async (file, position): Promise<FilePart> => {
          const part = await getPart(entry, position, file);
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

/** Converts a file of a message. Null if the file isn't sent. */
type GetFilePart = (entry: HistoryEntry, position: number, file: Attachment) => Promise<FilePart | null>;

/** Converts an answer, with those of its images that are sent. */
async function answerContent(entry: HistoryEntry, getPart: GetFilePart) {
  const content = wordsWithCalls(entry);
  if (entry.attachments.length === 0) return { content };
  const files = await Promise.all(entry.attachments.map((file, position) => getPart(entry, position, file)));
  const images = files.flatMap((file) => (file?.part.type === 'image_url' ? file.part : []));
  const omitted = files.length - images.length;
  const words = [content, ...(omitted > 0 ? [`[${omitted} of your images stood here; not sent again.]`] : [])];
  return {
    content: words.filter((text) => text !== '').join('\n\n'),
    ...(images.length > 0 ? { images } : {}),
  };
}

const textPart = (text: string): FilePart => ({ part: { type: 'text', text } });

/** Chooses the files to send: those that the model reads, newest first, as many as fit. */
function chooseFiles(entries: readonly HistoryEntry[], reads: (attachment: Attachment) => boolean): Set<string> {
  const sentFiles = new Set<string>();
  let freeBytes = maxFileBytes;
  for (const entry of [...entries].reverse()) {
    for (const [position, file] of entry.attachments.entries()) {
      if (!reads(file) || file.bytes > Math.min(freeBytes, maxPartBytes)) continue;
      freeBytes -= file.bytes;
      sentFiles.add(`${entry.id} ${position}`);
    }
  }
  return sentFiles;
}

/** Returns the user’s message that an answer, with all its parts, replies to. */
export async function getQuestion(messages: Pick<MessageStore, 'above'>, answer: Message): Promise<Message> {
  const above = await messages.above(answer);
  if (!above) throw refusal('not_found', 'answerGone');
  return above.role === 'user' ? above : getQuestion(messages, above);
}
