import type { Capability, CatalogueModel } from './catalogue.ts';
import { anthropicModels } from './facts/anthropic-models.ts';
import { googleModels } from './facts/google-models.ts';
import { openAiModels } from './facts/openai-models.ts';
import type { ModelFacts } from './model-facts.ts';

/** All known facts about models, vendor by vendor. */
export const modelFacts: readonly ModelFacts[] = [...openAiModels, ...anthropicModels, ...googleModels];
const byId = new Map(modelFacts.map((facts) => [facts.id, facts]));

/**
 * Returns the facts of `provider/model`. Throws if there are none, because a model enters the price book together with
 * its facts.
 */
export function getFacts(id: string): ModelFacts {
  const facts = byId.get(id);
  if (!facts) throw new Error(`the catalogue has no facts of ${id}`);
  return facts;
}

/** Parameters that depend on the provider rather than on the model. */
const providerParameters: Readonly<Record<string, readonly string[]>> = {
  openai: ['seed', 'user'],
  anthropic: ['stop', 'user', 'cache_control'],
  google: ['stop', 'seed'],
};

type Claims = Pick<
  CatalogueModel,
  | 'description'
  | 'created'
  | 'capabilities'
  | 'supportedParameters'
  | 'inputModalities'
  | 'outputModalities'
  | 'quality'
  | 'speed'
  | 'maxOutputTokens'
  | 'deprecationDate'
  | 'shutdownDate'
  | 'successor'
  | 'facts'
>;

/** Returns what the list of models claims about a model: only what works. */
export function getClaims(facts: ModelFacts): Claims {
  const [firstTokenMs, tokensPerSecond] = facts.speed;
  return {
    description: facts.description,
    created: facts.released === null ? 0 : Date.parse(facts.released) / 1_000,
    capabilities: getCapabilities(facts),
    supportedParameters: getParameters(facts),
    inputModalities: facts.inputs,
    outputModalities: facts.makesImages ? ['text', 'image'] : ['text'],
    quality: facts.quality,
    speed: { firstTokenMs, tokensPerSecond },
    maxOutputTokens: facts.maxOutputTokens,
    deprecationDate: facts.deprecated,
    shutdownDate: facts.shutDown,
    successor: facts.successor,
    facts,
  };
}

function getCapabilities({ schema, inputs, efforts, webSearch, makesImages }: ModelFacts): Capability[] {
  const claims: readonly (readonly [Capability, boolean])[] = [
    ['streaming', true],
    ['tools', !makesImages],
    ['json_mode', true],
    ['json_schema', schema !== 'in_words'],
    ['vision', inputs.includes('image')],
    ['files', inputs.includes('file')],
    ['audio', inputs.includes('audio')],
    ['reasoning', efforts.length > 0],
    ['prompt_cache', !makesImages],
    ['web_search', webSearch !== null],
    ['image_output', makesImages],
  ];
  return claims.filter(([, works]) => works).map(([name]) => name);
}

function getParameters({ id, sampling, parallelToolCalls, efforts, webSearch, makesImages }: ModelFacts): string[] {
  return [
    ...sampling,
    'max_tokens',
    ...(makesImages ? ['modalities'] : ['tools', 'tool_choice']),
    ...(parallelToolCalls ? ['parallel_tool_calls'] : []),
    'response_format',
    ...(providerParameters[id.slice(0, id.indexOf('/'))] ?? []),
    ...(efforts.length > 0 ? ['reasoning_effort'] : []),
    ...(webSearch ? ['web_search_options'] : []),
  ];
}
