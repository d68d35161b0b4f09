import type { CatalogueModel } from '../../catalogue/catalogue.ts';
import type { ListedModel } from '../provider.ts';

/**
 * A record for a model of which only the name is known. It is offered everything, because a local server ignores or
 * refuses by itself what it lacks; its price and quality stay unknown.
 */
export function listedModel(provider: string, { model, created, contextLength }: ListedModel): CatalogueModel {
  return {
    id: `${provider}/${model}`,
    provider,
    model,
    name: model,
    description: null,
    created: created ?? 0,
    contextLength,
    maxOutputTokens: null,
    inputModalities: ['text', 'image'],
    outputModalities: ['text'],
    capabilities: ['streaming', 'tools', 'json_mode', 'json_schema', 'vision'],
    supportedParameters: [
      'temperature',
      'top_p',
      'max_tokens',
      'stop',
      'seed',
      'frequency_penalty',
      'presence_penalty',
      'tools',
      'tool_choice',
      'parallel_tool_calls',
      'response_format',
      'reasoning_effort',
    ],
    price: null,
    priceAsOf: null,
    priceSource: null,
    quality: null,
    speed: { firstTokenMs: 1_000, tokensPerSecond: 30 },
    deprecationDate: null,
    shutdownDate: null,
    aliases: [],
    simulated: false,
  };
}
