import type { Token } from 'marked';
import { withKeptParts } from './block-parts.ts';
import { plainBlocks } from './bounded-blocks.ts';
import { type ParseAnswer, type ParseMessage, type ParseRequest, ready } from './parse-messages.ts';

/**
 * Receives the blocks of a document so far. `whole` means that the document is complete. An unchanged block keeps its
 * identity.
 */
export type BlocksListener = (tokens: readonly Token[], whole: boolean) => void;

/** A Markdown document that is appended to. */
export interface ParsedDocument {
  append(text: string): void;
  /** Marks the document as complete. */
  finish(): void;
  close(): void;
}

export interface DocumentParser {
  open(listener: BlocksListener): ParsedDocument;
  /** Starts the worker, so that the first document doesn't wait for it. */
  warm(): void;
}

export interface ParseWorker {
  postMessage(request: ParseRequest): void;
  addEventListener(type: 'message', listener: (event: { data: ParseMessage }) => void): void;
  addEventListener(type: 'error', listener: () => void): void;
  terminate(): void;
}

interface Document {
  readonly id: number;
  readonly listener: BlocksListener;
  /** The complete text so far, in case the worker has to be replaced. */
  source: string;
  finished: boolean;
  /** How much of it the current worker has received. */
  given: { length: number; finish: boolean };
  tokens: readonly Token[];
  /** True while a request is in the worker’s queue. The next chunk waits for its answer. */
  asked: boolean;
  /** The worker hung on this document, so it is shown as plain text. */
  plain: boolean;
}

/** A document that takes longer is shown as plain text. */
const timeLimitMs = 2_000;
/** A busy machine may take this long to start a worker, which is not the document’s fault. */
const startLimitMs = 20_000;
const nothingGiven = { length: 0, finish: false };

/**
 * Parses documents in a worker, one after another. A document on which the worker hangs is shown as plain text, and a
 * new worker continues with the others. If no worker can be started, the page parses.
 */
export function createDocumentParser(startWorker: () => ParseWorker, limitMs = timeLimitMs): DocumentParser {
  const documents = new Map<number, Document>();
  /** Documents in the worker’s order. The first one is being parsed. */
  let queue: Document[] = [];
  let worker: ParseWorker | null = null;
  /** True once the worker has started. From then on the time limit applies to the document. */
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

  function take({ id, kept, keptParts, tokens, more }: ParseAnswer): void {
    const [document] = queue;
    if (document?.id !== id) return;
    if (!more) queue = queue.slice(1);
    watch();
    const joined = tokens.map((token, index) =>
      index === 0 ? withKeptParts(document.tokens[kept], token, keptParts) : token,
    );
    document.tokens = [...document.tokens.slice(0, kept), ...joined];
    if (documents.has(id)) document.listener(document.tokens, document.given.finish && !more);
    if (more) return;
    document.asked = false;
    if (documents.has(id)) ask(document);
  }

  /**
   * Handles a worker that hangs or has crashed. If it never started, workers are not available. Otherwise the current
   * document stays plain text, and a new worker parses the others again.
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
      showPlain(stuck);
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
      const changed = () => (document.plain ? showPlain(document) : ask(document));
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

const showPlain = ({ listener, source, finished }: Document) => listener(plainBlocks(source), finished);

const isGiven = ({ given, source, finished }: Document): boolean =>
  given.length === source.length && given.finish === finished;

/** Parses without a worker. The code is loaded only then. */
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

/** Without any parser, documents are plain text. */
function answerPlainly() {
  const sources = new Map<number, string>();
  return (request: ParseRequest): ParseAnswer[] => {
    const { id } = request;
    if (request.type === 'forget') return [];
    const source = (sources.get(id) ?? '') + request.text;
    sources.set(id, source);
    return [{ id, kept: 0, keptParts: 0, tokens: plainBlocks(source), more: false }];
  };
}
