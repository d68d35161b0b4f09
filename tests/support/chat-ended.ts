import { expect } from 'vitest';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { eventually } from './eventually.ts';
import { readThread } from './read-thread.ts';
import type { testCore } from './test-core.ts';

type Client = Awaited<ReturnType<typeof testCore>>['client'];

/** Returns a chat's messages once none of its answers is still running. */
export const chatEnded = (client: Client, id: string): Promise<readonly Message[]> =>
  eventually(async () => {
    const { messages, runningIds } = await readThread(client, id, { limit: 400 });
    expect(runningIds).toEqual([]);
    return messages;
  });
