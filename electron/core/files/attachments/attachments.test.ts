import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attachmentLimits } from '#shared/contract/common/limits.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { testCore } from '../../../../tests/support/test-core.ts';
import { uploaded } from '../../../../tests/support/uploaded.ts';

const files = (folder: string) =>
  readdirSync(join(folder, 'attachments'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

test('a file is stored once by its bytes, read back completely, and its type is detected from the bytes', async () => {
  const core = await coreOfTest();
  const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(700_000, 'x')]);
  const first = await uploaded(core.client, '../secret/letter.txt', bytes);
  const second = await uploaded(core.client, 'copy.pdf', bytes);
  expect(first).toMatchObject({ name: 'letter.txt', kind: 'pdf', mediaType: 'application/pdf', bytes: bytes.length });
  expect(second.id).toBe(first.id);
  expect(files(core.dataFolder)).toHaveLength(1);
  const chunks: Buffer[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const { data } = await core.client.attachments.read({ id: first.id, offset });
    const chunk = Buffer.from(data, 'base64');
    chunks.push(chunk);
    offset += chunk.length;
  }
  expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
});

test.each([
  ['archive.zip', Buffer.from('504b03040a00000000', 'hex'), 'is a ZIP file'],
  ['cut off.DOCX', Buffer.from('504b03040a00000000', 'hex'), 'damaged'],
  ['photo.png', Buffer.from([0, 1, 2, 3, 0xff]), 'is a binary file'],
  ['scan.tiff', Buffer.concat([Buffer.from('49492a0008000000', 'hex'), Buffer.alloc(64)]), 'image'],
  ['huge.txt', Buffer.alloc(attachmentLimits.textBytes + 1, 'x'), 'too large'],
])('%s is refused with an explanation', async (name, bytes, words) => {
  const core = await coreOfTest();
  await expect(uploaded(core.client, name, bytes)).rejects.toMatchObject({
    code: 'attachment_refused',
    message: expect.stringContaining(words),
  });
});

test('something else in the place of the folder is named, at the start and when a file is attached', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'portico-'));
  const path = join(dataFolder, 'attachments');
  writeFileSync(path, '');
  const { client, core } = await coreOfTest({ dataFolder });
  expect(core.notices).toMatchObject([{ refusal: { name: 'attachmentsNotKept', values: { path } } }]);
  const refused = await uploaded(client, 'a.txt', Buffer.from('a')).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'data_folder_unavailable',
    message: expect.stringContaining(`${path} is not a folder`),
  });
  rmSync(path);
  expect(await uploaded(client, 'a.txt', Buffer.from('a'))).toMatchObject({ name: 'a.txt' });
});

test('attachments that exceed the limit of a message are refused before they are read', async () => {
  const { client } = await coreOfTest();
  const { mediaType, kind, ...file } = await uploaded(client, 'a.txt', Buffer.from('a'));
  const attachments = [{ ...file, kind, mediaType, bytes: attachmentLimits.bytesPerMessage + 1 }];
  const sent = client.chat.send({ messageId: randomUUID(), text: 'Hi', model: 'openai/gpt', attachments });
  await expect(sent).rejects.toMatchObject({ code: 'attachment_refused' });
  const chunk = { uploadId: 'u', name: 'a.txt', offset: 0, totalBytes: 2 ** 40, data: 'YQ==' };
  await expect(client.attachments.upload(chunk)).rejects.toMatchObject({ code: 'attachment_refused' });
});

test('a chunk out of order ends the upload', async () => {
  const { client } = await coreOfTest();
  const chunk = { uploadId: 'u', name: 'a.txt', totalBytes: 4, data: Buffer.from('ab').toString('base64') };
  await client.attachments.upload({ ...chunk, offset: 0 });
  await expect(client.attachments.upload({ ...chunk, offset: 3 })).rejects.toMatchObject({ code: 'invalid_input' });
});

test('a file that was unreferenced for a day is removed at the next start, and one in a draft stays', async () => {
  const day = 86_400_000;
  let time = Date.now();
  const first = await testCore({ now: () => time });
  const kept = await uploaded(first.client, 'kept.txt', Buffer.from('kept'));
  await uploaded(first.client, 'lost.txt', Buffer.from('lost'));
  await first.client.drafts.put({ chat: 'new', draft: { text: '', attachments: [kept], model: null } });
  await first.core.close();
  time += day + 1;
  const second = await coreOfTest({ now: () => time, dataFolder: first.dataFolder });
  await expect.poll(() => files(second.dataFolder).map((entry) => entry.name)).toEqual([kept.id]);
});

test('a file uploaded while a start removes unreferenced files stays, even if it is one of them', async () => {
  const day = 86_400_000;
  let time = Date.now();
  const first = await testCore({ now: () => time });
  const upload = ({ client }: typeof first, n: number) => uploaded(client, `${n}.txt`, Buffer.from(`file ${n}`));
  await Promise.all(Array.from({ length: 40 }, (_, n) => upload(first, n)));
  await first.core.close();
  time += day + 1;
  const second = await testCore({ now: () => time, dataFolder: first.dataFolder });
  const kept = await Promise.all(Array.from({ length: 80 }, (_, n) => upload(second, n)));
  await second.core.close();
  expect(
    files(second.dataFolder)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(kept.map(({ id }) => id).toSorted());
});

test('only uploaded files can be sent', async () => {
  const { client } = await coreOfTest();
  const file = {
    id: 'a'.repeat(64),
    name: 'x.txt',
    kind: 'text',
    mediaType: 'text/plain',
    bytes: 1,
    tokens: 1,
  } as const;
  const sent = client.chat.send({ messageId: randomUUID(), text: 'Hi', model: 'openai/gpt', attachments: [file] });
  await expect(sent).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('Attach it again') });
});
