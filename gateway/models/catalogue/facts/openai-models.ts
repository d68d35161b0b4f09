import type { ModelFacts, Source } from '../model-facts.ts';

/** The sources of the facts about OpenAI's models. */

const read = '2026-11-22';
const page = (url: string): Source => ({ url, read });

/** The page of a model that was released after the other pages were read. */
const laterPage = (name: string): Source => ({
  url: `https://developers.openai.com/api/docs/models/${name}`,
  read: '2026-11-27',
});

/** Sources for what the API does but its documentation leaves out. */
const seen = {
  astraEfforts: page('https://github.com/BerriAI/litellm-docs/pull/1173'),
  astraTools: page('https://github.com/genkit-ai/genkit/pull/6303'),
  sixRelease: page('https://docs.laozhang.ai/en/announcements/gpt-6-launch-2026-09.md'),
  sixTools: page('https://github.com/onyx-dot-app/onyx/issues/15008'),
  sixEfforts: page('https://docs.litellm.ai/blog/gpt_6_sol_luna'),
  checklist: page('https://developers.openai.com/api/docs/guides/deployment-checklist'),
  tools56: page('https://github.com/BerriAI/litellm/pull/34569'),
  efforts56: page('https://github.com/livekit/agents/pull/7169'),
  max56: page('https://github.com/experientiallabs/experiential/issues/764'),
  tools55: page('https://github.com/charmbracelet/crush/issues/2913'),
  tools54: page('https://github.com/openai/openai-openapi/issues/541'),
  tools52: page('https://github.com/livekit/agents/pull/5088'),
  sampling: page('https://github.com/langchain-ai/langchain/pull/35424'),
  noParallel: page('https://github.com/langchain-ai/langgraph-supervisor-py/pull/125'),
  minimalParallel: page('https://learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning'),
  oldParameters: page('https://community.openai.com/t/developer-role-not-accepted-for-o1-o1-mini-o3-mini/1110750/7'),
  verified: page('https://help.openai.com/en/articles/10910291-api-organization-verification'),
};

/** Facts about OpenAI's models, at the API that the gateway calls for each of them (`fitting/fit-request.ts`). */

const guide = page('https://developers.openai.com/api/docs/guides/latest-model');
const reasoning = page('https://developers.openai.com/api/docs/guides/reasoning');
const deprecations = page('https://developers.openai.com/api/docs/deprecations');
const searching = page('https://developers.openai.com/api/docs/guides/tools-web-search');
const prices = page('https://developers.openai.com/api/docs/pricing');

/** The web search of the Responses API. `max_tool_calls` limits it. */
const webSearch = { price: '0.01', charged: 'searches', max: 5, besideTools: true } as const;

const common = {
  makesImages: false,
  webSearch: null,
  description: null,
  released: null,
  deprecated: null,
  shutDown: null,
  successor: null,
  inputs: ['text', 'image', 'file'],
  streamsToVerifiedOnly: false,
  responses: false,
  forcedTools: 'always',
  parallelToolCalls: true,
  picturesInResults: false,
  samplesWhileThinking: true,
  notTogether: null,
  maxSeed: Number.MAX_SAFE_INTEGER,
  maxTemperature: 2,
  schema: 'as_sent',
  jsonMode: 'with_the_word',
  formatWithTools: true,
  prefill: true,
  beginsWithUser: false,
  refusesBlankTurns: false,
} as const;

/** Models that think refuse sampling parameters, and the fields that depend on sampling. */
const thinks = {
  ...common,
  thinking: { by: 'effort', byDefault: true },
  sampling: [],
  refusedFields: ['logprobs', 'top_logprobs'],
} as const;

const classic = {
  ...common,
  efforts: [],
  thinking: { by: 'nothing' },
  sampling: ['temperature', 'top_p', 'stop', 'frequency_penalty', 'presence_penalty'],
  refusedFields: ['verbosity'],
  deprecated: '2026-10-14',
  shutDown: '2027-01-14',
  successor: 'openai/gpt-6-luna',
  sources: [deprecations],
} as const;

