import { createHash } from 'node:crypto';

/**
 * How a field affects the cost: not by itself (its effect is in the token counts), by more output that is counted and
 * priced as output, or by another price for the whole request.
 */
interface PassedField {
  readonly bill: 'nothing' | 'counted_output' | 'own_price';
  /** Where this is documented, read in stored copies of 2026-11-27. */
  readonly source: string;
}

const specification = 'docs.rs/crate/openai-client-base/0.13.0, CreateChatCompletionRequest: no price of its own';

/**
 * OpenAI's own fields that are passed on to its models. No other field is, so that a caller can't order anything
 * without a known price.
 */
export const passedFields = {
  logprobs: { bill: 'nothing', source: specification },
  top_logprobs: { bill: 'nothing', source: specification },
  logit_bias: { bill: 'nothing', source: specification },
  verbosity: { bill: 'nothing', source: specification },
  prompt_cache_key: {
    bill: 'nothing',
    source: 'hexdocs.pm/ex_openai, ModelResponseProperties: for more hits of the cache, which are counted',
  },
  safety_identifier: {
    bill: 'nothing',
    source: 'help.openai.com/en/articles/5428082: names a user for the detection of abuse',
  },
  prediction: {
    bill: 'counted_output',
    source: 'v03.api.js.langchain.com, CompletionTokensDetails: rejected tokens are billed as completion tokens',
  },
  service_tier: { bill: 'own_price', source: 'gateway/models/catalogue/service-tiers.ts' },
} as const satisfies Readonly<Record<string, PassedField>>;

export type PassedName = keyof typeof passedFields;

/**
 * Fields with names that OpenAI keeps apart only within an organisation. All accounts of this gateway share one
 * organisation.
 */
const namesOfCallers: readonly string[] = ['safety_identifier', 'prompt_cache_key'] satisfies PassedName[];

/** Hashes a name. The provider always gets the same hash for it and learns nothing from it. */
export const hashed = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 32);

/**
 * Hashes the names in the fields together with the account. Otherwise an account could use the name of another account,
 * or share its cache.
 */
export function withHashedNames(
  fields: Readonly<Record<string, unknown>>,
  accountId: string,
): Readonly<Record<string, unknown>> {
  const hash = ([name, value]: [string, unknown]) =>
    namesOfCallers.includes(name) && typeof value === 'string'
      ? [name, hashed(`${accountId}\n${value}`)]
      : [name, value];
  return namesOfCallers.some((name) => name in fields) ? Object.fromEntries(Object.entries(fields).map(hash)) : fields;
}
