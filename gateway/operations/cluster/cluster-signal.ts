import type { Client } from 'pg';

/** The channel that the triggers of migration 0005 notify. */
const channel = 'portico';
const firstRetryMs = 100;
const maxRetryMs = 1000;
const idleBeforeProbeMs = 5000;

export interface ClusterSignal {
  /** Whether changes are heard at this moment. */
  readonly listening: boolean;
  close(): Promise<void>;
}

/**
 * Hears what other instances changed, on a connection of its own (LISTEN). `ring` gets the table, and null whenever
 * anything may have changed unheard: at the start, and after the connection was lost and found again.
 */
export async function openClusterSignal(
  url: string,
  ring: (table: string | null) => void,
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
      again();
    };
    next.once('end', lost);
    next.on('error', (error) => log({ event: 'notifications_lost', level: 'warn', message: error.message }));
    next.on('notification', ({ payload }) => ring(payload ?? null));
    try {
      await next.connect();
      await next.query(`LISTEN ${channel}`);
    } catch {
      next.off('end', lost);
      // Whatever it was is over; the one that comes next is a new connection.
      await next.end().catch(() => {});
      return again();
    }
    if (closed) return void (await next.end());
    client = next;
    retryMs = firstRetryMs;
    ring(null);
  }

  function again(): void {
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
