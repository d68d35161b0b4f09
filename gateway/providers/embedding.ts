import { AppError } from '#shared/errors.ts';
import { workerPool } from '../runtime/threads/worker-pool.ts';
import { type EmbeddingAnswer, embeddingsFrom, embeddingsTask } from './embedding-answer.ts';
import { wholeBytes } from './upstream/upstream-fetch.ts';
import type { UpstreamResponse } from './upstream/upstream-response.ts';

export type EmbeddingFormat = 'float' | 'base64';

/** Texts, or the numbers of their tokens. */
export type EmbeddingInputs = readonly string[] | readonly (readonly number[])[];

/** An embedding request as adapters get it: for one concrete model, with its limits already checked. */
export interface EmbeddingRequest {
  readonly model: string;
  readonly inputs: EmbeddingInputs;
  /** Null: the model's default. */
  readonly dimensions: number | null;
  readonly format: EmbeddingFormat;
  readonly user: string | null;
  /** The account that sent the request. Worker threads serve accounts in turn. */
  readonly account: string;
}

/** The vectors for all inputs. */
export interface Embeddings {
  /** The list in OpenAI's JSON, with each vector in the requested format. */
  readonly data: string;
  /** Tokens that the provider counted; null if it doesn't report them. */
  readonly promptTokens: number | null;
}

/** Maximum size of an answer. 2,048 vectors take less, with 1,024 numbers each in JSON or 3,072 in base64. */
const answerBytes = 67_108_864;
/** A short answer is parsed in a moment, so it needs no worker thread. */
const shortBytes = 131_072;

/**
 * Reads a provider's answer: a short one here, a long one on a worker thread. Throws `upstream_bad_response` if it
 * doesn't contain the requested embeddings.
 */
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
