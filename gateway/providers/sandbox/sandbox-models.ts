import { parseUsdPerToken, picoUsd } from '#shared/money.ts';
import type { Price } from '#shared/price.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';

/**
 * What the sandbox lists. Every answer is made up, so every record says `simulated` and its price is in test credits;
 * a short answer costs between 0.0001 and 0.001 USD of them.
 */

export const sandboxPrice: Price = {
  prompt: parseUsdPerToken('0.0000006'),
  completion: parseUsdPerToken('0.0000024'),
  cacheRead: null,
  cacheWrite: null,
  request: picoUsd(0n),
  tiers: [],
};

const paintingPrice: Price = { ...sandboxPrice, outputImage: parseUsdPerToken('0.0000048') };
const searchingPrice: Price = { ...sandboxPrice, search: parseUsdPerToken('0.0005') };

interface SandboxModel {
  readonly model: string;
  readonly name: string;
  readonly description: string;
  readonly quality: number;
  readonly capabilities: CatalogueModel['capabilities'];
  readonly speed: CatalogueModel['speed'];
}

const ordinary = { firstTokenMs: 300, tokensPerSecond: 90 };

const models: readonly SandboxModel[] = [
  {
    model: 'tour',
    name: 'Sandbox Tour',
    description:
      'Simulated. Answers questions about Portico: keys, prices, credits, the router, shortcuts, the gateway.',
    quality: 0.1,
    capabilities: ['streaming'],
    speed: ordinary,
  },
  {
    model: 'echo',
    name: 'Sandbox Echo',
    description: 'Simulated. Repeats the last user message exactly.',
    quality: 0.01,
    capabilities: ['streaming'],
    speed: { firstTokenMs: 200, tokensPerSecond: 120 },
  },
  {
    model: 'slow',
    name: 'Sandbox Slow',
    description: 'Simulated. A long answer at about ten tokens a second, to try Stop and leaving a page.',
    quality: 0.01,
    capabilities: ['streaming'],
    speed: { firstTokenMs: 400, tokensPerSecond: 10 },
  },
  {
    model: 'flaky',
    name: 'Sandbox Flaky',
    description:
      'Simulated. Fails on purpose: on the 1st, 3rd, 5th… user message of a chat it refuses with upstream_overloaded ' +
      'before the first token, and a last message that contains the word "cut" is broken off in the middle instead.',
    quality: 0,
    capabilities: ['streaming'],
    speed: ordinary,
  },
  {
    model: 'tools',
    name: 'Sandbox Tools',
    description:
      'Simulated. Calls the tool that the question names, works out its sums with a calculator, or calls the first tool ' +
      'it is offered with arguments made from its schema; then it tells the result. Its search of the web is made up, too.',
    quality: 0.05,
    capabilities: ['streaming', 'tools', 'web_search'],
    speed: ordinary,
  },
  {
    model: 'painter',
    name: 'Sandbox Painter',
    description: 'Simulated. Makes a picture of coloured shapes from the words of the question, without a network.',
    quality: 0.01,
    capabilities: ['streaming', 'vision', 'image_output'],
    speed: { firstTokenMs: 800, tokensPerSecond: 90 },
  },
  {
    model: 'reasoner',
    name: 'Sandbox Reasoner',
    description: 'Simulated. Thinks aloud first, then answers.',
    quality: 0.05,
    capabilities: ['streaming', 'reasoning'],
    speed: { firstTokenMs: 400, tokensPerSecond: 80 },
  },
];

function parsePricing({ capabilities }: SandboxModel): Price {
  if (capabilities.includes('image_output')) return paintingPrice;
  return capabilities.includes('web_search') ? searchingPrice : sandboxPrice;
}

export const sandboxModels: readonly CatalogueModel[] = models.map((entry) => ({
  id: `sandbox/${entry.model}`,
  provider: 'sandbox',
  model: entry.model,
  name: entry.name,
  description: entry.description,
  created: 0,
  contextLength: 128_000,
  maxOutputTokens: 8_192,
  inputModalities: entry.capabilities.includes('vision') ? ['text', 'image'] : ['text'],
  outputModalities: entry.capabilities.includes('image_output') ? ['text', 'image'] : ['text'],
  capabilities: entry.capabilities,
  supportedParameters: [
    'max_tokens',
    'stop',
    ...(entry.capabilities.includes('tools') ? ['tools', 'tool_choice'] : []),
    ...(entry.capabilities.includes('web_search') ? ['web_search_options'] : []),
    ...(entry.capabilities.includes('image_output') ? ['modalities'] : []),
    ...(entry.capabilities.includes('reasoning') ? ['reasoning_effort'] : []),
  ],
  price: parsePricing(entry),
  priceAsOf: '2026-11-20',
  priceSource: 'test credits',
  quality: entry.quality,
  speed: entry.speed,
  deprecationDate: null,
  shutdownDate: null,
  successor: null,
  facts: null,
  aliases: [],
  simulated: true,
}));
