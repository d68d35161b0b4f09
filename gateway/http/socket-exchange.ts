import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '#shared/errors.ts';
import { hasStalled, uploadStalled } from '../access/overload/upload-pace.ts';
import { Stop, type StopSignal } from '../runtime/concurrency/stop-signal.ts';
import type { AnswerWriter, HeaderFields, HttpExchange } from './exchange.ts';
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
async function refuseUnread(
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

/** An exchange over a socket, with nothing of the platform's `Request` and `Response` in between. */
export class SocketExchange implements HttpExchange {
  readonly method: string;
  readonly target: string;
  readonly address: string;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  readonly #stallMs: number;
  #client: Stop | null = null;

  /** A client that takes nothing of its answer for `stallMs` is hung up on. */
  constructor(incoming: IncomingMessage, outgoing: ServerResponse, address: string, stallMs: number) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#stallMs = stallMs;
    this.method = incoming.method ?? 'GET';
    this.target = incoming.url ?? '/';
    this.address = address;
  }

  /** Two credentials are none: repeated headers are joined, as the platform's `Headers` joins them. */
  header(name: string): string | null {
    const raw = this.#incoming.rawHeaders;
    let value: string | null = null;
    for (let at = 0; at < raw.length; at += 2) {
      const known = raw[at] ?? '';
      if (known.length !== name.length || known.toLowerCase() !== name) continue;
      value = value === null ? (raw[at + 1] ?? '') : `${value}, ${raw[at + 1] ?? ''}`;
    }
    return value;
  }

  get client(): StopSignal {
    if (this.#client) return this.#client;
    const stop = new Stop();
    const outgoing = this.#outgoing;
    const { socket } = this.#incoming;
    const onClose = () => {
      socket.off('close', onClose);
      if (!outgoing.writableFinished) stop.abort(clientGone('its answer'));
    };
    if (outgoing.destroyed) stop.abort(clientGone('its answer'));
    outgoing.once('close', onClose);
    // An answer that waits behind another one on its connection is told nothing of that connection's end.
    if (outgoing.socket === null) socket.setMaxListeners(0).once('close', onClose);
    this.#client = stop;
    return stop;
  }

  eachPiece(take: (piece: Uint8Array) => void): Promise<void> {
    const incoming = this.#incoming;
    return new Promise((resolve, reject) => {
      const onData = (piece: Buffer) => {
        try {
          take(piece);
          if (hasReadEnough(piece.length)) {
            incoming.pause();
            setImmediate(() => incoming.resume());
          }
        } catch (error) {
          incoming.off('data', onData);
          incoming.pause();
          reject(error);
        }
      };
      const onError = () => reject(hasStalled(incoming) ? uploadStalled() : clientGone('its request'));
      const onClose = () => {
        if (!incoming.complete) onError();
      };
      const onEnd = () => {
        // Whatever keeps the request while it is answered would keep its body with it.
        incoming.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
        resolve();
      };
      incoming.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
    });
  }

  send(status: number, headers: HeaderFields, text: string): void {
    const outgoing = this.#outgoing;
    const fields = { ...headers, 'content-length': String(Buffer.byteLength(text)) };
    if (!this.#incoming.complete) return void refuseUnread(outgoing, status, fields, text);
    outgoing.writeHead(status, fields);
    socketWriter(outgoing, this.#stallMs).end(text);
  }

  open(status: number, headers: HeaderFields): AnswerWriter {
    this.#outgoing.writeHead(status, headers);
    return socketWriter(this.#outgoing, this.#stallMs);
  }

  destroy(): void {
    this.#outgoing.destroy();
  }
}

const clientGone = (what: string) =>
  new AppError('client_closed_request', `The client went away before ${what} was complete.`);

/** Where an answer's bytes go out, in their order. */
interface SocketWriter extends AnswerWriter {
  /** Nothing follows, or only this. */
  end(last?: string): void;
}

/**
 * What is handed to a socket at once. Little enough that each piece the client takes shows that it reads, and that what waits
 * for it is not copied: Node keeps three times the length of a text that it cannot write at once.
 */
const pieceBytes = 65_536;

/**
 * Writes to a client's socket; what is written in one turn goes out in one piece. A client that takes nothing for `stallMs` while
 * something waits for it is hung up on, which everyone who listens for the end of its connection takes as its leaving.
 */
function socketWriter(outgoing: ServerResponse, stallMs: number): SocketWriter {
  const waiting: (string | Uint8Array)[] = [];
  /** Of this turn. */
  let turn = '';
  let flushing: Promise<void> | null = null;

  /** Hands over what waits, piece by piece, until it has to wait for the client. True: nothing is left. */
  function handOver(): boolean {
    for (let piece = waiting.shift(); piece !== undefined; piece = waiting.shift()) {
      if (!hasGone(outgoing) && !outgoing.write(piece)) return false;
    }
    return true;
  }

  async function flush(): Promise<void> {
    do await drained(outgoing, stallMs);
    while (!handOver());
    flushing = null;
  }

  function closeTurn(): void {
    if (turn === '') return;
    if (turn.length <= pieceBytes) waiting.push(turn);
    else waiting.push(...getPieces(turn));
    turn = '';
    if (!flushing && !handOver()) flushing = flush();
  }

  function write(text: string): Promise<void> | undefined {
    if (hasGone(outgoing)) return undefined;
    if (turn === '') queueMicrotask(closeTurn);
    turn += text;
    if (turn.length > pieceBytes) closeTurn();
    return flushing ?? undefined;
  }

  function close(last?: string): void {
    outgoing.end(last);
    if (!isTaken(outgoing)) hangUpUnlessTaken(outgoing, stallMs);
  }

  return {
    write,
    end(last = '') {
      turn += last;
      if (!flushing && turn.length <= pieceBytes) {
        const text = turn;
        turn = '';
        return close(text);
      }
      closeTurn();
      void Promise.resolve(flushing).then(() => close());
    },
  };
}

/** The system has all of an answer that was ended; what waits behind another answer on its connection has no socket yet. */
const isTaken = ({ writableFinished, socket }: ServerResponse) => writableFinished || socket?.writableLength === 0;

const hasGone = ({ destroyed, req }: ServerResponse) => destroyed || req.socket.destroyed;

function getPieces(text: string): Uint8Array[] {
  const bytes = Buffer.from(text);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes));
  return pieces;
}

/** Resolves when the client has taken what was written, or has gone: also where its answer waits behind another one. */
function drained(outgoing: ServerResponse, stallMs: number): Promise<void> {
  const { socket } = outgoing.req;
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(late);
      outgoing.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    const late = setTimeout(() => socket.destroy(), stallMs);
    outgoing.on('drain', done);
    socket.on('close', done);
  });
}

/** The last bytes of an answer have their time too: until then its connection and its memory are not free. */
function hangUpUnlessTaken(outgoing: ServerResponse, stallMs: number): void {
  const { socket } = outgoing.req;
  const late = setTimeout(() => socket.destroy(), stallMs);
  late.unref();
  outgoing.once('close', () => clearTimeout(late));
}
