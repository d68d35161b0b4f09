import type { QueryClient } from '@tanstack/react-query';
import { create } from 'zustand';
import type { Topic } from '#shared/contract/changes.ts';
import type { Api } from './api.ts';
import { retryDelay, waitMs } from './retry.ts';

/** Whether the core answers. The shell says so when it does not. */
export const useConnection = create<{ lost: boolean }>()(() => ({ lost: false }));

/** What else is old when a topic changes: money moves with the account and with each message, a quote with all of it. */
const further: Partial<Record<Topic, readonly string[]>> = {
  messages: ['money', 'quote', 'context', 'caps'],
  account: ['money', 'quote'],
  gateway: ['money', 'models', 'quote'],
  models: ['quote'],
  options: ['quote'],
  tools: ['quote'],
  caps: ['quote'],
  context: ['quote', 'money'],
  presets: ['options'],
};

/** A topic is the first part of every key read from it. */
const keysOf = (topic: Topic): string[][] => [[topic], ...(further[topic] ?? []).map((name) => [name])];

/**
 * Holds the one stream that says what has changed and marks what was read from it as old. After a loss everything is
 * old: what changed meanwhile was said to nobody.
 */
export async function followChanges(api: Api, queries: QueryClient, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      const stream = await api.changes.watch(undefined, { signal });
      if (attempt > 0) void queries.invalidateQueries();
      attempt = 0;
      useConnection.setState({ lost: false });
      for await (const { topics } of stream) {
        for (const queryKey of topics.flatMap(keysOf)) void queries.invalidateQueries({ queryKey });
      }
    } catch (error) {
      if (signal.aborted) return;
      console.warn('The stream of changes ended', error);
      useConnection.setState({ lost: true });
    }
    await waitMs(retryDelay(attempt), signal);
  }
}
