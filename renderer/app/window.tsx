import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { askAgain } from '../api/ask-again.ts';
import { LiveAnswersContext } from '../features/chat/data/use-answer.ts';
import { App } from './app.tsx';
import type { Core } from './core-services.ts';
import { ProvideApi } from './provide-api.ts';

function CoreProvider({ core, children }: { core: Core; children: ReactNode }) {
  return (
    <ProvideApi api={core.api}>
      <LiveAnswersContext value={core.answers}>{children}</LiveAnswersContext>
    </ProvideApi>
  );
}

/**
 * Queries are refetched when the core announces a change, never by polling, and fail at once. Only two kinds are
 * retried: calls that were asked to wait, after the wait, and calls to a gateway that could not be reached.
 */
export const createQueries = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        retry: false,
        refetchInterval: askAgain,
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });

export function Window({ core, queries, children }: { core: Core; queries: QueryClient; children: ReactNode }) {
  return (
    <QueryClientProvider client={queries}>
      <CoreProvider core={core}>{children}</CoreProvider>
    </QueryClientProvider>
  );
}

export function draw(element: HTMLElement, core: Core, queries: QueryClient): void {
  createRoot(element).render(
    <Window core={core} queries={queries}>
      <App />
    </Window>,
  );
}
