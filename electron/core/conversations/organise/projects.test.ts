import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { noOptions } from '#shared/contract/chat/options.ts';
import { noProject, type Project } from '#shared/contract/chat/organise.ts';
import { chatEnded } from '../../../../tests/support/chat-ended.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { uploaded } from '../../../../tests/support/uploaded.ts';

/** A PNG of one red pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

async function startProject(change: Partial<Project> = {}) {
  const core = await coreOfTest();
  const { client } = core;
  await client.models.list();
  const { id: folderId } = await client.organise.createFolder({ name: 'Thesis' });
  const notes = await uploaded(core.client, 'notes.txt', Buffer.from('The deadline is in May.'));
  const project = { instructions: 'Answer as a historian.', model: 'openai/mini', attachments: [notes], ...change };
  await client.organise.setProject({ id: folderId, project });
  const send = async (text: string, conversationId: string | null = null, folder: string | null = folderId) => {
    const where = conversationId === null ? { folderId: folder } : { conversationId };
    const sent = await client.chat.send({ messageId: randomUUID(), text, model: 'openai/gpt', ...where });
    await chatEnded(client, sent.conversationId);
    return sent.conversationId;
  };
  /** The messages of the last request, as JSON. */
  const lastRequest = () => JSON.stringify(core.gateway.asked.at(-1)?.messages);
  return { core, client, folderId, notes, project, send, lastRequest };
}

test('a chat is sent its project’s instructions and files from the first message on, until it leaves the folder', async () => {
  const { core, client, folderId, send, lastRequest } = await startProject();
  expect((await client.organise.overview()).folders).toMatchObject([{ id: folderId, isProject: true }]);
  const conversationId = await send('When is it due?');
  const [instructions, question] = core.gateway.asked[0]?.messages ?? [];
  expect(instructions).toEqual({ role: 'system', content: 'Answer as a historian.' });
  expect(JSON.stringify(question)).toContain('The deadline is in May.');
  expect((await client.conversations.list({ folderId })).conversations.map(({ id }) => id)).toEqual([conversationId]);

  await client.options.set({ chat: conversationId, options: { ...noOptions, system: 'Be brief.' } });
  await send('And where?', conversationId);
  expect(core.gateway.asked[1]?.messages.slice(0, 2).map(({ content }) => content)).toEqual([
    ...['Answer as a historian.', 'Be brief.'],
  ]);
  expect(lastRequest().split('The deadline is in May.')).toHaveLength(2);

  await client.organise.change({ ids: [conversationId], change: { folderId: null } });
  await send('And now?', conversationId);
  expect(lastRequest()).not.toContain('historian');
  expect(lastRequest()).not.toContain('The deadline is in May.');
});

test('the quote of a new chat counts what the project adds, and names the files that a model cannot read', async () => {
  const { core, client, folderId, project } = await startProject();
  const ask = { conversationId: null, text: 'When?', attachments: [], model: 'sandbox/tour' };
  const plain = await client.quotes.get(ask);
  const inside = await client.quotes.get({ ...ask, folderId });
  expect(inside.context.usedTokens).toBeGreaterThan(plain.context.usedTokens + 5);
  expect(inside.leftOutFiles).toEqual([]);
  const picture = await uploaded(core.client, 'map.png', png);
  await client.organise.setProject({ id: folderId, project: { ...project, attachments: [picture] } });
  expect((await client.quotes.get({ ...ask, folderId })).leftOutFiles).toEqual(['map.png']);
});

test('undo restores a deleted project completely, and a chat that begins meanwhile is in no folder', async () => {
  const { client, folderId, project, send } = await startProject();
  const { name, project: had } = await client.organise.removeFolder({ id: folderId });
  expect(had).toEqual(project);
  const conversationId = await send('Anyone here?');
  expect((await client.conversations.list({ folderId: 'none' })).conversations).toMatchObject([{ id: conversationId }]);
  await client.organise.createFolder({ name, id: folderId, project: had });
  expect(await client.organise.project({ id: folderId })).toEqual(project);
});

test('a project refuses a file that was never uploaded, and a folder without a project has an empty one', async () => {
  const { client, folderId, project } = await startProject();
  const foreign = {
    id: 'f'.repeat(64),
    name: 'x',
    kind: 'text',
    mediaType: 'text/plain',
    bytes: 1,
    tokens: 1,
  } as const;
  await expect(
    client.organise.setProject({ id: folderId, project: { ...project, attachments: [foreign] } }),
  ).rejects.toMatchObject({ code: 'not_found' });
  expect(await client.organise.project({ id: folderId })).toEqual(project);
  await client.organise.setProject({ id: folderId, project: noProject });
  expect((await client.organise.overview()).folders).toMatchObject([{ isProject: false }]);
  await expect(client.organise.project({ id: 'gone' })).rejects.toMatchObject({ code: 'not_found' });
});
