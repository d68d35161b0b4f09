import { createHash } from 'node:crypto';

/**
 * What a field does to the bill: nothing of its own (what it changes is in the counts), more output that is counted and priced as such, or
 * another price for all of it.
 */
interface PassedField {
  readonly bill: 'nothing' | 'counted_output' | 'own_price';
  /** Where that was read, in stored copies of 2026-11-27. */
  readonly source: string;
}

const specification = 'docs.rs/crate/openai-client-base/0.13.0, CreateChatCompletionRequest: no price of its own';

/** OpenAI's own fields that its models are given. No other field is passed on, so that nothing is bought that nobody priced. */
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

/** Names that OpenAI keeps apart within one organisation, which all accounts of this gateway share. */
const namesOfCallers: readonly string[] = ['safety_identifier', 'prompt_cache_key'] satisfies PassedName[];

/** A name as a provider gets it: always the same, and it says nothing. */
export const hashed = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 32);

/** The fields with the names in them hashed with the account: no other account can speak in that name, or share that cache. */
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
