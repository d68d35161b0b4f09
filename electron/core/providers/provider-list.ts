import type { ProviderId } from '#shared/contract/providers.ts';

export interface KnownProvider {
  readonly id: ProviderId;
  readonly name: string;
  /** The page where its keys are made. */
  readonly keyPage: string | null;
  readonly baseUrl: string | null;
  /** A server that may want no key, such as one on this machine. */
  readonly keyOptional: boolean;
  readonly env: { readonly key: string; readonly baseUrl: string } | null;
}

/** The providers that the user can have keys for. */
export const providerList: readonly KnownProvider[] = [
  {
    id: 'openai',
    name: 'OpenAI',
    keyPage: 'https://platform.openai.com/api-keys',
    baseUrl: 'https://api.openai.com/v1',
    keyOptional: false,
    env: { key: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL' },
  },
  {
    id: 'anthropic',
    name: 'Anthropic',
    keyPage: 'https://console.anthropic.com/settings/keys',
    baseUrl: 'https://api.anthropic.com',
    keyOptional: false,
    env: { key: 'ANTHROPIC_API_KEY', baseUrl: 'ANTHROPIC_BASE_URL' },
  },
  {
    id: 'google',
    name: 'Google',
    keyPage: 'https://aistudio.google.com/apikey',
    baseUrl: 'https://generativelanguage.googleapis.com',
    keyOptional: false,
    env: { key: 'GOOGLE_API_KEY', baseUrl: 'GOOGLE_BASE_URL' },
  },
  {
    id: 'openai-compatible',
    name: 'OpenAI-compatible server',
    keyPage: null,
    baseUrl: null,
    keyOptional: true,
    env: null,
  },
];
