import { embeddingModel } from '../../models/catalogue/facts/embedding-models.ts';
import { tokensOfBytes } from '../content/estimate-tokens.ts';
import type { EmbeddingRequest, Embeddings } from '../embedding.ts';
import { embeddingList } from '../embedding-answer.ts';
import { bytesOfWords } from './bytes-of-words.ts';
import { sandboxPrice } from './sandbox-models.ts';

const dimensions = 64;

/** The sandbox's model for embeddings. Small at the most: it is computed where everything else is. */
export const sandboxEmbedding = embeddingModel(
  'sandbox/vectors',
  'Sandbox Vectors',
  {
    dimensions,
    selectable: { least: 1, most: 256 },
    inputTokens: 8_192,
    inputs: 100,
    requestTokens: 100_000,
    takesTokens: true,
  },
  {
    description: 'Simulated. The same input always gets the same vector, and nothing about its meaning is in it.',
    price: sandboxPrice,
    priceAsOf: '2026-11-20',
    priceSource: 'test credits',
    simulated: true,
  },
);

/** Vectors of length 1 made of each input's hash. */
export function sandboxVectors({ inputs, dimensions: asked, format }: EmbeddingRequest): Embeddings {
  const vectors = inputs.map((input) => vectorFor(JSON.stringify(input), asked ?? dimensions));
  const promptTokens = inputs.reduce(
    (sum: number, input) => sum + (typeof input === 'string' ? tokensOfBytes(Buffer.byteLength(input)) : input.length),
    0,
  );
  return { data: embeddingList(vectors, format), promptTokens };
}

function vectorFor(text: string, size: number): number[] {
  const bytes = bytesOfWords(text, 2 * size);
  const numbers = Array.from({ length: size }, (_, index) => bytes.readInt16LE(2 * index) + 0.5);
  const length = Math.hypot(...numbers);
  return numbers.map((number) => number / length);
}
