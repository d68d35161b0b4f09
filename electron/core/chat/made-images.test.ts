import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openGateway } from '#gateway/open-gateway.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { chatEnded } from '../../../tests/support/chat-ended.ts';
import type { TestCore } from '../../../tests/support/core-of-test.ts';
import { coreWithGateway } from '../../../tests/support/core-with-gateway.ts';
import { readThread } from '../../../tests/support/read-thread.ts';
import { testCore } from '../../../tests/support/test-core.ts';
import { keptImages } from './turn.ts';

/** The real gateway runs in this process, with its simulated model that makes images. */
let core: TestCore;
let { client } = {} as typeof core;

beforeAll(async () => {
  core = await coreWithGateway();
  ({ client } = core);
});
afterAll(() => core.close());

const model = 'sandbox/painter';
async function ask(text: string, more: { conversationId?: string; model?: string } = {}) {
  const { conversationId } = await client.chat.send({ messageId: randomUUID(), text, model, ...more });
  const messages = await chatEnded(client, conversationId);
  return { conversationId, answer: messages.at(-1) };
}

test('an image is stored as a file with its answer, and has a line of the bill as in the ledger', async () => {
  const quote = await client.quotes.get({ text: 'The sea.', attachments: [], conversationId: null, model });
  const { conversationId, answer } = await ask('The sea.');
  expect(answer).toMatchObject({
    status: 'done',
    attachments: [{ name: 'image-1.png', kind: 'image', mediaType: 'image/png', tokens: 1_000 }],
    usage: { imageTokens: 1_120 },
  });
  const [image] = answer?.attachments ?? [];
  const { data, totalBytes } = await client.attachments.read({ id: image?.id ?? '', offset: 0 });
  expect(Buffer.from(data, 'base64').subarray(1, 4).toString()).toBe('PNG');
  expect(totalBytes).toBe(image?.bytes);

  await expect
    .poll(async () => (await readThread(client, conversationId)).messages.at(-1)?.bill?.lines)
    .toContainEqual({ kind: 'image', tokens: 1_120, usd: '0.005376' });
  const stored = (await readThread(client, conversationId)).messages.at(-1);
  const sum = stored?.bill?.lines.reduce((all, { usd }) => all + parseUsd(usd), 0n) ?? 0n;
  expect(formatUsd(nanoUsd(sum))).toBe(stored?.costUsd);
  expect(parseUsd(stored?.costUsd ?? '9')).toBeLessThanOrEqual(parseUsd(quote.costUsd?.high ?? '0'));
  expect(quote.parts.map(({ kind }) => kind)).toContain('image');
  const { transactions } = await client.credits.get({ billingAccount: 'sandbox', limit: 10 });
  const charged = transactions.data.find(({ request_id }) => request_id === stored?.requestId)?.amount ?? '0';
  expect(parseUsd(charged)).toBe(-parseUsd(stored?.costUsd ?? '0'));
});

test('the next request includes the image, and its expected cost follows the last bill', async () => {
  const { conversationId } = await ask('The sea.');
  const next = { text: 'Bluer.', attachments: [], conversationId, model };
  const quote = await client.quotes.get(next);
  const { answer } = await ask('Bluer.', { conversationId });
  expect(answer?.text).toContain('one picture');
  const [expected, billed] = [quote.expected?.usd ?? '0', answer?.costUsd ?? '0'].map((usd) => Number(usd));
  expect(Math.abs((expected ?? 0) - (billed ?? 0)) / (billed ?? 1)).toBeLessThan(0.3);
});

test('a model that cannot see images gets a note in place of the image', async () => {
  const { conversationId } = await ask('The sea.');
  const { answer } = await ask('What did you paint?', { conversationId, model: 'sandbox/echo' });
  expect(answer).toMatchObject({ status: 'done', attachments: [], text: 'What did you paint?' });
});

test('images are exported and imported with a chat, and copied with it', async () => {
  const { conversationId, answer } = await ask('The sea.');
  const exported = async (format: 'markdown' | 'html' | 'json') => {
    let text = '';
    for await (const piece of await client.transfer.export({ ids: [conversationId], format })) text += piece.text;
    return text;
  };
  expect(await exported('markdown')).toContain('image-1.png');
  expect(await exported('html')).toMatch(/<figure><img src="data:image\/png;base64,iVBOR/);
  const { id } = await client.transfer.duplicate({ id: conversationId });
  expect((await readThread(client, id)).messages.at(-1)?.attachments).toEqual(answer?.attachments);

  const whole = Buffer.from(await exported('json'));
  const other = await testCore({ openGateway });
  try {
    const { uploadId } = await other.client.transfer.beginImport();
    await other.client.transfer.appendImport({ uploadId, offset: 0, base64: whole.toString('base64') });
    await other.client.transfer.previewImport({ uploadId });
    await other.client.transfer.commitImport({ uploadId, sourceIds: null });
    const { conversations } = await other.client.conversations.list({ view: 'active', limit: 10, cursor: null });
    const messages = (await readThread(other.client, conversations[0]?.id ?? '')).messages;
    expect(messages.at(-1)?.attachments).toEqual(answer?.attachments);
    const image = await other.client.attachments.read({ id: answer?.attachments[0]?.id ?? '', offset: 0 });
    expect(image.totalBytes).toBe(answer?.attachments[0]?.bytes);
  } finally {
    await other.close();
  }
});

test('an image that came only as an address becomes a link in the text, and nothing is stored', async () => {
  const keep = async () => Promise.reject(new Error('nothing is to be kept'));
  const urls = [
    'https://images.example/a.png',
    'http://images.example/b.png',
    'javascript:alert(1)',
    'https://x.example/ y',
  ];
  expect(await keptImages(keep, urls, 0)).toEqual({
    kept: [],
    named: '\n\n![image-1](<https://images.example/a.png>)\n\n',
  });
});
