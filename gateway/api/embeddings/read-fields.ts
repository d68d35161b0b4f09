import { AppError } from '#shared/errors.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import { embeddingsRequest } from '#shared/wire/embeddings.ts';
import { tokensOfBytes } from '../../providers/content/estimate-tokens.ts';
import type { EmbeddingFormat, EmbeddingInputs } from '../../providers/embedding.ts';
import { requestLimits } from '../../runtime/json/json-limits.ts';
import { getOutline, parseBody } from '../../runtime/json/parse-json.ts';
import { parseRequest, unknownWarnings } from '../chat/check-fields.ts';
import { takeByoKey } from '../chat/read-chat-request.ts';
import type { EmbeddingBody } from './embedding-call-task.ts';

/** The contents of a request's body, in plain values that threads can pass to each other. */
export interface EmbeddingFields {
  readonly provider: string | null;
  readonly model: string;
  readonly inputs: EmbeddingInputs;
  readonly extent: InputExtent;
  readonly dimensions: number | null;
  readonly format: EmbeddingFormat;
  readonly user: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly byoKey: string | null;
  readonly warnings: readonly Warning[];
}

/** The size of the inputs. For texts the tokens are estimated, at most at about twice their real number. */
interface InputExtent {
  readonly kind: 'texts' | 'tokens';
  readonly inputTokens: number;
  /** The number of tokens that no tokenizer exceeds for these inputs. */
  readonly tokenCeiling: number;
  readonly longest: { readonly index: number; readonly tokens: number };
}

const { input: _, ...otherFields } = embeddingsRequest.shape;
const others = embeddingsRequest.omit({ input: true });
const maxInputs = 2_048;
/** Tokens for a provider's marks around an input, and for the instruction that some models begin with. */
const ownTokens = 64;

/** Reads a parsed body. Throws the contract's 400 codes. */
export function embeddingFields(body: Record<string, unknown>, strict: boolean): EmbeddingFields {
  const byoKey = takeByoKey(body);
  const { input, ...rest } = body;
  const request = parseRequest(others, rest);
  const inputs = getInputs(input);
  return {
    provider: request.provider ?? null,
    model: request.model,
    inputs,
    extent: getExtent(inputs),
    dimensions: request.dimensions ?? null,
    format: request.encoding_format ?? 'float',
    user: request.user ?? null,
    metadata: request.metadata ?? {},
    byoKey,
    warnings: unknownWarnings(rest, otherFields, strict),
  };
}

/** Each token is a JSON value, and a request for embeddings may have more values than a chat. */
const largeLimits = { ...requestLimits, values: 400_000 };
const inputName = Buffer.from('"input"');

/** Reads the fields from the bytes of a large body. */
export function readEmbeddingFields({ blocks, strict }: EmbeddingBody): EmbeddingFields {
  const bytes = Buffer.concat(blocks);
  return embeddingFields(parseBody(bytes, getOutline(bytes, inputName, largeLimits)).value, strict);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isToken = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

function getInputs(input: unknown): EmbeddingInputs {
  if (input === undefined || input === null) throw fault('missing_required_parameter', 'input', 'is missing');
  if (isText(input)) return [checkedText(input, 'input')];
  if (!Array.isArray(input)) throw fault('invalid_type', 'input', 'must be a string, or a list of strings or tokens');
  if (input.length === 0) throw fault('invalid_value', 'input', 'is empty');
  if (typeof input[0] === 'number') return [checkedTokens(input, 'input')];
  if (input.length > maxInputs) throw fault('invalid_value', 'input', `has more than ${maxInputs} inputs`);
  return isText(input[0])
    ? input.map((item, index) => checkedText(item, `input[${index}]`))
    : input.map((item, index) => checkedTokens(item, `input[${index}]`));
}

function checkedText(value: unknown, param: string): string {
  if (!isText(value)) throw fault('invalid_type', param, 'must be a string, as the inputs before it');
  if (value === '') throw fault('invalid_value', param, 'is empty');
  return value;
}

function checkedTokens(value: unknown, param: string): number[] {
  if (!Array.isArray(value)) throw fault('invalid_type', param, 'must be a list of tokens');
  if (value.length === 0) throw fault('invalid_value', param, 'is empty');
  const wrong = value.findIndex((token) => !isToken(token));
  if (wrong >= 0) throw fault('invalid_type', `${param}[${wrong}]`, 'must be the number of a token');
  return value;
}

const fault = (code: 'missing_required_parameter' | 'invalid_type' | 'invalid_value', param: string, why: string) =>
  new AppError(code, `"${param}" ${why}.`, { param });

function getExtent(inputs: EmbeddingInputs): InputExtent {
  let [inputTokens, tokenCeiling] = [0, 0];
  let longest = { index: 0, tokens: 0 };
  for (const [index, input] of inputs.entries()) {
    const size = isText(input) ? Buffer.byteLength(input) : input.length;
    const tokens = isText(input) ? tokensOfBytes(size) : size;
    inputTokens += tokens;
    tokenCeiling += size + ownTokens;
    if (tokens > longest.tokens) longest = { index, tokens };
  }
  return { kind: isText(inputs[0]) ? 'texts' : 'tokens', inputTokens, tokenCeiling, longest };
}
