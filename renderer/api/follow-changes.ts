import type { QueryClient } from '@tanstack/react-query';
import type { Topic } from '#shared/contract/app/changes.ts';
import type { Contract } from '#shared/contract/index.ts';
import { useConnection } from '../browser/connection.ts';
import { newChatKey } from '../browser/new-chat-key.ts';
import { type Api, getQueries } from './api.ts';
import { retryDelay, waitMs } from './retry.ts';

/** Areas with cost estimates. They are stale whenever anything they depend on changes. */
const quoted = ['quotes', 'comparisons'] as const;
const money = ['account', 'credits', 'funds', 'usage', 'verification', 'whatIf', 'reconciliation'] as const;
const models = ['models', 'catalogue'] as const;

/**
 * The areas of the contract that each topic makes stale. `account` changes when an answer ends, which changes the spend
 * and the cost of the next message. `messages` changes with the branch, and so does what is sent with the next message.
 */
const staleBy: Readonly<Record<Topic, readonly (keyof Contract)[]>> = {
  account: [...money, ...quoted, 'context', 'caps', 'apiKeys'],
  app: ['app'],
  backups: ['backup', 'ledger'],
  caps: ['caps', 'funds', ...quoted],
  context: ['context', ...money, ...quoted],
  drafts: ['drafts'],
  conversations: ['conversations', 'organise', 'search'],
  gateway: ['gateway', 'gatewayAccounts', 'apiKeys', ...money, ...models, ...quoted],
  messages: ['search', 'context', ...quoted],
  network: ['network'],
  models: [...models, 'account', ...quoted],
  options: ['options', ...quoted],
  payer: [],
  presets: ['presets', 'options'],
  prompts: ['prompts'],
  providers: ['providers', 'account', 'catalogue'],
  queue: ['queue'],
  settings: ['settings', 'account'],
  tools: ['tools', ...quoted],
  updates: ['updates'],
};

/**
 * Areas that belong to another account after this topic. They are dropped at once, so that no figure is shown under the
 * wrong name.
 */
const replacedBy: Partial<Record<Topic, readonly (keyof Contract)[]>> = {
  payer: [...money, ...quoted, ...models, 'gateway', 'apiKeys'],
};

/**
 * Reads the stream of changes and marks queries as stale. After a lost connection all are stale, because changes made
 * meanwhile were not received.
 */
export async function followChanges(api: Api, queries: QueryClient, signal: AbortSignal): Promise<void> {
  const orpc = getQueries(api);
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      const stream = await api.changes.watch({ newChat: newChatKey }, { signal });
      if (attempt > 0) void queries.invalidateQueries();
      attempt = 0;
      useConnection.setState({ lost: false });
      for await (const { topics } of stream) {
        // Each area is invalidated once, however many topics name it.
        const replaced = new Set(topics.flatMap((topic) => replacedBy[topic] ?? []));
        const areas = new Set(topics.flatMap((topic) => staleBy[topic]));
        for (const area of replaced) {
          areas.delete(area);
          void queries.resetQueries({ queryKey: orpc[area].key() });
        }
        for (const area of areas) void queries.invalidateQueries({ queryKey: orpc[area].key() });
      }
    } catch (error) {
      if (signal.aborted) return;
      console.warn('The stream of changes ended', error);
      useConnection.setState({ lost: true });
    }
    await waitMs(retryDelay(attempt), signal);
  }
}
