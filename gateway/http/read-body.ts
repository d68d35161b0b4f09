import { AppError } from '#shared/errors.ts';
import { BodyBlocks, type MemoryLease } from '../runtime/body/body-blocks.ts';
import { parseLightBody } from '../runtime/json/parse-json.ts';
import { workerPool } from '../runtime/threads/worker-pool.ts';
import type { HttpExchange } from './exchange.ts';
import { valueTask } from './value-task.ts';

/** The part of an exchange that a body is read from. */
export type BodySource = Pick<HttpExchange, 'header' | 'eachPiece'>;

/** The body of a platform request. */
export const getBody = (request: Request): BodySource => ({
  header: (name) => request.headers.get(name),
  async eachPiece(take) {
    for await (const piece of request.body ?? []) take(piece);
  },
});

/**
 * Reads a body of at most `limit` bytes into a few blocks. Throws 413 `request_too_large` as soon as it is longer, and 503 when the memory
 * for large bodies is used up.
 */
export async function readBlocks(source: BodySource, limit: number, place: MemoryLease): Promise<Uint8Array[]> {
  const announced = Number(source.header('content-length') ?? 0);
  const blocks = new BodyBlocks(announced);
  // A body that does not fit into the memory is refused before it is read. Without an announced length, memory is taken as it is needed.
  place.grow(announced);
  await source.eachPiece((piece) => add(blocks, piece, limit, place));
  return blocks.all();
}

function add(blocks: BodyBlocks, piece: Uint8Array, limit: number, place: MemoryLease): void {
  const size = blocks.size + piece.byteLength;
  if (size > limit) {
    throw new AppError('request_too_large', `The request body is larger than ${limit} bytes.`, { details: { limit } });
  }
  place.grow(size);
  blocks.add(piece);
}

/** Returns the one block of a small body. Null for any other body. */
export const onlyBlock = ([first, ...more]: readonly Uint8Array[]): Uint8Array | null =>
  more.length > 0 ? null : (first ?? new Uint8Array(0));

/** Reads a JSON object of at most `limit` bytes. Throws what `readBlocks` and `parseBody` do. */
export async function readJson(request: Request, limit: number, place: MemoryLease): Promise<Record<string, unknown>> {
  const blocks = await readBlocks(getBody(request), limit, place);
  const block = onlyBlock(blocks);
  const light = block && parseLightBody(block);
  return light ? light.value : workerPool.run(valueTask, { blocks }, blocks);
}

/** The most that is read of all bodies together before other events are handled. */
const bytesATurn = 4_194_304;
/** Smaller pieces come from small bodies or slow clients. */
const smallPiece = 16_384;

let read = 0;

/**
 * Whether a body that has just read this many bytes should let other events go first. A full socket delivers two megabytes at once, and
 * twenty such sockets would be read one after another before any timer runs.
 */
export function hasReadEnough(bytes: number): boolean {
  if (bytes < smallPiece) return false;
  if (read === 0)
    setImmediate(() => {
      read = 0;
    });
  read += bytes;
  return read > bytesATurn;
}
