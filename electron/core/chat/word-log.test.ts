import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openWordLog, readWordLog } from './word-log.ts';

function emptyLog() {
  const folder = mkdtempSync(join(tmpdir(), 'portico-words-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'words.log');
}

test('words are whole again wherever the database was saved last, for each of several answers', () => {
  const path = emptyLog();
  const words = fc.record({
    id: fc.constantFrom('a', 'b'),
    text: fc.string({ unit: 'binary' }),
    reasoning: fc.string(),
  });
  fc.assert(
    fc.property(fc.array(words), fc.nat(), (steps, savedAfter) => {
      const log = openWordLog(path);
      const answers = new Map(['a', 'b'].map((id) => [id, { id, text: '', reasoning: '' }]));
      const saved = new Map(answers);
      steps.forEach(({ id, text, reasoning }, step) => {
        const answer = answers.get(id) ?? { id, text: '', reasoning: '' };
        log.add(answer, { text, reasoning });
        answers.set(id, { id, text: answer.text + text, reasoning: answer.reasoning + reasoning });
        if (step === savedAfter % steps.length) for (const [key, now] of answers) saved.set(key, now);
      });
      log.close();
      const wordsOf = readWordLog(path);
      for (const [id, answer] of answers) expect({ id, ...wordsOf(saved.get(id) ?? answer) }).toEqual(answer);
    }),
    { numRuns: 50 },
  );
});

test('the file is empty when every answer is stored, and not before', () => {
  const path = emptyLog();
  const log = openWordLog(path);
  for (const id of ['a', 'b']) log.add({ id, text: '', reasoning: '' }, { text: id, reasoning: '' });
  log.stored('a');
  expect(readWordLog(path)({ id: 'b', text: '', reasoning: '' }).text).toBe('b');
  log.stored('b');
  expect(readFileSync(path, 'utf8')).toBe('');
  log.close();
});
