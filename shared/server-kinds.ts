import { knownProviders } from './known-providers.ts';

/** What a server under a name of its owner's may speak. */
export const serverKinds = ['openai-compatible', 'azure-openai', 'ollama', 'lmstudio', 'llamacpp', 'vllm'] as const;

export type ServerKind = (typeof serverKinds)[number];

/** Names that mean something else. */
const taken: ReadonlySet<string> = new Set([
  ...knownProviders.map(({ id }) => id),
  'router',
  'auto',
  'sandbox',
  'portico',
]);

/** How a server may be named in `provider` and before the slash of a model: short, plain, and not like anything else. */
export const isServerId = (id: string): boolean => /^[a-z][a-z0-9-]{0,31}$/.test(id) && !taken.has(id);

export const serverIdRule =
  'it needs up to 32 small letters, digits and "-", a letter first, and no name that has a meaning already';
