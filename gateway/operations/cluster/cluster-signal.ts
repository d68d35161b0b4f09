import type { Client } from 'pg';

/** The channel that the triggers of migration 0005 notify. */
const channel = 'portico';
const firstRetryMs = 100;
const maxRetryMs = 1000;
const idleBeforeProbeMs = 5000;

export interface ClusterSignal {
  /** Whether changes of other instances are received at this moment. */
  readonly listening: boolean;
  close(): Promise<void>;
}

/**
 * Receives changes of other instances on a separate connection (LISTEN). `notify` gets the name of the changed table. It gets
 * null when changes may have been missed: at the start and after a lost connection was restored.
 */
export async function openClusterSignal(
  url: string,
  notify: (table: string | null) => void,
  log: (entry: Readonly<Record<string, unknown>>) => void,
): Promise<ClusterSignal> {
  const { default: pg } = await import('pg');
  let client: Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let retryMs = firstRetryMs;
  let closed = false;

  async function connect(): Promise<void> {
    const next = new pg.Client({
      connectionString: url,
      keepAlive: true,
      keepAliveInitialDelayMillis: idleBeforeProbeMs,
    });
    const lost = () => {
      if (client === next) client = null;
      retryLater();
    };
    next.once('end', lost);
    next.on('error', (error) => log({ event: 'notifications_lost', level: 'warn', message: error.message }));
    next.on('notification', ({ payload }) => notify(payload ?? null));
    try {
      await next.connect();
      await next.query(`LISTEN ${channel}`);
    } catch {
      next.off('end', lost);
      // This connection has failed, for whatever reason. The next attempt uses a new one.
      await next.end().catch(() => {});
      return retryLater();
    }
    if (closed) return void (await next.end());
    client = next;
    retryMs = firstRetryMs;
    notify(null);
  }

  function retryLater(): void {
    if (closed || retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      void connect();
    }, retryMs);
    retry.unref();
    retryMs = Math.min(retryMs * 2, maxRetryMs);
  }

  await connect();
  return {
    get listening() {
      return client !== null;
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      await client?.end();
    },
  };
}
