import { knownProviders } from './known-providers.ts';

/** The APIs that a user's own server can have. */
export const serverKinds = ['openai-compatible', 'azure-openai', 'ollama', 'lmstudio', 'llamacpp', 'vllm'] as const;

export type ServerKind = (typeof serverKinds)[number];

/** Reserved names. */
const taken: ReadonlySet<string> = new Set([
  ...knownProviders.map(({ id }) => id),
  'router',
  'auto',
  'sandbox',
  'portico',
]);

/**
 * Whether a server may have this id in `provider` and before the slash of its models: short, simple and not reserved.
 */
export const isServerId = (id: string): boolean => /^[a-z][a-z0-9-]{0,31}$/.test(id) && !taken.has(id);

export const serverIdRule =
  'it needs up to 32 small letters, digits and "-", a letter first, and no name that has a meaning already';
