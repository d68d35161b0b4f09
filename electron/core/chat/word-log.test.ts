import { randomUUID } from 'node:crypto';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { readThread } from '../../../tests/support/read-thread.ts';
import { readUntil, testCore } from '../../../tests/support/test-core.ts';
import { openWordLog, readWordLog } from './word-log.ts';

function emptyLog() {
  const folder = mkdtempSync(join(tmpdir(), 'portico-words-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'words.log');
}

function failing(): never {
  throw new Error('nothing should be logged');
}

test('the word log restores the full text of several answers, wherever the database was saved last', () => {
  const path = emptyLog();
  const words = fc.record({
    id: fc.constantFrom('a', 'b'),
    text: fc.string({ unit: 'binary' }),
    reasoning: fc.string(),
  });
  fc.assert(
    fc.property(fc.array(words), fc.nat(), (steps, savedAfter) => {
      const log = openWordLog(path, failing);
      const answers = new Map(['a', 'b'].map((id) => [id, { id, text: '', reasoning: '' }]));
      const saved = new Map(answers);
      steps.forEach(({ id, text, reasoning }, step) => {
        const answer = answers.get(id) ?? { id, text: '', reasoning: '' };
        log.add(answer, { text, reasoning });
        answers.set(id, { id, text: answer.text + text, reasoning: answer.reasoning + reasoning });
        if (step === savedAfter % steps.length) for (const [key, now] of answers) saved.set(key, now);
      });
      log.close();
      const getWords = readWordLog(path);
      for (const [id, answer] of answers) expect({ id, ...getWords(saved.get(id) ?? answer) }).toEqual(answer);
    }),
    { numRuns: 50 },
  );
});

test('the word log is emptied when every answer is stored, and not before', () => {
  const path = emptyLog();
  const log = openWordLog(path, failing);
  for (const id of ['a', 'b']) log.add({ id, text: '', reasoning: '' }, { text: id, reasoning: '' });
  log.stored('a');
  expect(readWordLog(path)({ id: 'b', text: '', reasoning: '' }).text).toBe('b');
  log.stored('b');
  expect(readFileSync(path, 'utf8')).toBe('');
  log.close();
});

test.runIf(process.platform === 'linux')('a full disk is logged once, and answers continue', () => {
  const logged: object[] = [];
  const log = openWordLog('/dev/full', (entry) => logged.push(entry));
  for (const text of ['one', 'two']) log.add({ id: 'a', text: '', reasoning: '' }, { text, reasoning: '' });
  log.stored('a');
  log.close();
  expect(logged).toEqual([expect.objectContaining({ event: 'word_log_failed' })]);
});

test('text that a window has shown is restored at the next start, however suddenly the process ended', async () => {
  const core = await testCore();
  onTestFinished(core.close);
  core.gateway.script = async function* ({ signal }) {
    yield '(think) of 🏛️ ';
    yield 'Shown ';
    yield 'at once';
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  };
  const question = { messageId: randomUUID(), text: 'What is a portico?', model: 'openai/gpt' };
  const { conversationId } = await core.client.chat.send(question);
  await readUntil(await core.client.chat.watch({ conversationId }), (seen) => JSON.stringify(seen).includes('at once'));
  const dataFolder = mkdtempSync(join(tmpdir(), 'portico-core-'));
  cpSync(core.dataFolder, dataFolder, { recursive: true });
  appendFileSync(join(dataFolder, 'words.log'), '{"id":"cut off by a power');
  const next = await testCore({ dataFolder, openGateway: async () => core.gateway });
  onTestFinished(next.close);
  const { messages } = await readThread(next.client, conversationId);
  expect(messages[1]).toMatchObject({ text: 'Shown at once', reasoning: '(think) of 🏛️ ', status: 'interrupted' });
});