const six = {
  ...thinks,
  contextLength: 1_050_000,
  maxOutputTokens: 128_000,
  // "max" works only in the Responses API, where all of these models' thinking takes place.
  efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  responses: true,
  webSearch,
  released: '2026-09-22',
  sources: [guide, searching, prices, seen.checklist, seen.sixRelease, seen.sixTools, seen.sixEfforts],
} as const;

/** For these models the API refuses "none" and "minimal". */
const thinksAlways = { ...six, efforts: ['low', 'medium', 'high', 'xhigh', 'max'] } as const;

const five6 = {
  ...six,
  released: null,
  sources: [guide, searching, prices, reasoning, seen.tools56, seen.efforts56, seen.max56],
} as const;

/** These models only think if the request asks for it, and return log probabilities as long as they don't think. */
const five4 = {
  ...thinks,
  thinking: { by: 'effort', byDefault: false },
  samplesWhileThinking: false,
  refusedFields: [],
  maxOutputTokens: 128_000,
  efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
  responses: true,
  webSearch,
  sources: [guide, searching, prices, reasoning, seen.tools54, seen.sampling],
} as const;

const five = {
  ...thinks,
  contextLength: 400_000,
  maxOutputTokens: 128_000,
  efforts: ['minimal', 'low', 'medium', 'high'],
  streamsToVerifiedOnly: true,
  released: '2025-08-07',
  deprecated: '2026-06-11',
  shutDown: '2026-12-11',
  sources: [reasoning, deprecations, seen.verified, seen.minimalParallel],
} as const;

const oSeries = {
  ...thinks,
  contextLength: 200_000,
  maxOutputTokens: 100_000,
  efforts: ['low', 'medium', 'high'],
  parallelToolCalls: false,
  refusedFields: [...thinks.refusedFields, 'logit_bias', 'prediction', 'verbosity'],
  sources: [deprecations, seen.noParallel, seen.oldParameters],
} as const;

