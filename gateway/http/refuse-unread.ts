import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HeaderFields } from './exchange.ts';
import { hasReadEnough } from './read-body.ts';

/** What a client may still send after it was refused, and how long it may be silent in between. */
const lingerBytes = 256 * 1024 * 1024;
const lingerMs = 5000;
/** What nobody wants is read at a quarter of the pace of other bodies. */
const thrownAwayWeight = 4;

/**
 * Answers a request of which not everything was read, such as one that is too large. A connection that is closed while the
 * client is still sending is reset, and a client that is reset never reads why: it only asks again. So what it sends is read and
 * thrown away, more slowly than other bodies are read.
 */
export async function refuseUnread(
  outgoing: ServerResponse,
  status: number,
  headers: HeaderFields,
  text: string,
): Promise<void> {
  if (outgoing.destroyed) return;
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
  if (isShort(outgoing.req)) return void outgoing.end(text);
  outgoing.write(text);
  await thrownAway(outgoing.req);
  outgoing.end();
}

/** What Node throws away by itself once the answer is complete. */
const isShort = ({ headers }: IncomingMessage) => Number(headers['content-length'] ?? Number.NaN) <= 65_536;

function thrownAway(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, lingerMs);
    let size = 0;
    incoming.on('data', (piece: Buffer) => {
      late.refresh();
      size += piece.length;
      if (size > lingerBytes) resolve();
      if (!hasReadEnough(piece.length * thrownAwayWeight)) return;
      incoming.pause();
      setImmediate(() => incoming.resume());
    });
    for (const end of ['end', 'close', 'error']) incoming.once(end, resolve);
    incoming.resume();
    for (const end of ['end', 'close']) incoming.once(end, () => clearTimeout(late));
  });
}
