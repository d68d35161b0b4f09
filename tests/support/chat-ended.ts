import { expect } from 'vitest';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { eventually } from './eventually.ts';
import { readThread } from './read-thread.ts';
import type { testCore } from './test-core.ts';

type Client = Awaited<ReturnType<typeof testCore>>['client'];

/** A chat's messages, once nothing of it is being answered any more. */
export const chatEnded = (client: Client, id: string): Promise<readonly Message[]> =>
  eventually(async () => {
    const { messages, runningIds } = await readThread(client, id, { limit: 400 });
    expect(runningIds).toEqual([]);
    return messages;
  });
