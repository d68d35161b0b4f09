import type { Warning } from '#shared/wire/chat-response.ts';
import type { CatalogueModel } from '../catalogue/catalogue.ts';
import type { Effort } from '../catalogue/model-facts.ts';
import type { ProviderRequest } from '../providers/provider.ts';
import { changed, dropped } from './fit-warnings.ts';

type Parameters = ProviderRequest['parameters'];

/** By which of its vendor's APIs a model is asked. */
export type Api = NonNullable<ProviderRequest['api']>;

/**
 * The one place that decides it: OpenAI's Responses API for what its model takes only there. What is asked without tools and
 * without an effort stays where it can be sampled, and where other servers in OpenAI's place answer it too.
 */
export function apiOf({ facts }: Pick<CatalogueModel, 'facts'>, hasTools: boolean, effort: Effort | undefined): Api {
  const thinks = effort !== undefined && effort !== 'none';
  return facts?.responses && (hasTools || thinks) ? 'responses' : 'chat_completions';
}

/**
 * What the Responses API has no word for (nor for `stop` and the penalties, which none of these models takes anywhere), read in its
 * reference at https://developers.openai.com/api/reference/resources/responses on 2026-11-22; and probabilities, which it tells
 * in another form, and only of models that do not think.
 */
export const unknownToResponses: readonly string[] = ['seed', 'logprobs', 'top_logprobs', 'logit_bias', 'prediction'];
/** It refuses a smaller `max_output_tokens` (https://github.com/earendil-works/pi/issues/6265, read 2026-11-22). */
const leastTokens = 16;

interface Asked {
  readonly parameters: Parameters;
  readonly openaiOnly: Readonly<Record<string, unknown>>;
  readonly maxTokens: number | null;
}

/** A request as the Responses API takes it. */
export function fitToResponses(
  { parameters, openaiOnly, maxTokens }: Asked,
  model: CatalogueModel,
  warnings: Warning[],
): Asked {
  const known = <Fields extends object>(fields: Fields): Fields => {
    const gone = Object.keys(fields).filter((name) => unknownToResponses.includes(name));
    warnings.push(...gone.map((name) => dropped(name, model)));
    return Object.fromEntries(Object.entries(fields).filter(([name]) => !gone.includes(name))) as Fields;
  };
  const tooFew = maxTokens !== null && maxTokens < leastTokens;
  if (tooFew) {
    const why = `${model.id} answers with ${leastTokens} tokens at least beside tools or thinking; that was asked for`;
    warnings.push(changed('max_tokens_raised', 'max_tokens', why));
  }
  return {
    parameters: known(parameters),
    openaiOnly: known(openaiOnly),
    maxTokens: tooFew ? leastTokens : maxTokens,
  };
}
