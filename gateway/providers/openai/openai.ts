import { createOpenAiCompatible } from '../openai-compatible/openai-compatible.ts';
import type { Provider } from '../provider.ts';

/** OpenAI's chat completions. `max_completion_tokens` is what all of its models take; reasoning models take nothing else. */
export function createOpenAi(): Provider {
  return createOpenAiCompatible({
    id: 'openai',
    name: 'OpenAI',
    dialect: { maxTokensField: 'max_completion_tokens', keepsExtensions: false, knowsDeveloperRole: true },
  });
}
