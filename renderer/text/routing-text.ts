import { counted, usd } from './format.ts';
import { words } from './language.ts';

const capabilities: Partial<Record<string, string>> = {
  vision: 'cannot see images',
  files: 'cannot read files',
  audio: 'cannot hear audio',
  tools: 'cannot use tools',
  json_mode: 'cannot answer in JSON',
  json_schema: 'cannot follow a JSON schema',
};

const exclusions: Partial<Record<string, string>> = {
  disabled: 'switched off by its provider',
  simulated: 'simulated, and a real model can answer',
  no_credential: 'no key for its provider',
  plan: 'not in your plan',
  'request.only': 'not among the allowed models',
  'request.ignore': 'never for this, as you said',
  context: 'context too small',
  max_output: 'cannot write as long an answer',
  max_cost: 'over the maximum price',
  price_unknown: 'price unknown',
  circuit_open: 'provider down',
  cooling_down: 'provider asked for a pause',
  below_quality_floor: 'below the quality this question needs, or not rated',
};

export const routingText = words({
  open: 'Why this model',
  auto: 'Auto:',
  loading: 'Asking the gateway why',
  failed: 'The decision could not be read',
  unknown: {
    other_gateway: 'The gateway that made this decision is not in use any more, so it cannot be asked.',
    no_records: 'This gateway keeps no records of requests, so it cannot tell.',
    settling: 'The gateway is still closing its books on this answer.',
    no_decision: 'The gateway keeps no decision for this answer.',
  },
  best: (name: string, eligible: number) =>
    eligible === 1
      ? `${name} was chosen: no other model could answer.`
      : `${name} was chosen: it had the best score of the ${counted(eligible, 'model', 'models')} that could answer.`,
  fallback: (name: string, failed: number) =>
    `${name} answered after ${counted(failed, 'attempt', 'attempts')} with better placed models failed.`,
  stayed: (name: string) => `${name} was chosen: it holds what this chat has done so far.`,
  allFailed: (failed: number) => `No model answered: ${counted(failed, 'attempt', 'attempts')} failed.`,
  plain: (name: string) => `${name} was chosen. This gateway tells no candidates.`,
  basis: (policy: string, tier: 'simple' | 'standard' | 'complex' | null) =>
    tier === null ? `Policy: ${policy}.` : `Policy: ${policy}. The question was judged ${tier}.`,
  relaxed: 'No model reached the quality such a question needs, so that was not asked for.',
  pin: 'Pin this model',
  pinned: 'Pinned for this chat',
  never: 'Never for this',
  allow: 'Allow again',
  neverNote: (name: string) => `Auto does not take ${name} in this chat any more. Chat settings list it.`,
  notKept: 'The choice was not kept',
  price: 'Price elsewhere',
  alternative: (name: string, cost: string) => `The next best, ${name}, costs ${usd(cost)} for as many tokens`,
  difference: (more: string | null) => {
    if (more === null) return '.';
    if (more === '0') return ': the same.';
    return more.startsWith('-') ? `: ${usd(more.slice(1))} less.` : `: ${usd(more)} more.`;
  },
  noAlternative: 'There was no other candidate with a known price to compare with.',
  alternativeNote: 'At today’s list price, nothing read from a cache. Models count tokens differently.',
  attempts: 'Attempts',
  answered: 'answered',
  attemptFailed: (code: string | null) => `failed: ${code?.replaceAll('_', ' ') ?? 'no reason told'}`,
  seconds: (ms: number) => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`),
  candidates: 'Candidates',
  chosen: 'chosen',
  score: (score: number) => `score ${score}`,
  perMillion: (prompt: string, completion: string) => `${prompt} / ${completion} per 1M tokens`,
  noPrice: 'price unknown',
  eliminated: (models: number) => `${counted(models, 'model was', 'models were')} not in the running`,
  /** Formats a reason. An unknown reason is shown as it is. */
  exclusion: (reason: string): string => {
    const [kind, what = ''] = reason.split(':');
    if (kind === 'capability') return capabilities[what] ?? `lacks ${what}`;
    if (kind === 'parameter') return `does not take ${what}`;
    return exclusions[reason] ?? reason;
  },
  confirmTitle: 'Ask Auto’s choice?',
  run: 'Run',
  chooseOther: 'Choose another',
  loadingPreview: 'Asking the gateway what Auto would choose',
  previewFailed: 'What Auto would choose cannot be told.',
  previewUnknown: 'This gateway does not tell what Auto would choose before it is asked.',
  wouldChoose: (name: string, able: number) =>
    able <= 1
      ? `Auto would ask ${name}.`
      : `Auto would ask ${name}: it has the best score of the ${counted(able, 'model', 'models')} that can answer.`,
  wouldCost: (range: string | null) =>
    range === null ? 'What it would cost is not known.' : `It would cost ${range}.`,
  nextBest: (name: string, range: string | null) =>
    `The next best is ${name}, ${range === null ? 'at an unknown price' : `for ${range}`}.`,
  confirmNote:
    'Nothing is sent yet. Auto chooses again when it runs; it differs only where a provider fails meanwhile.',
  policy: 'How Auto chooses',
  policies: { balanced: 'Balanced', cheapest: 'Cheapest', fastest: 'Fastest', best: 'Best' },
  policyNotes: {
    balanced: 'Quality that the question needs, at a good price and pace.',
    cheapest: 'The lowest price among the models that are good enough for the question.',
    fastest: 'The first words as soon as possible.',
    best: 'The highest quality, whatever it costs.',
  },
  priceLimit: 'Auto spends at most (USD a message)',
  priceLimitNote: 'Models whose longest answer could cost more, or whose price is not known, are not chosen.',
  noPriceLimit: 'No limit',
  notAmount: 'Enter an amount such as 0.05, or leave it empty.',
  ignored: 'Never taken by Auto here',
  removeIgnored: (name: string) => `Allow ${name} again`,
});
