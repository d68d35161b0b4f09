import { AppError } from '#shared/errors.ts';
import { asArray, asObject } from '#shared/json/foreign-json.ts';
import { isOwnServer } from '#shared/known-providers.ts';
import { type BodyWriter, upstreamBody } from '../changed-request.ts';
import { getMaxEvent } from '../content/made-images.ts';
import { readEmbeddings } from '../embedding.ts';
import type { Provider, ProviderContext, ProviderCredential } from '../provider.ts';
import { answerEvents } from '../upstream/event-stream.ts';
import { listsNothing } from '../upstream/upstream-error.ts';
import { readJson, upstreamFetch } from '../upstream/upstream-fetch.ts';
import { createChunkReader } from './completion-chunks.ts';
import { type Dialect, getDialect, openAiDialect } from './dialects.ts';
import { getGeneration } from './generation.ts';
import { listedEntry } from './listed-entry.ts';

interface CompatibleOptions {
  readonly id: string;
  readonly name: string;
  /** Where it is not the one that the table has for this id. */
  readonly dialect?: Dialect;
  /** Where the chat completions and embeddings of a model are, below or beside the address; else where OpenAI has them. */
  readonly getUrl?: (credential: ProviderCredential, model: string, endpoint: Endpoint) => string;
}

export type Endpoint = 'chat/completions' | 'embeddings';

/** Any server that speaks OpenAI's chat completions, in its own dialect: Ollama, Mistral, another gateway, OpenAI itself. */
export function createOpenAiCompatible(options: CompatibleOptions): Provider {
  const { id, name, dialect = getDialect(options), getUrl = usualUrl } = options;
  const writer: BodyWriter = { kind: 'completions', dialect };
  return {
    id,
    name,
    signsReasoning: dialect.keepsExtraContent || dialect.givesBack === 'reasoning_details',
    fetchesImages: dialect.fetchesImages,
    reportsCost: dialect.tellsGenerations,
    wholeAnswerTokens: Number.POSITIVE_INFINITY,
    counts: 'last',
    showsThinking: true,
    async chat(request, context, take) {
      const written = upstreamBody(request, writer);
      const body = written instanceof Promise ? await written : written;
      const call = callFor(id, context, dialect, getUrl(context.credential, request.model, 'chat/completions'));
      const response = await upstreamFetch({ ...call, body });
      const reader = createChunkReader(id, getMaxEvent(request));
      const named = response.headers.get('x-generation-id');
      if (named !== null || dialect.tellsGenerations) {
        const api = { ...call, url: getAddress(context.credential, '') };
        context.tellsBill?.(getGeneration(api, () => named ?? reader.id));
      }
      await answerEvents(response, id, reader, context, take);
    },
    async embed(request, context) {
      const { model, inputs, dimensions, user, format } = request;
      const body = {
        model,
        input: inputs,
        ...(dimensions === null ? {} : { dimensions }),
        ...(dialect.encodesVectors ? { encoding_format: format } : {}),
        ...(user === null || dialect.refuses.includes('user') ? {} : { user }),
      };
      const call = callFor(id, context, dialect, getUrl(context.credential, model, 'embeddings'));
      return readEmbeddings(await upstreamFetch({ ...call, body }), id, request, 'openai');
    },
    async models(context) {
      const call = callFor(id, context, dialect, getAddress(context.credential, '/models'));
      const response = await upstreamFetch(call).catch((error: unknown) => {
        throw isOwnServer(id) && hasNoList(error) ? listsNothing(id, 'no_model_list', error) : error;
      });
      const body = await readJson(response, id);
      // Together answers with the bare list.
      const entries = Array.isArray(body) ? body : asArray(asObject(body).data);
      return entries.flatMap((entry) => listedEntry(entry, dialect.notForChat));
    },
    ...(dialect.keyCheckPath === null ? {} : { checkKey: keyCheck(id, dialect, dialect.keyCheckPath) }),
  };
}

/** A vendor has a list: there a page that is missing means another address. */

const hasNoList = (error: unknown): error is AppError =>
  error instanceof AppError && [404, 405, 501].includes(error.providerError?.status ?? 0);

const keyCheck = (id: string, dialect: Dialect, path: string) => async (context: ProviderContext) => {
  const response = await upstreamFetch(callFor(id, context, dialect, getAddress(context.credential, path)));
  await response.body?.cancel().catch(() => {});
};

const getAddress = ({ baseUrl }: ProviderCredential, path: string) => `${baseUrl.replace(/\/+$/, '')}${path}`;
const usualUrl = (credential: ProviderCredential, _model: string, endpoint: Endpoint) =>
  getAddress(credential, `/${endpoint}`);

/** A call to OpenAI, with its key. */
export const openAiCall = (provider: string, context: ProviderContext, path: string) =>
  callFor(provider, context, openAiDialect, getAddress(context.credential, path));

/** What every call to a server of this family needs. */
export function callFor(provider: string, context: ProviderContext, dialect: Dialect, url: string) {
  const { credential, fetch, signal } = context;
  return { provider, url, headers: headersFor(credential, dialect), fetch, signal };
}

type Headers = Readonly<Record<string, string>>;

const known = new WeakMap<ProviderCredential, { readonly dialect: Dialect; readonly headers: Headers }>();

/** Made once for a credential, which has one dialect as long as it is what it is. */
function headersFor(credential: ProviderCredential, dialect: Dialect): Headers {
  const found = known.get(credential);
  if (found?.dialect === dialect) return found.headers;
  const headers = { ...dialect.headers, ...authorization(credential, dialect) };
  known.set(credential, { dialect, headers });
  return headers;
}

function authorization({ apiKey }: ProviderCredential, { keyHeader }: Dialect): Record<string, string> {
  if (!apiKey) return {};
  return keyHeader === 'api-key' ? { 'api-key': apiKey.reveal() } : { authorization: `Bearer ${apiKey.reveal()}` };
}
