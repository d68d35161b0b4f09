import type { ContractRouterClient } from '@orpc/contract';
import type { ConversationTotal } from '#shared/contract/common/bills.ts';
import type { Contract } from '#shared/contract/index.ts';

type Client = Pick<ContractRouterClient<Contract>, 'chat'>;

/** Returns a conversation as a window receives it when it starts to watch. Rejects if there is none. */
export async function readThread(
  client: Client,
  id: string,
  how: { at?: 'end' | 'scroll_position'; limit?: number } = {},
) {
  for await (const event of await client.chat.watch({ conversationId: id, ...how })) {
    if (event.type === 'snapshot') return { ...event, runningIds: event.answers.map((answer) => answer.id) };
  }
  throw new Error('the stream has ended before its snapshot');
}

/** Returns the conversation's total cost. */
export const readTotal = async (client: Client, id: string): Promise<ConversationTotal> =>
  (await readThread(client, id)).total;
