import { isOwnServer } from '#shared/known-providers.ts';
import { type Dialect, openAiDialect } from '../openai-compatible/dialects.ts';
import { callFor, createOpenAiCompatible, type Endpoint } from '../openai-compatible/openai-compatible.ts';
import { chatByResponses } from '../openai-responses/openai-responses.ts';
import type { NamedServer, Provider, ProviderCredential } from '../provider.ts';
import { upstreamFetch } from '../upstream/upstream-fetch.ts';

/** Azure serves OpenAI's models in OpenAI's own dialect, but reads the key from the header `api-key`. */
export const azureDialect: Dialect = { ...openAiDialect, keyHeader: 'api-key' };

/**
 * Azure OpenAI. A model is addressed by the name of its deployment: in the body at `/openai/v1`, or in the path if an
 * `api-version` is given (learn.microsoft.com/azure/foundry/openai/api-version-lifecycle, read 2026-11-22; the newest
 * dated version that isn't a preview is 2024-10-21). No free call lists the deployments, and Azure's list of models
 * names what could be deployed. So `models` only checks the key and returns an empty list.
 */
export function createAzureOpenAi({ id, name }: Pick<Provider, 'id' | 'name'>): Provider {
  const byCompletions = createOpenAiCompatible({ id, name, dialect: azureDialect, getUrl });
  return {
    ...byCompletions,
    showsThinking: false,
    chat(request, context, take) {
      if (request.api !== 'responses') return byCompletions.chat(request, context, take);
      const call = callFor(id, context, azureDialect, `${getRoot(context.credential)}/openai/v1/responses`);
      return chatByResponses(request, { summary: false, reasoning: true }, context, take, call);
    },
    async models(context) {
      const response = await upstreamFetch(callFor(id, context, azureDialect, modelsUrl(context.credential)));
      await response.body?.cancel().catch(() => {});
      return [];
    },
  };
}

/**
 * Whether a provider may have OpenAI's Responses API: OpenAI does, and so may a server of one's own. At Azure only
 * `/openai/v1` has it in the same form.
 */
export const mayHaveResponses = (id: string, server: NamedServer | undefined): boolean =>
  server?.kind === 'azure-openai' ? server.apiVersion === null : id === 'openai' || isOwnServer(id);

function getUrl(credential: ProviderCredential, deployment: string, endpoint: Endpoint): string {
  const version = credential.server?.apiVersion ?? null;
  const root = getRoot(credential);
  if (version === null) return `${root}/openai/v1/${endpoint}`;
  return `${root}/openai/deployments/${encodeURIComponent(deployment)}/${endpoint}?${query(version)}`;
}

function modelsUrl(credential: ProviderCredential): string {
  const version = credential.server?.apiVersion ?? null;
  return version === null
    ? `${getRoot(credential)}/openai/v1/models`
    : `${getRoot(credential)}/openai/models?${query(version)}`;
}

const query = (version: string) => `api-version=${encodeURIComponent(version)}`;

/** The Azure portal shows the resource's address both with and without the `/openai/v1` path. */
const getRoot = ({ baseUrl }: ProviderCredential) => baseUrl.replace(/\/+$/, '').replace(/\/openai(?:\/v1)?$/, '');
