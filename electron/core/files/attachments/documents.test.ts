import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { pagePdf } from '../../../../tests/seed/real-files.ts';
import { coreOfTest, type TestCore } from '../../../../tests/support/core-of-test.ts';
import { uploaded } from '../../../../tests/support/uploaded.ts';

/** Test documents that LibreOffice wrote. */
const document = (name: string) =>
  readFile(fileURLToPath(new URL(`../../../../tests/support/documents/${name}`, import.meta.url)));

async function getText({ client }: TestCore, id: string): Promise<string> {
  const { data } = await client.attachments.read({ id, offset: 0 });
  return Buffer.from(data, 'base64').toString('utf8');
}

const report = `# Quarterly report

The **portico** was repaired in March; costs stayed *below* the estimate.

- First arch
- Second arch

| Item | Cost |
| --- | --- |
| Stone | 1,250.00 |
| Lime | 310.50 |

Grüße aus Köln — 柱廊`;
const budget = `## Costs 2026

| Item | Price |
| --- | --- |
| Stone \\| hewn | 104.5 |
| Twice | 209 |

## Plan

| March | Repair |
| --- | --- |`;
const slides = '## Slide 1\n\nWhat a portico is\n\n## Slide 2\n\nColumns carry a roof';

test.each([
  ['report.docx', report],
  ['report.odt', report],
  ['report.rtf', report],
  ['budget.xlsx', budget],
  ['budget.ods', budget],
  ['slides.pptx', slides],
  ['slides.odp', slides],
])('%s is stored as the text that models read', async (name, text) => {
  const core = await coreOfTest();
  const file = await uploaded(core.client, name, await document(name));
  expect(await getText(core, file.id)).toBe(text);
  expect(file).toMatchObject({ name, kind: 'text', mediaType: 'text/markdown', bytes: Buffer.byteLength(text) });
  expect(file.tokens).toBeGreaterThanOrEqual(Math.ceil(file.bytes / 3.5));
});

test.each([
  ['report.doc', async () => document('report.doc'), 'format that is not read. Save it as .docx'],
  ['locked.pdf', async () => document('locked.pdf'), 'protected by a password'],
  ['half.docx', async () => (await document('report.docx')).subarray(0, 4_000), 'is damaged'],
])('%s is refused with advice', async (name, bytes, words) => {
  const { client } = await coreOfTest();
  await expect(uploaded(client, name, await bytes())).rejects.toMatchObject({
    code: 'attachment_refused',
    message: expect.stringMatching(new RegExp(`^${name}.*${words}`)),
  });
});

test('a PDF counts 1,500 tokens per page, and more if its pages are full of text', async () => {
  const { client } = await coreOfTest();
  const line = 'A portico is a porch that leads to the entrance of a building, with a roof over a walkway.';
  const sparse = await uploaded(client, 'sparse.pdf', pagePdf(['One line.']));
  expect(sparse.tokens).toBe(1_500);
  const dense = await uploaded(client, 'dense.pdf', pagePdf(Array.from({ length: 45 }, () => line)));
  const words = Math.ceil((45 * line.length) / 3.5);
  expect(dense.tokens).toBeGreaterThan(1_000 + words * 0.9);
  expect(dense.tokens).toBeLessThan(1_000 + words * 1.1);
  // A provider may be able to read what we can't, so it is counted by its size.
  const odd = await uploaded(client, 'odd.pdf', Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(500_000, 'x')]));
  expect(odd.tokens).toBe(3 * 1_500);
});

test('the core continues other work while a document is read', async () => {
  const { client } = await coreOfTest();
  const reading = uploaded(client, 'report.docx', await document('report.docx'));
  const first = await Promise.race([
    reading.then(() => 'document'),
    client.settings.get().then(() => 'settings'),
    wait(10_000, 'nothing'),
  ]);
  expect(first).toBe('settings');
  await reading;
});
