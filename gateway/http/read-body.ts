import { AppError } from '#shared/errors.ts';
import { type BodyBlocks, type BodyPlace, createBodyBlocks } from '../runtime/body/body-blocks.ts';
import { parseLightBody } from '../runtime/json/parse-json.ts';
import { workerPool } from '../runtime/threads/worker-pool.ts';
import type { HttpExchange } from './exchange.ts';
import { valueTask } from './value-task.ts';

/** Where a body comes from. */
export type BodySource = Pick<HttpExchange, 'header' | 'eachPiece'>;

/** The body of a platform request. */
export const getBody = (request: Request): BodySource => ({
  header: (name) => request.headers.get(name),
  async eachPiece(take) {
    for await (const piece of request.body ?? []) take(piece);
  },
});

/**
 * Reads a body of at most `limit` bytes into a few blocks. Throws 413 `request_too_large` as soon as it is longer, and 503
 * where `place` has no room for it.
 */
export async function readBlocks(source: BodySource, limit: number, place: BodyPlace): Promise<Uint8Array[]> {
  const announced = Number(source.header('content-length') ?? 0);
  const blocks = createBodyBlocks(announced);
  // What cannot be kept is refused before it is read. Where nothing is announced, room is taken as it is needed.
  place.grow(announced);
  await source.eachPiece((piece) => add(blocks, piece, limit, place));
  return blocks.all();
}

function add(blocks: BodyBlocks, piece: Uint8Array, limit: number, place: BodyPlace): void {
  const size = blocks.size + piece.byteLength;
  if (size > limit) {
    throw new AppError('request_too_large', `The request body is larger than ${limit} bytes.`, { details: { limit } });
  }
  place.grow(size);
  blocks.add(piece);
}

/** The one block of a small body; null of any other. */
export const onlyBlock = ([first, ...more]: readonly Uint8Array[]): Uint8Array | null =>
  more.length > 0 ? null : (first ?? new Uint8Array(0));

/** Reads a JSON object of at most `limit` bytes. Throws what `readBlocks` and `parseBody` do. */
export async function readJson(request: Request, limit: number, place: BodyPlace): Promise<Record<string, unknown>> {
  const blocks = await readBlocks(getBody(request), limit, place);
  const block = onlyBlock(blocks);
  const light = block && parseLightBody(block);
  return light ? light.value : workerPool.run(valueTask, { blocks }, blocks);
}

/** What is read of all bodies together between two looks at other events. */
const bytesATurn = 4_194_304;
/** Smaller pieces come from bodies that are small, or from clients that are slow. */
const smallPiece = 16_384;

let read = 0;

/**
 * Whether a body that has just read so many bytes should let others go first: a socket that is full gives two megabytes
 * at once, and twenty of them are read one after another before any timer runs.
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
