import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HeaderFields } from './exchange.ts';

/** What a client may still send after it was refused, and how long it may be silent in between. */
const lingerBytes = 256 * 1024 * 1024;
const lingerMs = 5000;

/**
 * Answers a request of which not everything was read, such as one that is too large. A connection that is closed while
 * the client is still sending is reset, and a client that is reset never reads why: it only asks again.
 */
export async function refuseUnread(
  outgoing: ServerResponse,
  status: number,
  headers: HeaderFields,
  text: string,
): Promise<void> {
  if (outgoing.destroyed) return;
  outgoing.writeHead(status, headers);
  outgoing.write(text);
  await thrownAway(outgoing.req);
  outgoing.end();
}

function thrownAway(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, lingerMs);
    let size = 0;
    incoming.on('data', (piece: Buffer) => {
      late.refresh();
      size += piece.length;
      if (size > lingerBytes) resolve();
    });
    for (const end of ['end', 'close', 'error']) incoming.once(end, resolve);
    incoming.resume();
    incoming.once('close', () => clearTimeout(late));
  });
}
