import { AppError } from '#shared/errors.ts';
import { workerPool } from '../runtime/threads/worker-pool.ts';
import { type EmbeddingAnswer, embeddingsFrom, embeddingsTask } from './embedding-answer.ts';
import { wholeBytes } from './upstream/upstream-fetch.ts';
import type { UpstreamResponse } from './upstream/upstream-response.ts';

export type EmbeddingFormat = 'float' | 'base64';

/** Texts, or the numbers of their tokens. */
export type EmbeddingInputs = readonly string[] | readonly (readonly number[])[];

/** Embeddings as every adapter is asked for them: one concrete model, limits already looked at. */
export interface EmbeddingRequest {
  readonly model: string;
  readonly inputs: EmbeddingInputs;
  /** Null: as many as the model has by itself. */
  readonly dimensions: number | null;
  readonly format: EmbeddingFormat;
  readonly user: string | null;
  /** Whose request it is, for the order in which threads are shared. */
  readonly account: string;
}

/** Vectors for all inputs. */
export interface Embeddings {
  /** The list in OpenAI's JSON, each vector in the format that was asked for. */
  readonly data: string;
  /** What the provider counted; null where it does not say. */
  readonly promptTokens: number | null;
}

/** More than 2,048 vectors of 1,024 numbers in JSON take, or of 3,072 in base64. */
const answerBytes = 67_108_864;
/** So much is read in a moment. */
const shortBytes = 131_072;

/** Reads a provider's answer: a short one here, a long one on a thread of its own. Throws `upstream_bad_response` where it is no such answer. */
export async function readEmbeddings(
  response: UpstreamResponse,
  provider: string,
  { inputs, dimensions, format, account }: EmbeddingRequest,
  shape: EmbeddingAnswer['shape'],
): Promise<Embeddings> {
  const read = await wholeBytes(response, provider, answerBytes);
  const blocks = read.all();
  const answer = { blocks, shape, format, dimensions, count: inputs.length };
  const made =
    read.size > shortBytes ? await workerPool.run(embeddingsTask, answer, blocks, { account }) : embeddingsFrom(answer);
  if (!('fault' in made)) return made;
  throw new AppError('upstream_bad_response', `${provider} ${made.fault}.`, { provider });
}
