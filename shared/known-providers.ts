/**
 * All providers for which a gateway can have credentials: name, address and requirements. How their APIs differ is in
 * the gateway (`gateway/providers/openai-compatible/dialects.ts`).
 */

export interface KnownProvider {
  readonly id: string;
  readonly name: string;
  /** The default base URL. Null if only the server's owner knows it. */
  readonly baseUrl: string | null;
  /** The provider's web page for creating keys. */
  readonly keyPage: string | null;
  /** A self-hosted server. It may need no key, and is often reached by plain http in a private network. */
  readonly ownServer: boolean;
  /** Environment variables for the key and the base URL. Self-hosted servers are configured by the base URL alone. */
  readonly env: { readonly key: string; readonly baseUrl: string };
}

const hosted = <Id extends string>(id: Id, name: string, baseUrl: string, keyPage: string) => ({
  id,
  name,
  baseUrl,
  keyPage,
  ownServer: false,
  env: variables(id),
});

const ownServer = <Id extends string>(id: Id, name: string, baseUrl: string | null) => ({
  id,
  name,
  baseUrl,
  keyPage: null,
  ownServer: true,
  env: variables(id),
});

function variables(id: string): KnownProvider['env'] {
  const prefix = id.toUpperCase().replaceAll('-', '_');
  return { key: `${prefix}_API_KEY`, baseUrl: `${prefix}_BASE_URL` };
}

/** In order of priority: if several providers have a model of the same name, the first configured one answers. */
export const knownProviders = [
  hosted('openai', 'OpenAI', 'https://api.openai.com/v1', 'https://platform.openai.com/api-keys'),
  hosted('anthropic', 'Anthropic', 'https://api.anthropic.com', 'https://console.anthropic.com/settings/keys'),
  hosted('google', 'Google', 'https://generativelanguage.googleapis.com', 'https://aistudio.google.com/apikey'),
  hosted('mistral', 'Mistral', 'https://api.mistral.ai/v1', 'https://console.mistral.ai/api-keys'),
  hosted('deepseek', 'DeepSeek', 'https://api.deepseek.com', 'https://platform.deepseek.com/api_keys'),
  hosted('xai', 'xAI', 'https://api.x.ai/v1', 'https://console.x.ai'),
  hosted('groq', 'Groq', 'https://api.groq.com/openai/v1', 'https://console.groq.com/keys'),
  hosted('cerebras', 'Cerebras', 'https://api.cerebras.ai/v1', 'https://cloud.cerebras.ai'),
  hosted('together', 'Together AI', 'https://api.together.xyz/v1', 'https://api.together.ai/settings/api-keys'),
  hosted(
    'fireworks',
    'Fireworks AI',
    'https://api.fireworks.ai/inference/v1',
    'https://app.fireworks.ai/settings/users/api-keys',
  ),
  hosted('openrouter', 'OpenRouter', 'https://openrouter.ai/api/v1', 'https://openrouter.ai/settings/keys'),
  ownServer('ollama', 'Ollama', 'http://127.0.0.1:11434/v1'),
  ownServer('lmstudio', 'LM Studio', 'http://127.0.0.1:1234/v1'),
  ownServer('llamacpp', 'llama.cpp', 'http://127.0.0.1:8080/v1'),
  ownServer('vllm', 'vLLM', 'http://127.0.0.1:8000/v1'),
  ownServer('openai-compatible', 'OpenAI-compatible server', null),
] as const satisfies readonly KnownProvider[];

export type ProviderId = (typeof knownProviders)[number]['id'];

export const providerIds = knownProviders.map(({ id }) => id) as [ProviderId, ...ProviderId[]];

export const knownProvider = (id: string): KnownProvider | null =>
  knownProviders.find((provider) => provider.id === id) ?? null;

/** Whether the provider is self-hosted. Unknown providers count as self-hosted. */
export const isOwnServer = (id: string): boolean => knownProvider(id)?.ownServer ?? true;

/** The provider's usual spelling. Unknown providers keep their id. */
export const knownProviderName = (id: string): string => knownProvider(id)?.name ?? id;
