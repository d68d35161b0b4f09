import type { Token } from 'marked';
import type { Message } from '#shared/contract/conversations.ts';
import { type Blocks, createBlocks } from './markdown/blocks.ts';
import { createPacer } from './pacer.ts';

/** What is drawn of an answer. A new object after each flush, never changed. */
export interface AnswerView {
  readonly tokens: readonly Token[];
  readonly reasoning: string;
  readonly live: boolean;
}

interface Answer {
  blocks: Blocks;
  waiting: string;
  length: number;
  reasoning: string;
  live: boolean;
  view: AnswerView;
  readonly listeners: Set<() => void>;
}

export interface LiveAnswers {
  /** Takes a message as the core has it now. What is known already is not parsed again. */
  show(message: Message): void;
  /** The same for a message that need not be kept if nobody has looked at it yet. */
  refresh(message: Message): void;
  /** Adds a piece at its place. False: something before it is missing, read the answer again. */
  addText(messageId: string, offset: number, text: string): boolean;
  addReasoning(messageId: string, offset: number, text: string): boolean;
  /** What is drawn of a message; parsed the first time it is asked for, so that opening a long thread parses what is seen. */
  view(message: Message): AnswerView;
  subscribe(message: Message, listener: () => void): () => void;
}

const nothing: AnswerView = { tokens: [], reasoning: '', live: false };
const mostKept = 400;

/** Answers outside React: pieces join a buffer, and each reader is told at most once per frame. */
export function createLiveAnswers(pace: (flush: () => void) => () => void = createPacer): LiveAnswers {
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
    if (answer.listeners.size === 0) {
      // Nobody looks: it is parsed when somebody does.
      answer.view = nothing;
      return;
    }
    parse(answer);
    for (const listener of answer.listeners) listener();
  }

  function parse(answer: Answer): void {
    answer.blocks.append(answer.waiting);
    answer.waiting = '';
    if (!answer.live) answer.blocks.finish();
    answer.view = { tokens: answer.blocks.tokens, reasoning: answer.reasoning, live: answer.live };
  }

  function add(message: Message): Answer {
    const answer: Answer = {
      blocks: createBlocks(),
      waiting: message.text,
      length: message.text.length,
      reasoning: message.reasoning,
      live: message.status === 'streaming',
      view: nothing,
      listeners: new Set(),
    };
    answers.set(message.id, answer);
    for (const [id, { listeners, live }] of answers) {
      if (answers.size <= mostKept) break;
      if (listeners.size === 0 && !live) answers.delete(id);
    }
    return answer;
  }

  function restart(message: Message, answer: Answer): void {
    answer.blocks = createBlocks();
    answer.waiting = message.text;
    answer.length = message.text.length;
  }

  function show(message: Message): void {
    const answer = answers.get(message.id) ?? add(message);
    const live = message.status === 'streaming';
    const written = answer.blocks.source + answer.waiting;
    // A running answer may be known further than this copy of it, which was read before.
    if (message.text.length > answer.length && message.text.startsWith(written) && answer.live) {
      answer.waiting += message.text.slice(answer.length);
      answer.length = message.text.length;
    } else if (message.text !== written && (!live || !written.startsWith(message.text))) restart(message, answer);
    else if (live === answer.live && message.reasoning.length <= answer.reasoning.length) return;
    if (message.reasoning.length > answer.reasoning.length || !live) answer.reasoning = message.reasoning;
    if (live && !answer.live) return;
    answer.live = live;
    if (live) touch(answer);
    else flush(answer);
  }

  return {
    show,
    refresh(message) {
      if (answers.has(message.id) || message.status === 'streaming') show(message);
    },
    addText(messageId, offset, text) {
      const answer = answers.get(messageId);
      if (!answer || offset > answer.length) return false;
      const fresh = text.slice(answer.length - offset);
      if (fresh === '' || !answer.live) return true;
      answer.waiting += fresh;
      answer.length += fresh.length;
      touch(answer);
      return true;
    },
    addReasoning(messageId, offset, text) {
      const answer = answers.get(messageId);
      if (!answer || offset > answer.reasoning.length) return false;
      const fresh = text.slice(answer.reasoning.length - offset);
      if (fresh === '' || !answer.live) return true;
      answer.reasoning += fresh;
      touch(answer);
      return true;
    },
    view(message) {
      const answer = answers.get(message.id) ?? add(message);
      if (answer.view === nothing) parse(answer);
      return answer.view;
    },
    subscribe(message, listener) {
      const answer = answers.get(message.id) ?? add(message);
      answer.listeners.add(listener);
      return () => answer.listeners.delete(listener);
    },
  };
}
