import { openAiDialect } from '../openai-compatible/dialects.ts';
import { createOpenAiCompatible } from '../openai-compatible/openai-compatible.ts';
import { chatByResponses } from '../openai-responses/openai-responses.ts';
import type { Provider } from '../provider.ts';
import { createRefusedParts } from './refused-parts.ts';

/**
 * OpenAI: chat completions, and the Responses API where the request says so. What its organisation is refused for want of being
 * verified is left out, and an answer that it may not stream is asked for whole.
 */
export function createOpenAi(): Provider {
  const byCompletions = createOpenAiCompatible({ id: 'openai', name: 'OpenAI', dialect: openAiDialect });
  const refused = createRefusedParts();
  return {
    ...byCompletions,
    signsReasoning: true,
    async chat(request, context, take) {
      for (let parts = refused.of(context.credential, request); ; ) {
        const whole = request.whole === true || !parts.stream;
        if (whole && !request.whole) context.answersWhole?.();
        const asked = whole ? { ...request, whole } : request;
        try {
          if (request.api === 'responses') return await chatByResponses(asked, parts, context, take);
          return await byCompletions.chat(asked, context, take);
        } catch (error) {
          const left = refused.without(parts, error, context.credential, request);
          if (!left) throw error;
          parts = left;
        }
      }
    },
  };
}
