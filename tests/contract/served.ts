import { implement } from '@orpc/server';
import { rpcErrors } from '#core/rpc/rpc-errors.ts';
import { pause } from '#core/runtime/streams/pace.ts';
import type { ChatEvent } from '#shared/contract/chat/chat.ts';
import { contract } from '#shared/contract/index.ts';
import { AppError } from '#shared/errors.ts';

/** Implements the real contract with handlers that a test can follow: their log, and which streams were closed. */
export function servedDouble() {
  const os = implement(contract);
  const log: Record<string, unknown>[] = [];
  const ended: string[] = [];
  let produced = 0;

  async function* events(conversationId: string, signal: AbortSignal | undefined): AsyncGenerator<ChatEvent, void> {
    try {
      if (conversationId === 'breaks') {
        yield delta(0);
        throw new Error('SQLITE_CORRUPT: /home/somebody/portico.db');
      }
      const count = conversationId === 'thousand' ? 1000 : Number.POSITIVE_INFINITY;
      for (let index = 0; index < count && !signal?.aborted; index += 1) {
        yield delta(index);
        produced += 1;
        if (conversationId === 'slow') await pause(5, signal);
      }
    } finally {
      ended.push(conversationId);
    }
  }

  const router = {
    settings: {
      get: os.settings.get.handler(() => {
        throw new Error('ENOENT: no such file, open /home/somebody/key.txt');
      }),
      update: os.settings.update.handler(({ input }) => ({
        theme: input.theme ?? ('system' as const),
        language: 'en' as const,
        density: 'comfortable' as const,
        sendWith: 'enter' as const,
        model: 'router',
        shownWallet: null,
        welcomed: false,
        confirmRoute: false,
        spellCheck: true,
        keepRunning: false,
        checkUpdates: true,
        notifications: 'plain',
        shortcuts: {},
        favouriteModels: [],
        recentModels: [],
        recentActions: [],
      })),
    },
    chat: {
      stop: os.chat.stop.handler(() => {
        throw new AppError('rate_limit_exceeded', 'Wait a moment.', { retryAfterMs: 1500, details: { scope: 'key' } });
      }),
      watch: os.chat.watch.handler(({ input, signal }) => events(input.conversationId, signal)),
    },
  };
  return { router, rpc: rpcErrors((entry) => log.push(entry)), log, ended, produced: () => produced };
}

const delta = (index: number): ChatEvent => ({ type: 'text-delta', messageId: 'm', offset: index, text: 'x' });
