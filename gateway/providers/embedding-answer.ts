import { asArray, asCount, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { parseWithin } from '../runtime/json/parse-json.ts';
import { workerTask } from '../runtime/threads/worker-task.ts';
import type { EmbeddingFormat, Embeddings } from './embedding.ts';

/** What a provider answered, as it came, and what was asked of it. */
export interface EmbeddingAnswer {
  readonly blocks: readonly Uint8Array[];
  /** Whose words it is in. */
  readonly shape: 'openai' | 'google';
  readonly format: EmbeddingFormat;
  readonly dimensions: number | null;
  /** Vectors that were asked for. */
  readonly count: number;
}

/** What is wrong with an answer, to be said after the provider's name. */
interface Fault {
  readonly fault: string;
}

/** Reads an answer on another thread. */
export const embeddingsTask = workerTask<EmbeddingAnswer, Embeddings | Fault>('embeddings');

/** 2,048 vectors of 3,072 numbers. */
const limits = { depth: 8, keys: 100_000, items: 10_000, values: 6_400_000 };

/** Brings an answer into OpenAI's form: a vector for each input, in their order, all of one length, numbers only. */
export function embeddingsFrom({ blocks, shape, format, dimensions, count }: EmbeddingAnswer): Embeddings | Fault {
  const body = asObject(parseWithin(Buffer.concat(blocks).toString('utf8'), limits));
  const said = shape === 'openai' ? openAiVectors(body) : googleVectors(body);
  if (said.length !== count) return { fault: `answered with ${said.length} embeddings for ${count} inputs` };
  let size = dimensions;
  const items: string[] = [];
  for (const [index, value] of said.entries()) {
    const vector = getVector(value);
    if (vector === null) return { fault: 'answered with an embedding that is no list of numbers' };
    size ??= vector.length;
    if (vector.length !== size) return { fault: `answered with ${vector.length} dimensions in place of ${size}` };
    items.push(`{"object":"embedding","index":${index},"embedding":${written(vector, value, format)}}`);
  }
  return { data: `[${items.join(',')}]`, promptTokens: getPromptTokens(body, shape) };
}

/** In the order of the inputs, wherever they stand; one that stands twice leaves another one missing. */
function openAiVectors(body: JsonObject): readonly unknown[] {
  const entries = asArray(body.data).map(asObject);
  const ordered = new Map(entries.map(({ index, embedding }, at) => [asCount(index) ?? at, embedding]));
  return ordered.size === entries.length ? entries.map((_, at) => ordered.get(at)) : [];
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

/** Base64 of 32-bit floats, the lowest byte first. */
function decoded(text: string): Float32Array | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % 4 !== 0) return null;
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(4 * index));
}

function written(vector: Vector, said: unknown, format: EmbeddingFormat): string {
  if (format === 'float') return JSON.stringify(Array.from(vector));
  return `"${asText(said) ?? encoded(vector)}"`;
}

/** What OpenAI's clients decode: 32-bit floats, the lowest byte first. */
function encoded(vector: Vector): string {
  const bytes = Buffer.allocUnsafe(4 * vector.length);
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, 4 * index);
  return bytes.toString('base64');
}

/** The list of made vectors in OpenAI's JSON. */
export const embeddingList = (vectors: readonly (readonly number[])[], format: EmbeddingFormat): string =>
  `[${vectors
    .map((vector, index) => `{"object":"embedding","index":${index},"embedding":${written(vector, null, format)}}`)
    .join(',')}]`;
