import { asArray, asCount, asObject, asText } from '../../lib/json-value.ts';
import { readEvents, readTogether } from '../../lib/sse.ts';
import { readJson, upstreamBytes, upstreamFetch } from '../../lib/upstream-fetch.ts';
import type { ListedModel, Provider, ProviderContext, ProviderCredential } from '../provider.ts';
import { createChunkReader } from './completion-chunks.ts';
import { completionBody, type Dialect } from './request-body.ts';

export interface CompatibleOptions {
  readonly id: string;
  readonly name: string;
  readonly dialect?: Dialect;
}

const localDialect: Dialect = { maxTokensField: 'max_tokens', keepsExtensions: true, knowsDeveloperRole: false };

/** Any server that speaks OpenAI's chat completions: Ollama, vLLM, LM Studio, another gateway, and OpenAI itself. */
export function createOpenAiCompatible({ id, name, dialect = localDialect }: CompatibleOptions): Provider {
  return {
    id,
    name,
    async *chat(request, context) {
      const response = await upstreamFetch({
        ...callFor(id, context, '/chat/completions'),
        body: completionBody(request, dialect),
      });
      const reader = createChunkReader(id);
      for await (const events of readEvents(upstreamBytes(response, id))) {
        const { said, failure } = readTogether(events, reader.read);
        yield said;
        if (failure) throw failure.error;
        if (reader.done) break;
      }
      yield reader.end();
    },
    async models(context) {
      const response = await upstreamFetch(callFor(id, context, '/models'));
      return asArray(asObject(await readJson(response, id)).data).flatMap(listed);
    },
  };
}

function callFor(provider: string, context: ProviderContext, path: string) {
  const { credential, fetch, signal } = context;
  return {
    provider,
    url: `${credential.baseUrl.replace(/\/+$/, '')}${path}`,
    headers: authorization(credential),
    fetch,
    signal,
  };
}

function authorization({ apiKey }: ProviderCredential): Record<string, string> {
  return apiKey ? { authorization: `Bearer ${apiKey.reveal()}` } : {};
}

function listed(value: unknown): ListedModel[] {
  const entry = asObject(value);
  const model = asText(entry.id);
  if (!model) return [];
  const contextLength = asCount(entry.context_length) ?? asCount(entry.max_model_len);
  return [{ model, created: asCount(entry.created), contextLength }];
}
