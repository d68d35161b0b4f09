import type { Transport } from '@modelcontextprotocol/client';

type Message = Parameters<NonNullable<Transport['onmessage']>>[0];

/** The size limit of one message in MB, for both transports. */
export const maxMessageMb = 10;
/** The limits for the `fetch` of a remote tool server. */
export const messageLimits = { body: maxMessageMb * 2 ** 20, event: maxMessageMb * 2 ** 20 };
/**
 * GitHub's server lists a hundred tools with some dozens of values each. The protocol's checks take a microsecond per
 * value.
 */
export const maxMessageValues = 200_000;

/**
 * Drops messages with more values than the limit: a few megabytes of small values would block the thread for seconds.
 * The waiting request gets an error instead, and `dropped` is called.
 */
export function boundMessages(transport: Transport, dropped: () => void): void {
  let handler: Transport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: (): Transport['onmessage'] => handler && handOn,
    set(next: Transport['onmessage']) {
      handler = next;
    },
  });
  function handOn(...[message, extra]: Parameters<NonNullable<Transport['onmessage']>>): void {
    if (!hasMoreValues(message, maxMessageValues)) {
      handler?.(message, extra);
      return;
    }
    dropped();
    if ('id' in message && message.id !== undefined && !('method' in message))
      handler?.({ jsonrpc: '2.0', id: message.id, error: { code: tooLarge, message: 'too large' } } as Message, extra);
  }
}

/** JSON-RPC reserves the codes from -32,000 on for a program's own errors. */
const tooLarge = -32_000;

/** Stops counting beyond the bound. */
function hasMoreValues(message: unknown, most: number): boolean {
  const open: unknown[] = [message];
  let values = 0;
  while (open.length > 0) {
    const value = open.pop();
    values += 1;
    if (values + open.length > most) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const key in value) {
      open.push((value as Record<string, unknown>)[key]);
      if (values + open.length > most) return true;
    }
  }
  return false;
}
