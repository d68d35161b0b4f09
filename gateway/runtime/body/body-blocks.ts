/**
 * The platform hands a request body over as a stream of pieces as small as the sender likes, and sets no limit for all bodies
 * together. Keeping the pieces would keep many small buffers alive, and accounts could fill the memory together. This file
 * collects a body in blocks of 256 KiB and counts the bytes of all large bodies, shared fairly by account. With the limit of 128
 * MiB, twenty bodies of 25 MiB at once stay below 600 MB (decision 028). To check: `large-bodies.test.ts`.
 */

import type { AppError } from '#shared/errors.ts';
import { createShares } from '../concurrency/fair-queue.ts';

const blockBytes = 262_144;
/** The most that one read of a socket returns. A larger piece was made by this process and has its own memory. */
const largestRead = 65_536;

const nothing = new Uint8Array(0);

/**
 * A request body while it arrives. However small its pieces are, it's stored in a few large blocks that nothing else refers to.
 */
export class BodyBlocks {
  size = 0;
  readonly #announced: number;
  readonly #blocks: Uint8Array[] = [];
  #first: Uint8Array | null = null;
  #block = nothing;
  #filled = 0;
  #copied = 0;

  /** `announced` is the expected number of bytes, if it's known. */
  constructor(announced = 0) {
    this.#announced = announced;
  }

  add(piece: Uint8Array): void {
    // Most bodies arrive in one piece, which is used without a copy.
    if (this.size === 0) this.#first = piece;
    else {
      if (this.#first) this.#keep(this.#first);
      this.#first = null;
      this.#keep(piece);
    }
    this.size += piece.length;
  }

  /** Returns the blocks. Nothing may be added afterwards. */
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

/** Returns the memory of the blocks that can be transferred to another thread. The others are small enough to be copied. */
export const getTransferable = (blocks: readonly Uint8Array[]): ArrayBuffer[] =>
  blocks.filter(({ length }) => length > largestRead).map(({ buffer }) => buffer as ArrayBuffer);

/** Smaller bodies aren't counted: there are never more of them than requests that are taken at once. */
const freeBytes = 65_536;

/** The memory that large bodies may use together, from their first byte until their request is finished. */
interface BodyMemory {
  /** Bytes in use. */
  readonly used: number;
  /** Begins with no memory for one body of an account. */
  enter(account: string): MemoryLease;
}

export interface MemoryLease {
  /** Raises what the body uses to this many bytes. Throws when there isn't enough memory. */
  grow(size: number): void;
  /** Gives the memory back. May be called repeatedly. */
  release(): void;
}

/** Accounts share the memory. `full` creates the error for a body that gets none. */
export function createBodyMemory(bytes: number, full: () => AppError): BodyMemory {
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
        release() {
          if (own > 0) shares.give(account, own);
          own = 0;
        },
      };
    },
  };
}
