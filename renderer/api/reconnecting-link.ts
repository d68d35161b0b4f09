import type { CoreLink } from './api.ts';
import { retryDelay, waitMs } from './retry.ts';

/** A connection to the core that may be lost for good. */
export interface Connection {
  readonly link: CoreLink;
  onLost(callback: () => void): void;
}

/**
 * Returns one link over any number of connections. A lost connection is replaced, and calls made meanwhile wait for the
 * next one.
 */
export function reconnectingLink(connect: () => Promise<Connection>): CoreLink {
  let current: Promise<Connection> | null = null;

  const connected = (): Promise<Connection> => {
    current ??= keepTrying(connect).then((connection) => {
      connection.onLost(() => {
        current = null;
      });
      return connection;
    });
    return current;
  };

  return {
    async call(path, input, options) {
      const { link } = await connected();
      return link.call(path, input, options);
    },
  };
}

async function keepTrying(connect: () => Promise<Connection>): Promise<Connection> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await connect();
    } catch (error) {
      console.warn('The core could not be reached', error);
      await waitMs(retryDelay(attempt), new AbortController().signal);
    }
  }
}
