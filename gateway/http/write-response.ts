import type { IncomingMessage, ServerResponse } from 'node:http';
import { AnswerResponse } from './answer-response.ts';
import { hasReadEnough } from './read-turns.ts';
import { socketOutlet } from './socket-outlet.ts';

/**
 * Writes an answer to the socket. False where it is an ordinary `Response`, which this cannot. A client that takes nothing for
 * `stallMs` is hung up on.
 */
export function writeAnswer(
  answer: Response | AnswerResponse,
  outgoing: ServerResponse,
  stallMs: number,
): answer is AnswerResponse {
  if (!(answer instanceof AnswerResponse)) return false;
  const { content, headers, status } = answer;
  const outlet = socketOutlet(outgoing, stallMs);
  if ('text' in content) {
    headers.set('content-length', String(Buffer.byteLength(content.text)));
    outgoing.writeHead(status, headers.fields);
    outlet.end(content.text);
    return true;
  }
  outgoing.writeHead(status, headers.fields);
  content.stream(outlet);
  return true;
}

/** Writes an ordinary `Response` to the socket, by the same rule. */
export async function writeResponse(response: Response, outgoing: ServerResponse, stallMs: number): Promise<void> {
  if (!outgoing.req.complete) return refuse(response, outgoing);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const outlet = socketOutlet(outgoing, stallMs);
  const reader = response.body?.getReader();
  if (!reader) return outlet.end();
  outgoing.once('close', () => void reader.cancel().catch(() => {}));
  for (let read = await reader.read(); !read.done; read = await reader.read()) await outlet.write(read.value);
  outlet.end();
}

/** What a client may still send after it was refused, and how long it may be silent in between. */
const lingerBytes = 256 * 1024 * 1024;
const lingerMs = 5000;
/** What nobody wants is read at a quarter of the pace of other bodies. */
const thrownAwayWeight = 4;

/** Answers a request of which not everything was read, such as one that is too large. */
async function refuse(response: Response, outgoing: ServerResponse): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  await writeRefusal(response.status, Object.fromEntries(response.headers), body, outgoing);
}

/**
 * The same from bytes. A connection that is closed while the client is still sending is reset, and a client that is reset
 * never reads why: it only asks again. So what it sends is read and thrown away, more slowly than other bodies are read.
 */
export async function writeRefusal(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  outgoing: ServerResponse,
): Promise<void> {
  if (outgoing.destroyed) return;
  outgoing.writeHead(status, { ...headers, 'content-length': body.length });
  if (isShort(outgoing.req)) return void outgoing.end(body);
  outgoing.write(body);
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
