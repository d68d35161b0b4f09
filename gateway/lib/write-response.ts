import type { IncomingMessage, ServerResponse } from 'node:http';
import { AnswerResponse, type EventOutlet } from './answer-response.ts';

/** Writes an answer to the socket. False where it is an ordinary `Response`, which this cannot. */
export function writeAnswer(answer: Response | AnswerResponse, outgoing: ServerResponse): boolean {
  if (!(answer instanceof AnswerResponse)) return false;
  const { content, headers, status } = answer;
  if ('text' in content) {
    headers.set('content-length', String(Buffer.byteLength(content.text)));
    outgoing.writeHead(status, headers.fields);
    outgoing.end(content.text);
    return true;
  }
  outgoing.writeHead(status, headers.fields);
  content.stream(outletOf(outgoing));
  return true;
}

/** One write per event; a client that does not read makes the writer wait, one that has gone lets it go on to its end. */
const outletOf = (outgoing: ServerResponse): EventOutlet => ({
  write(text) {
    if (outgoing.destroyed || outgoing.write(text)) return undefined;
    return drained(outgoing);
  },
  end: () => void outgoing.end(),
});

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.on('drain', done);
    outgoing.on('close', done);
  });
}

/** Writes an ordinary `Response` to the socket. */
export async function writeResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  if (!outgoing.req.complete) return refuse(response, outgoing);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const reader = response.body?.getReader();
  if (!reader) return void outgoing.end();
  outgoing.once('close', () => void reader.cancel().catch(() => {}));
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    if (!outgoing.destroyed && !outgoing.write(read.value)) await drained(outgoing);
  }
  outgoing.end();
}

/** What a client may still send after it was refused, and how long it may be silent in between. */
const lingerBytes = 256 * 1024 * 1024;
const lingerMs = 5000;

/**
 * Answers a request of which not everything was read, such as one that is too large. A connection that is closed while
 * the client is still sending is reset, and a client that is reset never reads why: it only asks again.
 */
async function refuse(response: Response, outgoing: ServerResponse): Promise<void> {
  const bytes = Buffer.from(await response.arrayBuffer());
  if (outgoing.destroyed) return;
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': bytes.length });
  outgoing.write(bytes);
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
