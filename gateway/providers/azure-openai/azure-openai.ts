import { type Dialect, openAiDialect } from '../openai-compatible/dialects.ts';
import { callFor, createOpenAiCompatible, type Endpoint } from '../openai-compatible/openai-compatible.ts';
import { chatByResponses } from '../openai-responses/openai-responses.ts';
import type { NamedServer, Provider, ProviderCredential } from '../provider.ts';
import { upstreamFetch } from '../upstream/upstream-fetch.ts';

/** OpenAI's models at Azure say what OpenAI's say, and want the key in a header of their own. */
export const azureDialect: Dialect = { ...openAiDialect, keyHeader: 'api-key' };

/**
 * Azure OpenAI. A model is named by its deployment, in the body at `/openai/v1`, in the path where an `api-version` is given
 * (learn.microsoft.com/azure/foundry/openai/api-version-lifecycle, read 2026-11-22; the last dated version that is not a
 * preview is 2024-10-21). No free call lists deployments: its list of models names what could be deployed.
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

/** Only `/openai/v1` has the Responses API in the form of OpenAI's own. */
export const hasResponses = (server: NamedServer | undefined): boolean =>
  server?.kind === 'azure-openai' && server.apiVersion === null;

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

/** The portal shows the resource's address with and without what follows it. */
const getRoot = ({ baseUrl }: ProviderCredential) => baseUrl.replace(/\/+$/, '').replace(/\/openai(?:\/v1)?$/, '');
