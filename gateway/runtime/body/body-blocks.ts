import type { AppError } from '#shared/errors.ts';
import { createShares } from '../concurrency/fair-queue.ts';

const blockBytes = 262_144;
/** No socket gives more at once: a larger piece came from this process and has memory of its own. */
const largestRead = 65_536;

/** A body while it arrives. However small its pieces are, what is kept is a few large blocks, each of them nobody else's. */
export interface BodyBlocks {
  readonly size: number;
  add(piece: Uint8Array): void;
  /** What has arrived; nothing may be added any more. */
  all(): Uint8Array[];
}

/** `announced`: how many bytes are to come, where that is known. */
export const createBodyBlocks = (announced = 0): BodyBlocks => new Blocks(announced);

const nothing = new Uint8Array(0);

class Blocks implements BodyBlocks {
  size = 0;
  readonly #announced: number;
  readonly #blocks: Uint8Array[] = [];
  #first: Uint8Array | null = null;
  #block = nothing;
  #filled = 0;
  #copied = 0;

  constructor(announced: number) {
    this.#announced = announced;
  }

  add(piece: Uint8Array): void {
    // Most bodies are one piece, which is taken as it is.
    if (this.size === 0) this.#first = piece;
    else {
      if (this.#first) this.#keep(this.#first);
      this.#first = null;
      this.#keep(piece);
    }
    this.size += piece.length;
  }

  all(): Uint8Array[] {
    if (this.#first && this.#first.length <= largestRead) return [this.#first];
    if (this.#first) this.#keep(this.#first);
    this.#first = null;
    this.#close();
    return this.#blocks;
  }

  #close(): void {
    if (this.#filled > 0) this.#blocks.push(this.#block.subarray(0, this.#filled));
    this.#block = nothing;
    this.#filled = 0;
  }

  #keep(piece: Uint8Array): void {
    if (piece.length <= largestRead || piece.byteLength !== piece.buffer.byteLength) this.#copy(piece);
    else {
      this.#close();
      this.#blocks.push(piece);
    }
  }

  #copy(piece: Uint8Array): void {
    for (let from = 0; from < piece.length; ) {
      if (this.#filled === this.#block.length) {
        this.#close();
        const left = this.#announced - this.#copied;
        this.#block = new Uint8Array(left > 0 ? Math.min(left, blockBytes) : blockBytes);
      }
      const part = piece.subarray(from, from + this.#block.length - this.#filled);
      this.#block.set(part, this.#filled);
      this.#filled += part.length;
      this.#copied += part.length;
      from += part.length;
    }
  }
}

/** The memory of those that can be given away to another thread; the others are small enough to be copied. */
export const givenAway = (blocks: readonly Uint8Array[]): ArrayBuffer[] =>
  blocks.filter(({ length }) => length > largestRead).map(({ buffer }) => buffer as ArrayBuffer);

/** Smaller bodies are not counted: there are never more of them than requests are taken at once. */
const freeBytes = 65_536;

/** The memory that large bodies may take together, from their first bytes to the end of what is done for them. */
interface BodyRoom {
  /** Bytes that are taken. */
  readonly used: number;
  /** Room for one body of an account, none so far. */
  enter(account: string): BodyPlace;
}

export interface BodyPlace {
  /** The body has so many bytes, or will have. Throws where there is no room for them. */
  grow(size: number): void;
  /** Gives the room back; once or more often. */
  leave(): void;
}

/** Accounts share the memory; `full` makes the error of those for whom there is none. */
export function createBodyRoom(bytes: number, full: () => AppError): BodyRoom {
  const shares = createShares(bytes);
  return {
    get used() {
      return shares.used;
    },
    enter(account) {
      let own = 0;
      return {
        grow(size) {
          const more = size > freeBytes ? Math.max(0, size - own) : 0;
          if (more === 0) return;
          if (!shares.take(account, more)) throw full();
          own += more;
        },
        leave() {
          if (own > 0) shares.give(account, own);
          own = 0;
        },
      };
    },
  };
}