export const openAiModels: readonly ModelFacts[] = [
  {
    ...thinksAlways,
    id: 'openai/gpt-6-astra',
    description: "OpenAI's most intelligent model, for the most demanding reasoning, coding and professional work.",
    released: '2026-09-03',
    quality: 0.95,
    speed: [2500, 60],
    sources: [guide, searching, prices, seen.sixRelease, seen.astraEfforts, seen.astraTools],
  },
  {
    ...thinksAlways,
    id: 'openai/gpt-6.2-sol',
    description: "OpenAI's model for everyday work, from coding to powering agents at scale.",
    released: '2026-11-17',
    quality: 0.93,
    speed: [1500, 90],
    sources: [laterPage('gpt-6.2-sol'), ...six.sources],
  },
  {
    ...thinksAlways,
    id: 'openai/gpt-6.1-sol',
    description: 'An upgrade of GPT-6 Sol for coding, computer use and professional work.',
    released: '2026-09-29',
    successor: 'openai/gpt-6.2-sol',
    quality: 0.92,
    speed: [1500, 90],
    sources: [laterPage('gpt-6.1-sol'), ...six.sources],
  },
  {
    ...six,
    id: 'openai/gpt-6-sol',
    description: 'Balances speed, cost and intelligence for complex coding and agentic work.',
    successor: 'openai/gpt-6.1-sol',
    quality: 0.9,
    speed: [1500, 90],
  },
  {
    ...six,
    id: 'openai/gpt-6-luna',
    description: "OpenAI's fastest and most cost-effective model of its generation, for focused, high-volume tasks.",
    quality: 0.68,
    speed: [700, 160],
  },
  { ...five6, id: 'openai/gpt-5.6-sol', quality: 0.88, speed: [1800, 75] },
  { ...five6, id: 'openai/gpt-5.6-terra', quality: 0.82, speed: [1300, 90] },
  { ...five6, id: 'openai/gpt-5.6-luna', quality: 0.72, speed: [900, 130] },
  {
    ...five4,
    id: 'openai/gpt-5.5',
    contextLength: 1_000_000,
    refusedFields: thinks.refusedFields,
    // It isn't documented whether this model thinks by default.
    thinking: thinks.thinking,
    quality: 0.86,
    speed: [2000, 70],
    sources: [guide, searching, prices, reasoning, seen.tools55],
  },
  { ...five4, id: 'openai/gpt-5.4', contextLength: 1_050_000, quality: 0.82, speed: [1800, 75] },
  { ...five4, id: 'openai/gpt-5.4-mini', contextLength: 400_000, quality: 0.62, speed: [800, 140] },
  { ...five4, id: 'openai/gpt-5.4-nano', contextLength: 400_000, quality: 0.48, speed: [600, 180] },
  {
    ...five4,
    id: 'openai/gpt-5.2',
    contextLength: 400_000,
    quality: 0.77,
    speed: [1800, 80],
    sources: [guide, searching, prices, reasoning, seen.tools52, seen.efforts56, seen.sampling],
  },
  {
    ...five4,
    id: 'openai/gpt-5.1',
    contextLength: 400_000,
    efforts: ['none', 'low', 'medium', 'high'],
    responses: false,
    shutDown: '2027-04-01',
    quality: 0.77,
    speed: [1800, 80],
    sources: [
      page('https://github.com/openai/openai-ruby/blob/main/lib/openai/models/reasoning_effort.rb'),
      deprecations,
    ],
  },
  { ...five, id: 'openai/gpt-5', successor: 'openai/gpt-6.1-sol', quality: 0.73, speed: [2000, 75] },
  { ...five, id: 'openai/gpt-5-mini', successor: 'openai/gpt-6.1-terra', quality: 0.55, speed: [900, 130] },
  { ...five, id: 'openai/gpt-5-nano', successor: 'openai/gpt-6-luna', quality: 0.4, speed: [700, 180] },
  {
    ...classic,
    id: 'openai/gpt-4.1',
    released: '2025-04-14',
    contextLength: 1_000_000,
    maxOutputTokens: 32_768,
    quality: 0.58,
    speed: [600, 100],
  },
  {
    ...classic,
    id: 'openai/gpt-4.1-mini',
    released: '2025-04-14',
    contextLength: 1_000_000,
    maxOutputTokens: 32_768,
    quality: 0.46,
    speed: [500, 110],
  },
  {
    ...classic,
    id: 'openai/gpt-4.1-nano',
    released: '2025-04-14',
    deprecated: null,
    shutDown: '2026-10-23',
    successor: null,
    contextLength: 1_000_000,
    maxOutputTokens: 32_768,
    quality: 0.34,
    speed: [400, 190],
  },
  {
    ...classic,
    id: 'openai/gpt-4o',
    released: '2024-05-13',
    contextLength: 128_000,
    maxOutputTokens: 16_384,
    quality: 0.5,
    speed: [550, 110],
  },
  {
    ...classic,
    id: 'openai/gpt-4o-mini',
    released: '2024-07-18',
    contextLength: 128_000,
    maxOutputTokens: 16_384,
    quality: 0.36,
    speed: [450, 90],
  },
  {
    ...oSeries,
    id: 'openai/o4-mini',
    released: '2025-04-16',
    shutDown: '2026-10-23',
    successor: 'openai/gpt-5.6-terra',
    quality: 0.62,
    speed: [3500, 120],
  },
  {
    ...oSeries,
    id: 'openai/o3',
    released: '2025-04-16',
    deprecated: '2026-06-11',
    shutDown: '2026-12-11',
    successor: 'openai/gpt-5.6-sol',
    streamsToVerifiedOnly: true,
    quality: 0.7,
    speed: [5000, 90],
    sources: [deprecations, seen.noParallel, seen.oldParameters, seen.verified],
  },
  {
    ...oSeries,
    id: 'openai/o3-mini',
    released: '2025-01-31',
    shutDown: '2026-10-23',
    successor: 'openai/gpt-5.6-sol',
    inputs: ['text'],
    quality: 0.55,
    speed: [3500, 120],
  },
];
