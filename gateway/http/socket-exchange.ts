import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '#shared/errors.ts';
import { hasStalled, uploadStalled } from '../access/overload/upload-pace.ts';
import { Stop, type StopSignal } from '../runtime/concurrency/stop-signal.ts';
import type { AnswerWriter, HeaderFields, HttpExchange } from './exchange.ts';
import { hasReadEnough } from './read-body.ts';

/** What a refused client may still send, and how long it may be silent in between. */
const lingerBytes = 256 * 1024 * 1024;
const lingerMs = 5000;
/** A refused body is read at a quarter of the speed of other bodies. */
const thrownAwayWeight = 4;

/**
 * Answers a request that was not read completely, such as one that is too large. Closing a connection while the client is still sending
 * resets it, and a client whose connection is reset never reads the error: it only tries again. So its body is read and thrown away, more
 * slowly than other bodies.
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

/** Whether the rest is so short that Node throws it away itself when the answer is complete. */
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

/** An exchange over a socket, without the platform's `Request` and `Response` in between. */
export class SocketExchange implements HttpExchange {
  readonly method: string;
  readonly target: string;
  readonly address: string;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  readonly #stallMs: number;
  #client: Stop | null = null;

  /** A client that takes nothing of its answer for `stallMs` is disconnected. */
  constructor(incoming: IncomingMessage, outgoing: ServerResponse, address: string, stallMs: number) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#stallMs = stallMs;
    this.method = incoming.method ?? 'GET';
    this.target = incoming.url ?? '/';
    this.address = address;
  }

  /** Repeated headers are joined as the platform's `Headers` joins them, so that two credentials are no valid one. */
  header(name: string): string | null {
    const raw = this.#incoming.rawHeaders;
    let value: string | null = null;
    for (let index = 0; index < raw.length; index += 2) {
      const known = raw[index] ?? '';
      if (known.length !== name.length || known.toLowerCase() !== name) continue;
      value = value === null ? (raw[index + 1] ?? '') : `${value}, ${raw[index + 1] ?? ''}`;
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
    // An answer that waits behind another one on its connection gets no event when that connection closes.
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
        // These listeners would keep the body in memory for as long as the request is answered.
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
    new SocketWriter(outgoing, this.#stallMs).end(text);
  }

  open(status: number, headers: HeaderFields): AnswerWriter {
    this.#outgoing.writeHead(status, headers);
    return new SocketWriter(this.#outgoing, this.#stallMs);
  }

  destroy(): void {
    this.#outgoing.destroy();
  }
}

const clientGone = (what: string) =>
  new AppError('client_closed_request', `The client went away before ${what} was complete.`);

/**
 * How much is handed to a socket at once. It is small enough that each piece the client takes shows that it reads, and that what waits for
 * the client is not copied: Node keeps three times the length of a text that it cannot write at once.
 */
const pieceBytes = 65_536;

/**
 * Writes an answer to a client's socket. What is written in one turn of the event loop goes out in one piece. A client that takes nothing
 * for `stallMs` while something waits for it is disconnected, and everyone who listens for the end of its connection takes that as the
 * client's disconnect.
 */
class SocketWriter implements AnswerWriter {
  readonly #outgoing: ServerResponse;
  readonly #socket: Socket;
  readonly #stallMs: number;
  readonly #waiting: (string | Uint8Array)[] = [];
  /** What was written in this turn. */
  #turn = '';
  #flushing: Promise<void> | null = null;

  constructor(outgoing: ServerResponse, stallMs: number) {
    this.#outgoing = outgoing;
    this.#socket = outgoing.req.socket;
    this.#stallMs = stallMs;
  }

  write(text: string): Promise<void> | undefined {
    if (this.#outgoing.destroyed || this.#socket.destroyed) return undefined;
    if (this.#turn === '') queueMicrotask(() => this.#closeTurn());
    this.#turn += text;
    if (this.#turn.length > pieceBytes) this.#closeTurn();
    return this.#flushing ?? undefined;
  }

  /** Ends the answer, with this text as its last. */
  end(last = ''): void {
    this.#turn += last;
    if (!this.#flushing && this.#turn.length <= pieceBytes) {
      const text = this.#turn;
      this.#turn = '';
      this.#close(text);
      return;
    }
    this.#closeTurn();
    void Promise.resolve(this.#flushing).then(() => this.#close());
  }

  #closeTurn(): void {
    const text = this.#turn;
    if (text === '') return;
    this.#turn = '';
    if (text.length <= pieceBytes && !this.#flushing) {
      const isOpen = !this.#outgoing.destroyed && !this.#socket.destroyed;
      if (isOpen && !this.#outgoing.write(text)) this.#flushing = this.#flush();
      return;
    }
    this.#waiting.push(...(text.length <= pieceBytes ? [text] : getPieces(text)));
    if (!this.#flushing && !this.#handOver()) this.#flushing = this.#flush();
  }

  /** Hands over what waits, piece by piece, until it has to wait for the client. Returns whether nothing is left. */
  #handOver(): boolean {
    for (let piece = this.#waiting.shift(); piece !== undefined; piece = this.#waiting.shift()) {
      if (!this.#outgoing.destroyed && !this.#socket.destroyed && !this.#outgoing.write(piece)) return false;
    }
    return true;
  }

  async #flush(): Promise<void> {
    do await drained(this.#outgoing, this.#stallMs);
    while (!this.#handOver());
    this.#flushing = null;
  }

  #close(last?: string): void {
    const outgoing = this.#outgoing;
    outgoing.end(last);
    if (!isTaken(outgoing)) hangUpUnlessTaken(outgoing, this.#stallMs);
  }
}

/** Whether the operating system has taken an answer that was ended. An answer that waits behind another one has no socket yet. */
const isTaken = ({ writableFinished, socket }: ServerResponse) => writableFinished || socket?.writableLength === 0;

function getPieces(text: string): Uint8Array[] {
  const bytes = Buffer.from(text);
  const pieces: Uint8Array[] = [];
  for (let offset = 0; offset < bytes.byteLength; offset += pieceBytes)
    pieces.push(bytes.subarray(offset, offset + pieceBytes));
  return pieces;
}

/** Resolves when the client has taken what was written or has gone, also for an answer that waits behind another one. */
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

/** Limits the time for the last bytes of an answer too: until they are taken, its connection and memory are not free. */
function hangUpUnlessTaken(outgoing: ServerResponse, stallMs: number): void {
  const { socket } = outgoing.req;
  const late = setTimeout(() => socket.destroy(), stallMs);
  late.unref();
  outgoing.once('close', () => clearTimeout(late));
}
