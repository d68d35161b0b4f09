import type { ModelFacts, Source } from '../model-facts.ts';

/** Facts about Anthropic's models at the Messages API. */

const read = '2026-11-22';
const page = (path: string, day = read): Source => ({ url: `https://platform.claude.com/docs/en/${path}`, read: day });
/** The day on which the pages of the newest models were read. */
const readLater = '2026-11-27';

const overview = page('models/overview');
const errors = page('api/errors');
const create = page('api/messages/create');
const effort = page('build-with-claude/effort');
const thinkingTable = page('build-with-claude/thinking-troubleshooting');
const structured = page('build-with-claude/structured-outputs');
const toolLoop = page('build-with-claude/thinking-tool-workflows');
const prefixChecks = page('build-with-claude/preserved-thinking/prefix-checks');
const deprecations = page('about-claude/model-deprecations');
const searching = page('agents-and-tools/tool-use/web-search-tool');

/** Claude searches until it has enough. `max_uses` limits that. */
const webSearch = { price: '0.01', charged: 'searches', max: 5, besideTools: true } as const;

const common = {
  makesImages: false,
  webSearch,
  description: null,
  released: null,
  deprecated: null,
  shutDown: null,
  successor: null,
  inputs: ['text', 'image', 'file'],
  streamsToVerifiedOnly: false,
  responses: false,
  parallelToolCalls: true,
  picturesInResults: true,
  samplesWhileThinking: false,
  notTogether: ['temperature', 'top_p'],
  maxSeed: Number.MAX_SAFE_INTEGER,
  maxTemperature: 1,
  refusedFields: [],
  schema: 'closed',
  jsonMode: 'in_words',
  formatWithTools: true,
  beginsWithUser: true,
  refusesBlankTurns: true,
} as const;

/** From version 4.7 on, there is only adaptive thinking, and no sampling parameter is accepted. */
const adaptive = {
  ...common,
  contextLength: 1_000_000,
  maxOutputTokens: 128_000,
  efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  thinking: { by: 'adaptive', byDefault: true },
  forcedTools: 'always',
  sampling: [],
  prefill: false,
  sources: [searching, overview, effort, thinkingTable, create, errors, toolLoop, structured],
} as const;

/** These models think whatever the request asks for, and can't be forced to call a tool. */
const alwaysThinking = {
  ...adaptive,
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  forcedTools: 'never',
} as const;

const four6 = {
  ...adaptive,
  efforts: ['none', 'low', 'medium', 'high', 'max'],
  thinking: { by: 'adaptive', byDefault: false },
  // Refused together with thinking in tries of the live models (https://github.com/vercel/ai/issues/17729).
  forcedTools: 'without_thinking',
  sampling: ['temperature', 'top_p'],
} as const;

/** Up to version 4.5, thinking has a budget in tokens, and a conversation may end with an assistant message. */
const budgeted = {
  ...common,
  contextLength: 200_000,
  maxOutputTokens: 64_000,
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  thinking: { by: 'budget_tokens', min: 1_024, max: 32_000 },
  forcedTools: 'without_thinking',
  sampling: ['temperature', 'top_p'],
  prefill: true,
  sources: [searching, overview, thinkingTable, create, errors, toolLoop, structured, deprecations],
} as const;

