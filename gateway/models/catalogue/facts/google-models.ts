import type { ModelFacts, Source } from '../model-facts.ts';

/** Facts about Google's models at the Gemini API. */

const read = '2026-11-22';
const page = (path: string): Source => ({ url: `https://ai.google.dev/gemini-api/docs/${path}`, read });

const levels = page('generate-content/thinking');
const images = page('image-generation');
const three6 = page('whats-new-gemini-3.6');
const latest = page('latest-model');
const signatures = page('thought-signatures');
const structured = page('structured-output');
const deprecations = page('deprecations');
const searching = page('google-search');
const prices = page('pricing');
const seen = {
  noPrefill: { url: 'https://github.com/LibreChat-AI/agents/pull/323', read },
  noMinimal: { url: 'https://github.com/earendil-works/pi/issues/9455', read },
  migration: { url: 'https://apidog.com/blog/gemini-3-7-to-3-8-flash-migration-guide/', read },
  noFormatWithTools: { url: 'https://github.com/googleapis/python-genai/issues/706', read },
};

const common = {
  makesImages: false,
  description: null,
  released: null,
  deprecated: null,
  shutDown: null,
  successor: null,
  contextLength: 1_048_576,
  maxOutputTokens: 65_536,
  inputs: ['text', 'image', 'file', 'audio'],
  streamsToVerifiedOnly: false,
  responses: false,
  forcedTools: 'always',
  parallelToolCalls: false,
  samplesWhileThinking: true,
  notTogether: null,
  maxSeed: 2 ** 31 - 1,
  maxTemperature: 2,
  refusedFields: [],
  schema: 'as_sent',
  jsonMode: 'as_sent',
  beginsWithUser: true,
  refusesBlankTurns: true,
} as const;

/**
 * A request can't limit the number of searches, and it can't have functions at the same time. Gemini 3 is charged by
 * the search, Gemini 2.5 by the request.
 */
const webSearch = {
  three: { price: '0.014', charged: 'searches', max: 10, besideTools: false },
  two5: { price: '0.035', charged: 'requests', max: 1, besideTools: false },
} as const;

const three = {
  ...common,
  webSearch: webSearch.three,
  efforts: ['minimal', 'low', 'medium', 'high'],
  thinking: { by: 'level' },
  picturesInResults: true,
  sampling: ['temperature', 'top_p'],
  formatWithTools: true,
  prefill: true,
  sources: [levels, latest, signatures, structured, deprecations, searching, prices],
} as const;

/** Since version 3.6 sampling can't be changed, and a request that ends with the model's turn is refused. */
const fixedSampling = {
  ...three,
  sampling: [],
  prefill: false,
  sources: [...three.sources, three6, seen.noPrefill],
} as const;

/**
 * Models that generate images. By their documentation they have no functions, and accept 65,536 or 131,072 input
 * tokens. Their thinking can't be controlled.
 */
const painting = {
  ...three,
  makesImages: true,
  schema: 'in_words',
  jsonMode: 'in_words',
  inputs: ['text', 'image'],
  efforts: [],
  contextLength: 65_536,
  maxOutputTokens: 32_768,
  released: '2026-05-28',
  prefill: false,
  sources: [images, prices, deprecations, searching],
} as const;

const withoutMinimal = {
  ...fixedSampling,
  efforts: ['low', 'medium', 'high'],
  sources: [...fixedSampling.sources, seen.noMinimal],
} as const;

const two5 = {
  ...common,
  webSearch: webSearch.two5,
  thinking: { by: 'thinking_budget', min: 1, max: 24_576 },
  efforts: ['none', 'minimal', 'low', 'medium', 'high'],
  picturesInResults: false,
  sampling: ['temperature', 'top_p'],
  formatWithTools: false,
  prefill: true,
  sources: [levels, structured, deprecations, seen.noFormatWithTools, searching, prices],
} as const;

export const googleModels: readonly ModelFacts[] = [
  {
    ...painting,
    id: 'google/gemini-3.1-flash-image',
    description: 'Fast creation and editing of images in conversation (Nano Banana 2).',
    contextLength: 131_072,
    quality: 0.5,
    speed: [6_000, 120],
  },
  {
    ...painting,
    id: 'google/gemini-3-pro-image',
    description: 'Images with precise text and layouts, for professional use (Nano Banana Pro).',
    quality: 0.6,
    speed: [12_000, 100],
  },
  {
    ...withoutMinimal,
    id: 'google/gemini-3.8-flash',
    description: "Google's most intelligent workhorse model, for agentic workflows and coding.",
    released: '2026-09-02',
    sources: [...withoutMinimal.sources, seen.migration],
    quality: 0.74,
    speed: [900, 170],
  },
  {
    ...withoutMinimal,
    id: 'google/gemini-3.7-flash',
    description: 'General agentic workflows, multi-step orchestration and coding.',
    quality: 0.74,
    speed: [900, 170],
  },
  {
    ...fixedSampling,
    id: 'google/gemini-3.6-flash',
    description: 'Balances speed with intelligence for agentic and multimodal tasks.',
    quality: 0.74,
    speed: [900, 170],
  },
  {
    ...three,
    id: 'google/gemini-3.5-flash',
    description: 'Balanced tasks, tool calling and intermediate reasoning.',
    released: '2026-05-19',
    quality: 0.73,
    speed: [900, 170],
  },
  {
    ...fixedSampling,
    id: 'google/gemini-3.5-flash-lite',
    description: 'The fastest and lowest-cost model of its family, for high-throughput execution.',
    quality: 0.55,
    speed: [500, 250],
  },
  {
    ...three,
    id: 'google/gemini-3.1-pro-preview',
    description: 'Deep reasoning and high-complexity tasks.',
    efforts: ['low', 'medium', 'high'],
    released: '2026-02-19',
    quality: 0.83,
    speed: [2500, 100],
  },
  {
    ...three,
    id: 'google/gemini-3.1-flash-lite',
    description: 'High-volume, cost-sensitive and latency-sensitive tasks.',
    released: '2026-05-07',
    shutDown: '2027-05-07',
    quality: 0.5,
    speed: [500, 250],
  },
  {
    ...three,
    id: 'google/gemini-3-flash-preview',
    released: '2025-12-17',
    quality: 0.68,
    speed: [900, 170],
  },
  {
    ...two5,
    id: 'google/gemini-2.5-pro',
    // The thinking of this model can't be turned off.
    thinking: { by: 'thinking_budget', min: 128, max: 32_768 },
    efforts: ['minimal', 'low', 'medium', 'high', 'xhigh'],
    released: '2025-06-17',
    shutDown: '2026-12-01',
    successor: 'google/gemini-3.8-flash',
    quality: 0.7,
    speed: [2500, 100],
  },
  {
    ...two5,
    id: 'google/gemini-2.5-flash',
    released: '2025-06-17',
    shutDown: '2026-12-01',
    successor: 'google/gemini-3.5-flash-lite',
    quality: 0.52,
    speed: [700, 180],
  },
  {
    ...two5,
    id: 'google/gemini-2.5-flash-lite',
    thinking: { by: 'thinking_budget', min: 512, max: 24_576 },
    released: '2025-07-22',
    quality: 0.38,
    speed: [400, 250],
  },
];
