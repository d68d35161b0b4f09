import type { Token } from 'marked';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { DocumentParser, ParsedDocument } from '../../../markdown/parser/document-parser.ts';

const minMs = 30;
const hiddenMs = 1000;

/**
 * Runs `flush` at most once per frame and for about half of the main thread: after each run it pauses for as long as
 * that took to paint. A hidden window flushes once a second.
 */
function createPacer(flush: () => void): () => void {
  let pending = false;
  let notBefore = 0;
  const channel = new MessageChannel();
  let begun = 0;
  channel.port1.onmessage = () => {
    const now = performance.now();
    notBefore = now + Math.max(minMs - 16, now - begun);
  };

  const run = () => {
    pending = false;
    begun = performance.now();
    flush();
    channel.port2.postMessage(null);
  };
  const atFrame = () => {
    if (performance.now() < notBefore) requestAnimationFrame(atFrame);
    else run();
  };

  return () => {
    if (pending) return;
    pending = true;
    if (document.hidden) setTimeout(run, hiddenMs);
    else requestAnimationFrame(atFrame);
  };
}

/** The rendered state of an answer; immutable, replaced at each flush. */
export interface AnswerView {
  readonly tokens: readonly Token[];
  readonly reasoning: string;
  /** The last block may still grow. */
  readonly live: boolean;
  /** There is text, but none is parsed yet. */
  readonly pending: boolean;
  /** Characters so far, including reasoning. */
  readonly written: number;
}

interface Answer {
  text: string;
  reasoning: string;
  live: boolean;
  /** Created when a reader subscribes. */
  document: ParsedDocument | null;
  /** How many characters of the text were sent to the parser. */
  sentCharacters: number;
  tokens: readonly Token[];
  /** The tokens cover the whole text. */
  whole: boolean;
  view: AnswerView;
  readonly listeners: Set<() => void>;
}

export interface LiveAnswers {
  /** Takes a message from the core. Text that is known is not parsed again. */
  show(message: Message): void;
  /** Like `show`, but ignores messages that were never shown and aren't running. */
  refresh(message: Message): void;
  /** Parses messages that are about to be shown, so they appear in their final state. Waits `limitMs` at most. */
  prepare(messages: readonly Message[], limitMs?: number): Promise<void>;
  /**
   * Appends a chunk at its offset. Returns false if a chunk before it is missing; the answer must then be read again.
   */
  addText(messageId: string, offset: number, text: string): boolean;
  addReasoning(messageId: string, offset: number, text: string): boolean;
  /**
   * The view of a message. Its text is parsed once someone subscribes, so opening a long thread parses only visible
   * messages.
   */
  view(message: Message): AnswerView;
  subscribe(message: Message, listener: () => void): () => void;
}

const maxKept = 400;

/** Holds the answers outside React: chunks are buffered, and each subscriber is notified at most once per frame. */
export function createLiveAnswers(
  parser: DocumentParser,
  pace: (flush: () => void) => () => void = createPacer,
): LiveAnswers {
  const answers = new Map<string, Answer>();
  const changed = new Set<Answer>();
  const flushSoon = pace(() => {
    for (const answer of [...changed]) flush(answer);
  });

  const touch = (answer: Answer) => {
    changed.add(answer);
    flushSoon();
  };

  function flush(answer: Answer): void {
    changed.delete(answer);
    // Without subscribers, the text is parsed later. Blocks that are parsed already stay.
    if (answer.listeners.size > 0) read(answer);
    answer.view = getView(answer);
    for (const listener of answer.listeners) listener();
  }

  /** Sends new text to the parser, which answers asynchronously. */
  function read(answer: Answer): void {
    answer.document ??= open(answer);
    answer.document.append(answer.text.slice(answer.sentCharacters));
    answer.sentCharacters = answer.text.length;
    if (!answer.live) answer.document.finish();
  }

  function open(answer: Answer): ParsedDocument {
    const document = parser.open((tokens, whole) => {
      if (answer.document !== null && answer.document !== document) return;
      Object.assign(answer, { tokens, whole });
      touch(answer);
    });
    return document;
  }

  function add(message: Message): Answer {
    const { text, reasoning } = message;
    const live = message.status === 'streaming';
    const state = { text, reasoning, live, document: null, sentCharacters: 0, tokens: [], whole: false };
    const answer: Answer = { ...state, view: getView(state), listeners: new Set() };
    answers.set(message.id, answer);
    for (const [id, other] of answers) {
      if (answers.size <= maxKept) break;
      if (other.listeners.size > 0 || other.live) continue;
      other.document?.close();
      answers.delete(id);
    }
    return answer;
  }

  /** The old view stays until the new text is parsed. */
  function restart(answer: Answer, text: string): void {
    answer.document?.close();
    Object.assign(answer, { text, document: null, sentCharacters: 0, whole: false });
  }

  function show(message: Message): void {
    const answer = answers.get(message.id) ?? add(message);
    const live = message.status === 'streaming';
    // This copy may be older than the text that has streamed since.
    if (message.text.length > answer.text.length && message.text.startsWith(answer.text) && answer.live) {
      answer.text = message.text;
    } else if (message.text !== answer.text && (!live || !answer.text.startsWith(message.text)))
      restart(answer, message.text);
    else if (live === answer.live && message.reasoning.length <= answer.reasoning.length) return;
    if (message.reasoning.length > answer.reasoning.length || !live) answer.reasoning = message.reasoning;
    if (live && !answer.live) return;
    answer.live = live;
    touch(answer);
  }

  function append(messageId: string, part: 'text' | 'reasoning', offset: number, words: string): boolean {
    const answer = answers.get(messageId);
    if (!answer || offset > answer[part].length) return false;
    const fresh = words.slice(answer[part].length - offset);
    if (fresh === '' || !answer.live) return true;
    answer[part] += fresh;
    touch(answer);
    return true;
  }

  function subscribe(message: Message, listener: () => void): () => void {
    const answer = answers.get(message.id) ?? add(message);
    answer.listeners.add(listener);
    if (isBehind(answer)) read(answer);
    return () => answer.listeners.delete(listener);
  }

  return {
    show,
    refresh(message) {
      if (answers.has(message.id) || message.status === 'streaming') show(message);
    },
    async prepare(messages, limitMs = 100) {
      const limit = new Promise<void>((resolve) => setTimeout(resolve, limitMs));
      const parsed = messages.filter(({ role }) => role === 'assistant').map((message) => firstView(message));
      await Promise.race([Promise.all(parsed), limit]);
    },
    addText: (messageId, offset, text) => append(messageId, 'text', offset, text),
    addReasoning: (messageId, offset, text) => append(messageId, 'reasoning', offset, text),
    view: (message) => (answers.get(message.id) ?? add(message)).view,
    subscribe,
  };

  function firstView(message: Message): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (answers.get(message.id)?.view.pending) return;
        leave();
        resolve();
      };
      const leave = subscribe(message, check);
      check();
    });
  }
}

const isBehind = ({ document, sentCharacters, text, live, whole }: Answer): boolean =>
  document === null || sentCharacters < text.length || (!live && !whole);

const getView = ({ tokens, reasoning, live, whole, text }: Omit<Answer, 'view' | 'listeners'>): AnswerView => ({
  tokens,
  reasoning,
  live: live || !whole,
  pending: tokens.length === 0 && text.trim() !== '',
  written: text.length + reasoning.length,
});