export const anthropicModels: readonly ModelFacts[] = [
  {
    ...alwaysThinking,
    id: 'anthropic/claude-fable-5-2',
    thinking: { by: 'adaptive', byDefault: true, bound: true },
    description: 'For demanding reasoning and long-running agent work.',
    released: '2026-11-09',
    quality: 0.97,
    speed: [2200, 60],
    sources: [...alwaysThinking.sources, page('models/fable-5-2/migration-guide', readLater)],
  },
  {
    ...alwaysThinking,
    id: 'anthropic/claude-fable-5-1',
    thinking: { by: 'adaptive', byDefault: true, bound: true },
    description: 'For demanding reasoning and long-horizon agentic work.',
    released: '2026-09-01',
    quality: 0.96,
    speed: [2200, 50],
    sources: [...alwaysThinking.sources, prefixChecks],
  },
  {
    ...alwaysThinking,
    id: 'anthropic/claude-fable-5',
    description: 'Next-generation intelligence for long-running agents.',
    // Forced tools were refused in June 2026, but are documented as accepted since September: only 5.1 and later refuse
    // them.
    forcedTools: 'always',
    quality: 0.96,
    speed: [2200, 50],
    sources: [...alwaysThinking.sources, page('models/fable-5-1/migration-guide')],
  },
  {
    ...alwaysThinking,
    id: 'anthropic/claude-opus-5-5',
    thinking: { by: 'adaptive', byDefault: true, bound: true },
    description: 'For long-running agentic coding and knowledge work.',
    released: '2026-09-22',
    quality: 0.93,
    speed: [1800, 60],
    sources: [...alwaysThinking.sources, page('models/opus-5-5/whats-new-opus-5-5'), prefixChecks],
  },
  {
    ...adaptive,
    id: 'anthropic/claude-opus-5',
    description: 'For complex agentic coding and enterprise work.',
    released: '2026-07-24',
    successor: 'anthropic/claude-opus-5-5',
    quality: 0.93,
    speed: [1800, 60],
    sources: [...adaptive.sources, page('about-claude/models/whats-new-opus-5')],
  },
  {
    // By its documentation it refuses forced tools, and a separate mode turns off thinking before the first word.
    ...alwaysThinking,
    id: 'anthropic/claude-sonnet-5-5',
    thinking: { by: 'adaptive', byDefault: true, bound: true },
    description: 'The best combination of speed and intelligence.',
    released: '2026-09-28',
    quality: 0.88,
    speed: [1200, 80],
    sources: [...alwaysThinking.sources, page('models/sonnet-5-5/overview', readLater)],
  },
  {
    ...adaptive,
    id: 'anthropic/claude-sonnet-5',
    successor: 'anthropic/claude-sonnet-5-5',
    description: 'A combination of speed and intelligence.',
    quality: 0.84,
    speed: [1200, 80],
    sources: [...adaptive.sources, page('models/sonnet-5/migration-guide')],
  },
  {
    ...adaptive,
    id: 'anthropic/claude-opus-4-8',
    thinking: { by: 'adaptive', byDefault: false },
    quality: 0.87,
    speed: [1800, 60],
  },
  {
    ...adaptive,
    id: 'anthropic/claude-opus-4-7',
    thinking: { by: 'adaptive', byDefault: false },
    quality: 0.87,
    speed: [1800, 60],
  },
  { ...four6, id: 'anthropic/claude-opus-4-6', quality: 0.84, speed: [1800, 60] },
  { ...four6, id: 'anthropic/claude-sonnet-4-6', quality: 0.78, speed: [1200, 75] },
  {
    ...budgeted,
    id: 'anthropic/claude-opus-4-5',
    released: '2025-11-24',
    successor: 'anthropic/claude-opus-5-5',
    quality: 0.8,
    speed: [1800, 60],
    sources: [...budgeted.sources, page('models/opus-4-5/overview')],
  },
  { ...budgeted, id: 'anthropic/claude-sonnet-4-5', released: '2025-09-29', quality: 0.74, speed: [1200, 75] },
  {
    // It isn't documented whether tools can be forced or thinking can be turned off, so neither is requested.
    ...alwaysThinking,
    id: 'anthropic/claude-haiku-5-5',
    description: 'For high-volume, latency-sensitive tasks such as classification, extraction and routing.',
    released: '2026-10-07',
    quality: 0.66,
    speed: [600, 170],
    sources: [
      ...alwaysThinking.sources,
      page('models/haiku-5-5/overview', readLater),
      page('models/haiku-5-5/migration-guide', readLater),
    ],
  },
  {
    ...budgeted,
    id: 'anthropic/claude-haiku-4-5',
    description: 'The fastest model of its generation with near-frontier intelligence.',
    released: '2025-10-15',
    quality: 0.57,
    speed: [700, 150],
  },
  {
    ...budgeted,
    id: 'anthropic/claude-opus-4-1',
    released: '2025-08-05',
    deprecated: '2026-06-05',
    shutDown: '2026-08-05',
    maxOutputTokens: 32_000,
    schema: 'in_words',
    quality: 0.74,
    speed: [2200, 45],
  },
];
