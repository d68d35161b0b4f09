import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { TestCore } from './core-of-test.ts';
import { readThread } from './read-thread.ts';

/** The models of a comparison. The last one is simulated. */
export const models = ['openai/mini', 'openai/large', 'sandbox/tour'];
export const question = (more: object = {}) => ({ messageId: randomUUID(), text: 'Which is best?', models, ...more });
export const read = ({ client }: Pick<TestCore, 'client'>, id: string) => readThread(client, id);

/** Waits until this many answers of the comparison have the status. */
export async function columns(
  core: TestCore,
  id: string,
  status: Message['status'],
  count: number,
): Promise<Message[]> {
  const now = async () => (await read(core, id)).columns.filter((column) => column.status === status);
  await expect.poll(async () => (await now()).length).toBe(count);
  return now();
}
