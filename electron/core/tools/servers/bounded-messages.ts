import type { Transport } from '@modelcontextprotocol/client';

type Message = Parameters<NonNullable<Transport['onmessage']>>[0];

/** As many MB as one message may have, over either transport. */
export const maxMessageMb = 10;
/** For the `fetch` of a tool server elsewhere. */
export const messageLimits = { body: maxMessageMb * 2 ** 20, event: maxMessageMb * 2 ** 20 };
/** GitHub's server lists a hundred tools with some dozens of values each. The checks of the protocol take a microsecond for each of them. */
export const maxMessageValues = 200_000;

/**
 * Hands on no message with more values than that: a few megabytes of small ones hold everybody for seconds. Whoever waits for it gets an
 * error in its place; `dropped` is told.
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

/** Of JSON-RPC's codes, those from here on are a program's own. */
const tooLarge = -32_000;

/** Stops beyond the bound. */
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
