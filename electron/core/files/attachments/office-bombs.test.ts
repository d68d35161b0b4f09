import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtThreads } from '../../../../tests/support/built-threads.ts';
import { coreOfTest, type TestCore } from '../../../../tests/support/core-of-test.ts';
import { blockedMs, maxHeld } from '../../../../tests/support/longest-held.ts';
import { memoryTaken } from '../../../../tests/support/memory-taken.ts';
import { largeOffice, readOffice, refusedOffice } from '../../../../tests/support/office-bombs.ts';
import { uploaded } from '../../../../tests/support/uploaded.ts';
import { documentReader } from './document-reader.ts';

async function getText({ client }: TestCore, name: string, bytes: Buffer): Promise<string> {
  const { id } = await uploaded(client, name, bytes);
  const { data } = await client.attachments.read({ id, offset: 0 });
  return Buffer.from(data, 'base64').toString('utf8');
}

test.each(refusedOffice)(
  'an office file that would fill the memory is refused with an explanation: %s',
  async (_name, sentence, make) => {
    const { client } = await coreOfTest();
    const bytes = await make();
    const [taken, held] = [memoryTaken(), maxHeld()];
    await expect(uploaded(client, 'bomb.file', bytes)).rejects.toMatchObject({
      code: 'attachment_refused',
      message: expect.stringMatching(sentence),
    });
    expect(taken()).toBeLessThan(1_000);
    expect(held()).toBeLessThan(blockedMs);
  },
  60_000,
);

test.each(readOffice)(
  'the parts of an office file that are not text take no memory: %s',
  async (_name, text, make) => {
    const core = await coreOfTest();
    const bytes = await make();
    const [taken, held] = [memoryTaken(), maxHeld()];
    expect(await getText(core, 'odd.file', bytes)).toMatch(text);
    expect(taken()).toBeLessThan(800);
    expect(held()).toBeLessThan(blockedMs);
  },
  60_000,
);

test.each(largeOffice)('an ordinary office file of some megabytes is read completely: %s', async (name, last, make) => {
  const { client } = await coreOfTest();
  const bytes = make();
  expect(bytes.length).toBeGreaterThan(5 * 1_048_576);
  const { id, bytes: length } = await uploaded(client, name, bytes);
  const { data } = await client.attachments.read({ id, offset: length - 100 });
  expect(Buffer.from(data, 'base64').toString('utf8').endsWith(last)).toBe(true);
});

test('a file that takes too long is reported as slow, not as large', async () => {
  const reader = documentReader(join(await builtThreads(), 'document-worker.js'), 1);
  const [, , make] = largeOffice[0] ?? [];
  if (!make) throw new Error('there is no large file');
  expect(await reader.office(make(), new AbortController().signal)).toEqual({ fault: 'slow' });
});
