import { asArray, asObject } from '../../json/json-value.ts';
import { answerEvents } from '../../upstream/event-stream.ts';
import { readJson, upstreamFetch } from '../../upstream/upstream-fetch.ts';
import type { Provider, ProviderContext, ProviderCredential } from '../provider.ts';
import { upstreamBody } from '../upstream-body.ts';
import { createChunkReader } from './completion-chunks.ts';
import { type Dialect, dialectOf } from './dialects.ts';
import { listedEntry } from './listed-entry.ts';

export interface CompatibleOptions {
  readonly id: string;
  readonly name: string;
  /** Where it is not the one that the table has for this id. */
  readonly dialect?: Dialect;
}

/** Any server that speaks OpenAI's chat completions, in its own dialect: Ollama, Mistral, another gateway, OpenAI itself. */
export function createOpenAiCompatible(options: CompatibleOptions): Provider {
  const { id, name, dialect = dialectOf(options) } = options;
  return {
    id,
    name,
    fetchesImages: dialect.fetchesImages,
    wholeAnswerTokens: Number.POSITIVE_INFINITY,
    async chat(request, context, take) {
      const response = await upstreamFetch({
        ...callFor(id, context, dialect, '/chat/completions'),
        body: await upstreamBody(request, { kind: 'completions', dialect }),
      });
      await answerEvents(response, id, createChunkReader(id), context, take);
    },
    async models(context) {
      const response = await upstreamFetch(callFor(id, context, dialect, '/models'));
      const body = await readJson(response, id);
      // Together answers with the bare list.
      const entries = Array.isArray(body) ? body : asArray(asObject(body).data);
      return entries.flatMap((entry) => listedEntry(entry, dialect.notForChat));
    },
    ...(dialect.keyCheckPath === null ? {} : { checkKey: keyCheck(id, dialect, dialect.keyCheckPath) }),
  };
}

const keyCheck = (id: string, dialect: Dialect, path: string) => async (context: ProviderContext) => {
  const response = await upstreamFetch(callFor(id, context, dialect, path));
  await response.body?.cancel().catch(() => {});
};

function callFor(provider: string, context: ProviderContext, dialect: Dialect, path: string) {
  const call = openAiCall(provider, context, path);
  return { ...call, headers: { ...dialect.headers, ...call.headers } };
}

/** A call to a server that speaks as OpenAI does, with its key. */
export function openAiCall(provider: string, { credential, fetch, signal }: ProviderContext, path: string) {
  const url = `${credential.baseUrl.replace(/\/+$/, '')}${path}`;
  return { provider, url, headers: authorization(credential), fetch, signal };
}

function authorization({ apiKey }: ProviderCredential): Record<string, string> {
  return apiKey ? { authorization: `Bearer ${apiKey.reveal()}` } : {};
}
