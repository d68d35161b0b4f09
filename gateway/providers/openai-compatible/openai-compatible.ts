import { asArray, asObject } from '../../json/json-value.ts';
import { answerEvents } from '../../upstream/event-stream.ts';
import { readJson, upstreamFetch } from '../../upstream/upstream-fetch.ts';
import type { Provider, ProviderContext, ProviderCredential } from '../provider.ts';
import { upstreamBody } from '../upstream-body.ts';
import { createChunkReader } from './completion-chunks.ts';
import { type Dialect, dialectOf, openAiDialect } from './dialects.ts';
import { listedEntry } from './listed-entry.ts';

export interface CompatibleOptions {
  readonly id: string;
  readonly name: string;
  /** Where it is not the one that the table has for this id. */
  readonly dialect?: Dialect;
  /** Where the chat completions of a model are, below or beside the address; else where OpenAI has them. */
  readonly chatUrl?: (credential: ProviderCredential, model: string) => string;
}

/** Any server that speaks OpenAI's chat completions, in its own dialect: Ollama, Mistral, another gateway, OpenAI itself. */
export function createOpenAiCompatible(options: CompatibleOptions): Provider {
  const { id, name, dialect = dialectOf(options), chatUrl = usualChatUrl } = options;
  return {
    id,
    name,
    signsReasoning: dialect.keepsExtraContent || dialect.givesBack === 'reasoning_details',
    fetchesImages: dialect.fetchesImages,
    wholeAnswerTokens: Number.POSITIVE_INFINITY,
    async chat(request, context, take) {
      const response = await upstreamFetch({
        ...callFor(id, context, dialect, chatUrl(context.credential, request.model)),
        body: await upstreamBody(request, { kind: 'completions', dialect }),
      });
      await answerEvents(response, id, createChunkReader(id), context, take);
    },
    async models(context) {
      const response = await upstreamFetch(callFor(id, context, dialect, addressOf(context.credential, '/models')));
      const body = await readJson(response, id);
      // Together answers with the bare list.
      const entries = Array.isArray(body) ? body : asArray(asObject(body).data);
      return entries.flatMap((entry) => listedEntry(entry, dialect.notForChat));
    },
    ...(dialect.keyCheckPath === null ? {} : { checkKey: keyCheck(id, dialect, dialect.keyCheckPath) }),
  };
}

const keyCheck = (id: string, dialect: Dialect, path: string) => async (context: ProviderContext) => {
  const response = await upstreamFetch(callFor(id, context, dialect, addressOf(context.credential, path)));
  await response.body?.cancel().catch(() => {});
};

const addressOf = ({ baseUrl }: ProviderCredential, path: string) => `${baseUrl.replace(/\/+$/, '')}${path}`;
const usualChatUrl = (credential: ProviderCredential) => addressOf(credential, '/chat/completions');

/** A call to OpenAI, with its key. */
export const openAiCall = (provider: string, context: ProviderContext, path: string) =>
  callFor(provider, context, openAiDialect, addressOf(context.credential, path));

/** What every call to a server of this family needs. */
export function callFor(provider: string, context: ProviderContext, dialect: Dialect, url: string) {
  const { credential, fetch, signal } = context;
  return { provider, url, headers: { ...dialect.headers, ...authorization(credential, dialect) }, fetch, signal };
}

function authorization({ apiKey }: ProviderCredential, { keyHeader }: Dialect): Record<string, string> {
  if (!apiKey) return {};
  return keyHeader === 'api-key' ? { 'api-key': apiKey.reveal() } : { authorization: `Bearer ${apiKey.reveal()}` };
}
