import type { Token } from 'marked';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { DocumentParser, ParsedDocument } from '../../markdown/parser/document-parser.ts';
import { createPacer } from './pacer.ts';

/** What is drawn of an answer. A new object after each flush, never changed. */
export interface AnswerView {
  readonly tokens: readonly Token[];
  readonly reasoning: string;
  /** Its last block may still grow. */
  readonly live: boolean;
  /** There is text, and none of it is parsed yet. */
  readonly pending: boolean;
  /** How many characters there are, those of its reasoning included. */
  readonly written: number;
}

interface Answer {
  text: string;
  reasoning: string;
  live: boolean;
  /** Opened when somebody looks. */
  document: ParsedDocument | null;
  /** Of the text, what the document has. */
  given: number;
  tokens: readonly Token[];
  /** The tokens are those of the whole text. */
  whole: boolean;
  view: AnswerView;
  readonly listeners: Set<() => void>;
}

export interface LiveAnswers {
  /** Takes a message as the core has it now. What is known already is not parsed again. */
  show(message: Message): void;
  /** The same for a message that need not be kept if nobody has looked at it yet. */
  refresh(message: Message): void;
  /** Has what is about to be seen parsed, so that it appears at once as it will stay. Waits for `limitMs` at most. */
  prepare(messages: readonly Message[], limitMs?: number): Promise<void>;
  /** Adds a piece at its place. False: something before it is missing, read the answer again. */
  addText(messageId: string, offset: number, text: string): boolean;
  addReasoning(messageId: string, offset: number, text: string): boolean;
  /** What is drawn of a message; parsed the first time it is asked for, so that opening a long thread parses what is seen. */
  view(message: Message): AnswerView;
  subscribe(message: Message, listener: () => void): () => void;
}

const mostKept = 400;

/** Answers outside React: pieces join a buffer, and each reader is told at most once per frame. */
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
    // Nobody looks: it is parsed when somebody does. What is parsed already is there for them.
    if (answer.listeners.size > 0) read(answer);
    answer.view = viewOf(answer);
    for (const listener of answer.listeners) listener();
  }

  /** Gives what is new to the parser, which answers by and by. */
  function read(answer: Answer): void {
    answer.document ??= open(answer);
    answer.document.append(answer.text.slice(answer.given));
    answer.given = answer.text.length;
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
    const state = { text, reasoning, live, document: null, given: 0, tokens: [], whole: false };
    const answer: Answer = { ...state, view: viewOf(state), listeners: new Set() };
    answers.set(message.id, answer);
    for (const [id, other] of answers) {
      if (answers.size <= mostKept) break;
      if (other.listeners.size > 0 || other.live) continue;
      other.document?.close();
      answers.delete(id);
    }
    return answer;
  }

  /** What was drawn stays until the new text is parsed. */
  function restart(answer: Answer, text: string): void {
    answer.document?.close();
    Object.assign(answer, { text, document: null, given: 0, whole: false });
  }

  function show(message: Message): void {
    const answer = answers.get(message.id) ?? add(message);
    const live = message.status === 'streaming';
    // A running answer may be known further than this copy of it, which was read before.
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

  function addPiece(messageId: string, part: 'text' | 'reasoning', offset: number, piece: string): boolean {
    const answer = answers.get(messageId);
    if (!answer || offset > answer[part].length) return false;
    const fresh = piece.slice(answer[part].length - offset);
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
    addText: (messageId, offset, text) => addPiece(messageId, 'text', offset, text),
    addReasoning: (messageId, offset, text) => addPiece(messageId, 'reasoning', offset, text),
    view: (message) => (answers.get(message.id) ?? add(message)).view,
    subscribe,
  };

  function firstView(message: Message): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (answers.get(message.id)?.view.pending) return;
        leave();
        resolve();
      };
      const leave = subscribe(message, look);
      look();
    });
  }
}

const isBehind = ({ document, given, text, live, whole }: Answer): boolean =>
  document === null || given < text.length || (!live && !whole);

const viewOf = ({ tokens, reasoning, live, whole, text }: Omit<Answer, 'view' | 'listeners'>): AnswerView => ({
  tokens,
  reasoning,
  live: live || !whole,
  pending: tokens.length === 0 && text.trim() !== '',
  written: text.length + reasoning.length,
});
