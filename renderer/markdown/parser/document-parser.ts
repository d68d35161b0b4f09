import type { Token } from 'marked';
import { plainBlocks } from './bounded-blocks.ts';
import { type ParseAnswer, type ParseMessage, type ParseRequest, ready } from './parse-messages.ts';

/** The blocks of a document so far; `whole`: of all of it. A block that did not change keeps its identity. */
export type BlocksListener = (tokens: readonly Token[], whole: boolean) => void;

/** A Markdown text that grows. */
export interface ParsedDocument {
  append(text: string): void;
  /** Nothing more will come. */
  finish(): void;
  /** Its blocks are no longer wanted. */
  close(): void;
}

export interface DocumentParser {
  open(listener: BlocksListener): ParsedDocument;
  /** Starts what parses, so that the first document does not wait for it. */
  warm(): void;
}

/** What is used of a `Worker`. */
export interface ParseWorker {
  postMessage(request: ParseRequest): void;
  addEventListener(type: 'message', listener: (event: { data: ParseMessage }) => void): void;
  addEventListener(type: 'error', listener: () => void): void;
  terminate(): void;
}

interface Document {
  readonly id: number;
  readonly listener: BlocksListener;
  /** All of the text, for the day on which a worker has to be replaced. */
  source: string;
  finished: boolean;
  /** What the present worker was given of both. */
  given: { length: number; finish: boolean };
  tokens: readonly Token[];
  /** The worker has it in its queue; the next piece waits for that. */
  asked: boolean;
  /** The worker was stuck on it. */
  plain: boolean;
}

/** A text that takes longer is not worth its parsing: it is shown as it stands. */
const timeLimitMs = 2_000;
/** A machine that is busy may take so long to start a worker, which is no text's fault. */
const startLimitMs = 20_000;
const nothingGiven = { length: 0, finish: false };

/**
 * Parses in a worker that takes documents one after another. A text on which it stays longer than the limit is shown
 * plain, and a new worker goes on with the others. Where no worker can be had, the page parses itself.
 */
export function createDocumentParser(startWorker: () => ParseWorker, limitMs = timeLimitMs): DocumentParser {
  const documents = new Map<number, Document>();
  /** In the order in which the worker takes them: the first is the one it is at. */
  let queue: Document[] = [];
  let worker: ParseWorker | null = null;
  /** The worker has started: how long it takes is the text's doing. */
  let started = false;
  let start = startWorker;
  let lastId = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const watch = () => {
    clearTimeout(timer);
    if (queue.length > 0) timer = setTimeout(giveUp, started ? limitMs : startLimitMs);
  };

  function begin(): ParseWorker {
    const begun = start();
    worker = begun;
    started = false;
    begun.addEventListener('message', ({ data }) => {
      if (begun !== worker) return;
      if (data !== ready) return take(data);
      started = true;
      watch();
    });
    begun.addEventListener('error', () => {
      if (begun === worker) giveUp();
    });
    return begun;
  }

  function ask(document: Document): void {
    if (document.asked || isGiven(document)) return;
    const to = worker ?? begin();
    document.asked = true;
    const text = document.source.slice(document.given.length);
    document.given = { length: document.source.length, finish: document.finished };
    queue.push(document);
    if (queue.length === 1) watch();
    to.postMessage({ type: 'append', id: document.id, text, finish: document.finished });
  }

  function take({ id, kept, tokens, more }: ParseAnswer): void {
    const [document] = queue;
    if (document?.id !== id) return;
    if (!more) queue = queue.slice(1);
    watch();
    document.tokens = [...document.tokens.slice(0, kept), ...tokens];
    if (documents.has(id)) document.listener(document.tokens, document.given.finish && !more);
    if (more) return;
    document.asked = false;
    if (documents.has(id)) ask(document);
  }

  /**
   * The worker is stuck or gone. One that never started cannot be had at all. Another one stumbled over the text that it was
   * at, which stays plain for good; the others begin again with a new worker.
   */
  function giveUp(): void {
    const [stuck] = queue;
    const blame = started;
    if (!started) start = parseInPage;
    worker?.terminate();
    worker = null;
    queue = [];
    watch();
    if (stuck && blame) {
      stuck.plain = true;
      tellPlain(stuck);
    }
    for (const document of documents.values()) restart(document);
  }

  function restart(document: Document): void {
    const done = document.plain || (document.finished && !document.asked && isGiven(document));
    document.asked = false;
    if (done) return;
    document.given = nothingGiven;
    document.tokens = [];
    ask(document);
  }

  return {
    warm() {
      worker ??= begin();
    },
    open(listener) {
      const id = ++lastId;
      const given = nothingGiven;
      const document = { id, listener, source: '', finished: false, given, tokens: [], asked: false, plain: false };
      documents.set(id, document);
      const changed = () => (document.plain ? tellPlain(document) : ask(document));
      return {
        append(text) {
          if (document.finished || text === '') return;
          document.source += text;
          changed();
        },
        finish() {
          if (document.finished) return;
          document.finished = true;
          changed();
        },
        close() {
          documents.delete(id);
          document.finished = true;
          worker?.postMessage({ type: 'forget', id });
        },
      };
    },
  };
}

const tellPlain = ({ listener, source, finished }: Document) => listener(plainBlocks(source), finished);

const isGiven = ({ given, source, finished }: Document): boolean =>
  given.length === source.length && given.finish === finished;

/** The same work without a worker, by code that is only loaded for it. */
function parseInPage(): ParseWorker {
  const loading = import('./parse-documents.ts').then(({ createParsing }) => createParsing(), answerPlainly);
  const listeners: ((event: { data: ParseAnswer }) => void)[] = [];
  return {
    postMessage(request) {
      void loading.then((answer) => {
        for (const data of answer(request)) for (const listener of listeners) listener({ data });
      });
    },
    addEventListener(type: string, listener: (event: { data: ParseMessage }) => void) {
      if (type === 'message') listeners.push(listener);
    },
    terminate() {},
  };
}

/** Where nothing that parses can be had, a text is shown as it stands. */
function answerPlainly() {
  const sources = new Map<number, string>();
  return (request: ParseRequest): ParseAnswer[] => {
    const { id } = request;
    if (request.type === 'forget') return [];
    const source = (sources.get(id) ?? '') + request.text;
    sources.set(id, source);
    return [{ id, kept: 0, tokens: plainBlocks(source), more: false }];
  };
}
