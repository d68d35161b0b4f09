import { parseUsdPerToken, picoUsd } from '#shared/money.ts';
import type { CatalogueModel } from '../../gateway/models/catalogue/catalogue.ts';

/** Makes a model of a real provider. By default it costs $1 per million tokens in and $4 out. */
export function testModel(id: string, more: Partial<CatalogueModel> = {}): CatalogueModel {
  const [provider = '', model = ''] = id.split('/');
  return {
    id,
    provider,
    model,
    name: id,
    description: null,
    created: 0,
    contextLength: 128_000,
    maxOutputTokens: 32_000,
    inputModalities: ['text', 'image', 'file'],
    outputModalities: ['text'],
    capabilities: ['streaming', 'tools', 'json_mode', 'json_schema', 'vision', 'files', 'reasoning'],
    supportedParameters: ['temperature', 'max_tokens', 'stop', 'tools', 'tool_choice', 'reasoning_effort'],
    price: testPrice('0.000001', '0.000004'),
    priceAsOf: '2026-11-20',
    priceSource: 'test',
    quality: 0.8,
    speed: { firstTokenMs: 500, tokensPerSecond: 100 },
    deprecationDate: null,
    shutdownDate: null,
    successor: null,
    facts: null,
    aliases: [],
    simulated: false,
    ...more,
  };
}

export const testPrice = (prompt: string, completion: string) => ({
  prompt: parseUsdPerToken(prompt),
  completion: parseUsdPerToken(completion),
  cacheRead: null,
  cacheWrite: null,
  request: picoUsd(0n),
  tiers: [],
});
