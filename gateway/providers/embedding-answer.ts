import { asArray, asCount, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { parseWithin } from '../runtime/json/parse-json.ts';
import { workerTask } from '../runtime/threads/worker-task.ts';
import type { EmbeddingFormat, Embeddings } from './embedding.ts';

/** A provider's answer as received, and what was requested of it. */
export interface EmbeddingAnswer {
  readonly blocks: readonly Uint8Array[];
  /** The API in whose format the answer is. */
  readonly shape: 'openai' | 'google';
  readonly format: EmbeddingFormat;
  readonly dimensions: number | null;
  /** Number of requested vectors. */
  readonly count: number;
}

/** A description of what is wrong with an answer. The provider's name is put in front of it. */
interface Fault {
  readonly fault: string;
}

/** Reads an answer on a worker thread. */
export const embeddingsTask = workerTask<EmbeddingAnswer, Embeddings | Fault>('embeddings');

/** Enough for 2,048 vectors of 3,072 numbers. */
const limits = { depth: 8, keys: 100_000, items: 10_000, values: 6_400_000 };

/**
 * Converts an answer to OpenAI's format: one vector for each input, in the order of the inputs, all of the same length,
 * with numbers only.
 */
export function embeddingsFrom({ blocks, shape, format, dimensions, count }: EmbeddingAnswer): Embeddings | Fault {
  const body = asObject(parseWithin(Buffer.concat(blocks).toString('utf8'), limits));
  const vectors = shape === 'openai' ? openAiVectors(body) : googleVectors(body);
  if (vectors.length !== count) return { fault: `answered with ${vectors.length} embeddings for ${count} inputs` };
  let size = dimensions;
  const items: string[] = [];
  for (const [index, value] of vectors.entries()) {
    const vector = getVector(value);
    if (vector === null) return { fault: 'answered with an embedding that is no list of numbers' };
    size ??= vector.length;
    if (vector.length !== size) return { fault: `answered with ${vector.length} dimensions in place of ${size}` };
    items.push(`{"object":"embedding","index":${index},"embedding":${written(vector, value, format)}}`);
  }
  return { data: `[${items.join(',')}]`, promptTokens: getPromptTokens(body, shape) };
}

/**
 * Sorts the vectors by their input's index. If an index occurs twice, another one is missing, so no vectors are
 * returned.
 */
function openAiVectors(body: JsonObject): readonly unknown[] {
  const entries = asArray(body.data).map(asObject);
  const ordered = new Map(entries.map(({ index, embedding }, position) => [asCount(index) ?? position, embedding]));
  return ordered.size === entries.length ? entries.map((_, index) => ordered.get(index)) : [];
}

const googleVectors = (body: JsonObject) => asArray(body.embeddings).map((entry) => asObject(entry).values);

const getPromptTokens = (body: JsonObject, shape: EmbeddingAnswer['shape']) =>
  shape === 'openai'
    ? asCount(asObject(body.usage).prompt_tokens)
    : asCount(asObject(body.usageMetadata).promptTokenCount);

type Vector = readonly number[] | Float32Array;

function getVector(value: unknown): Vector | null {
  const vector = typeof value === 'string' ? decoded(value) : asArray(value);
  if (vector === null || vector.length === 0) return null;
  for (const number of vector) if (typeof number !== 'number' || !Number.isFinite(number)) return null;
  return vector as Vector;
}

/** Decodes base64 of 32-bit floats, lowest byte first. */
function decoded(text: string): Float32Array | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % 4 !== 0) return null;
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(4 * index));
}

function written(vector: Vector, received: unknown, format: EmbeddingFormat): string {
  if (format === 'float') return JSON.stringify(Array.from(vector));
  return `"${asText(received) ?? encoded(vector)}"`;
}

/** Encodes 32-bit floats as base64, lowest byte first, which is what OpenAI's clients decode. */
function encoded(vector: Vector): string {
  const bytes = Buffer.allocUnsafe(4 * vector.length);
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, 4 * index);
  return bytes.toString('base64');
}

/** Writes vectors as the list in OpenAI's JSON. */
export const embeddingList = (vectors: readonly (readonly number[])[], format: EmbeddingFormat): string =>
  `[${vectors
    .map((vector, index) => `{"object":"embedding","index":${index},"embedding":${written(vector, null, format)}}`)
    .join(',')}]`;
