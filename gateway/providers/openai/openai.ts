import { openAiDialect } from '../openai-compatible/dialects.ts';
import { createOpenAiCompatible } from '../openai-compatible/openai-compatible.ts';
import type { Provider } from '../provider.ts';

/** OpenAI's chat completions. `max_completion_tokens` is what all of its models take; reasoning models take nothing else. */
export function createOpenAi(): Provider {
  return createOpenAiCompatible({ id: 'openai', name: 'OpenAI', dialect: openAiDialect });
}
