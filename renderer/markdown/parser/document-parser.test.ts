import fc from 'fast-check';
import type { Token } from 'marked';
import { expect, test, vi } from 'vitest';
import { createDocumentParser, type ParseWorker } from './document-parser.ts';
import { createParsing, lexWhole } from './parse-documents.ts';
import { type ParseMessage, type ParseRequest, ready } from './parse-messages.ts';

interface Stepped {
  pending: ParseRequest[];
  step: () => boolean;
  ready: () => void;
  fail: () => void;
  ended: boolean;
}

/**
 * Creates workers that answer only when stepped and hang on any text with the marker. `started` lists them. With
 * `slow`, they report readiness only when `ready` is called.
 */
function steppedWorkers({ stuckAt = '\u0000never', slow = false } = {}) {
  const started: Stepped[] = [];
  const start = (): ParseWorker => {
    const parse = createParsing();
    const messages: ((event: { data: ParseMessage }) => void)[] = [];
    const errors: (() => void)[] = [];
    const pending: ParseRequest[] = [];
    const worker = {
      pending,
      ended: false,
      step() {
        const [request] = pending;
        if (!request || (request.type === 'append' && request.text.includes(stuckAt))) return false;
        pending.shift();
        for (const data of parse(request)) for (const listener of messages) listener({ data });
        return true;
      },
      ready: () => messages.forEach((listener) => void listener({ data: ready })),
      fail: () => errors.forEach((listener) => void listener()),
    };
    started.push(worker);
    return {
      postMessage: (request) => void pending.push(structuredClone(request)),
      addEventListener(type: 'message' | 'error', listener: never) {
        if (type === 'error') return void errors.push(listener);
        messages.push(listener);
        if (!slow) worker.ready();
      },
      terminate() {
        worker.ended = true;
        pending.length = 0;
      },
    };
  };
  const settle = () => {
    while (started.at(-1)?.step()) {
      // Stops when nothing is left, or when the worker hangs.
    }
  };
  return { start, started, settle };
}

function reader() {
  const seen = { tokens: [] as readonly Token[], whole: false };
  return { seen, listen: (tokens: readonly Token[], whole: boolean) => Object.assign(seen, { tokens, whole }) };
}
const written = (tokens: readonly Token[]) => JSON.stringify(tokens.filter((token) => token.type !== 'space'));

test('documents that grow in parallel, cut and answered at any time, each have the blocks of their whole text', () => {
  const piece = fc.constantFrom(
    '# One\n',
    'words *and* ',
    '\n\n',
    '- item\n',
    '```ts\ncode\n',
    '```\n',
    '| a |\n|---|\n',
  );
  const move = fc.oneof(fc.tuple(fc.nat(2), piece), fc.constant(null));
  fc.assert(
    fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
      const { start, started, settle } = steppedWorkers();
      const parser = createDocumentParser(start);
      const readers = [reader(), reader(), reader()];
      const documents = readers.map(({ listen }) => parser.open(listen));
      const sources = ['', '', ''];
      for (const move of moves) {
        if (!move) started.at(-1)?.step();
        else {
          documents[move[0]]?.append(move[1]);
          sources[move[0]] += move[1];
        }
      }
      for (const document of documents) document.finish();
      settle();
      for (const [index, { seen }] of readers.entries()) {
        expect(seen.whole).toBe(true);
        expect(written(seen.tokens)).toBe(written(lexWhole(sources[index] ?? '')));
      }
    }),
    { numRuns: 300 },
  );
});

test('a text that hangs the worker is shown as plain text, and a new worker continues with the others', () => {
  vi.useFakeTimers();
  const { start, started, settle } = steppedWorkers({ stuckAt: 'BOMB' });
  const parser = createDocumentParser(start, 2_000);
  const [good, bad, late] = [reader(), reader(), reader()];
  const goodDocument = parser.open(good.listen);
  goodDocument.append('*one*');
  settle();
  const badDocument = parser.open(bad.listen);
  badDocument.append('*BOMB*');
  parser.open(late.listen).append('*late*');
  goodDocument.append(' two');
  vi.advanceTimersByTime(1_999);
  expect(started).toHaveLength(1);
  vi.advanceTimersByTime(1);
  vi.useRealTimers();
  expect(started).toHaveLength(2);
  settle();
  expect(started[0]?.ended).toBe(true);
  expect(bad.seen.tokens).toMatchObject([{ type: 'html', text: '*BOMB*' }]);
  expect(good.seen.tokens).toMatchObject([{ type: 'paragraph', raw: '*one* two' }]);
  expect(late.seen.tokens).toMatchObject([{ type: 'paragraph', raw: '*late*' }]);
  badDocument.append(' more');
  badDocument.finish();
  expect(bad.seen).toMatchObject({ tokens: [{ type: 'html', text: '*BOMB* more' }], whole: true });
});

test('a worker that is slow to start gets the time, and no text becomes plain because of it', () => {
  vi.useFakeTimers();
  const { start, started, settle } = steppedWorkers({ slow: true });
  const { seen, listen } = reader();
  const parser = createDocumentParser(start, 2_000);
  parser.warm();
  parser.warm();
  parser.open(listen).append('*one*');
  vi.advanceTimersByTime(10_000);
  expect(started).toHaveLength(1);
  started[0]?.ready();
  vi.advanceTimersByTime(1_999);
  settle();
  vi.advanceTimersByTime(60_000);
  vi.useRealTimers();
  expect(started).toHaveLength(1);
  expect(seen.tokens).toMatchObject([{ type: 'paragraph', raw: '*one*' }]);
});

test('the page parses the texts itself if a worker never starts', async () => {
  vi.useFakeTimers();
  const { start, started } = steppedWorkers({ slow: true });
  const { seen, listen } = reader();
  createDocumentParser(start).open(listen).append('*one*');
  vi.advanceTimersByTime(60_000);
  vi.useRealTimers();
  expect(started).toMatchObject([{ ended: true }]);
  await expect.poll(() => seen.tokens).toMatchObject([{ type: 'paragraph', raw: '*one*' }]);
});

test('the page parses the texts itself without a worker', async () => {
  const { start, started } = steppedWorkers({ slow: true });
  const { seen, listen } = reader();
  const document = createDocumentParser(start).open(listen);
  document.append('*one*');
  started[0]?.fail();
  document.append(' two');
  document.finish();
  expect(started).toHaveLength(1);
  await expect.poll(() => seen).toMatchObject({ tokens: [{ type: 'paragraph', raw: '*one* two' }], whole: true });
});

test('a closed document gets no more blocks', () => {
  const { start, settle } = steppedWorkers();
  const { seen, listen } = reader();
  const document = createDocumentParser(start).open(listen);
  document.append('one');
  document.close();
  settle();
  expect(seen.tokens).toEqual([]);
});
