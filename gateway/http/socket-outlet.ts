import type { ServerResponse } from 'node:http';
import type { AnswerOutlet } from './exchange.ts';

/** Where an answer's bytes go out, in their order. */
export interface SocketOutlet extends AnswerOutlet {
  /** A promise where the client has to catch up first; one that has gone lets the writer go on to its end. */
  write(data: string | Uint8Array): Promise<void> | undefined;
  /** Nothing follows, or only this. */
  end(last?: string): void;
}

/**
 * What is handed to a socket at once. Little enough that each piece the client takes shows that it reads, and that what waits
 * for it is not copied: Node keeps three times the length of a text that it cannot write at once.
 */
const pieceBytes = 65_536;

/**
 * Writes to a client's socket. A client that takes nothing for `stallMs` while something waits for it is hung up on, which
 * everyone who listens for the end of its connection takes as its leaving.
 */
export function socketOutlet(outgoing: ServerResponse, stallMs: number): SocketOutlet {
  const waiting: (string | Uint8Array)[] = [];
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

  function write(data: string | Uint8Array): Promise<void> | undefined {
    if (hasGone(outgoing)) return undefined;
    if (data.length <= pieceBytes) waiting.push(data);
    else waiting.push(...piecesOf(data));
    if (!flushing && !handOver()) flushing = flush();
    return flushing ?? undefined;
  }

  function close(last?: string): void {
    outgoing.end(last);
    if (!outgoing.writableFinished) hangUpUnlessTaken(outgoing, stallMs);
  }

  return {
    write,
    end(last) {
      if (!flushing && (last === undefined || last.length <= pieceBytes)) return close(last);
      const waits = last === undefined ? flushing : write(last);
      void Promise.resolve(waits).then(() => close());
    },
  };
}

const hasGone = ({ destroyed, req }: ServerResponse) => destroyed || req.socket.destroyed;

function piecesOf(data: string | Uint8Array): Uint8Array[] {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
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
