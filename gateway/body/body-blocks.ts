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
export function createBodyBlocks(announced = 0): BodyBlocks {
  const blocks: Uint8Array[] = [];
  let first: Uint8Array | null = null;
  let block = new Uint8Array(0);
  let filled = 0;
  let size = 0;
  let copied = 0;

  function close(): void {
    if (filled > 0) blocks.push(block.subarray(0, filled));
    block = new Uint8Array(0);
    filled = 0;
  }

  function copy(piece: Uint8Array): void {
    for (let from = 0; from < piece.length; ) {
      if (filled === block.length) {
        close();
        const left = announced - copied;
        block = new Uint8Array(left > 0 ? Math.min(left, blockBytes) : blockBytes);
      }
      const part = piece.subarray(from, from + block.length - filled);
      block.set(part, filled);
      filled += part.length;
      copied += part.length;
      from += part.length;
    }
  }

  function keep(piece: Uint8Array): void {
    if (piece.length <= largestRead || piece.byteLength !== piece.buffer.byteLength) copy(piece);
    else {
      close();
      blocks.push(piece);
    }
  }

  return {
    get size() {
      return size;
    },
    add(piece) {
      // Most bodies are one piece, which is taken as it is.
      if (size === 0) first = piece;
      else {
        if (first) keep(first);
        first = null;
        keep(piece);
      }
      size += piece.length;
    },
    all() {
      if (first && first.length <= largestRead) return [first];
      if (first) keep(first);
      first = null;
      close();
      return blocks;
    },
  };
}

/** The memory of those that can be given away to another thread; the others are small enough to be copied. */
export const givenAway = (blocks: readonly Uint8Array[]): ArrayBuffer[] =>
  blocks.filter(({ length }) => length > largestRead).map(({ buffer }) => buffer as ArrayBuffer);
