import { getCost, noTokens } from '#shared/price.ts';
import type { RouteControls } from '#shared/wire/chat-request.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { tokensPerMadeImage } from '../../providers/content/estimate-tokens.ts';
import { type Candidate, type Features, getComplexity, getExclusions, type Rules, type Tier } from './eligibility.ts';

type Policy = NonNullable<RouteControls['policy']>;

interface Score {
  /** Rounded to four decimals. */
  readonly score: number;
  /** The cost of the expected answer in nano-USD. Null when no price is known. It breaks ties. */
  readonly cost: bigint | null;
  readonly parts: {
    readonly quality: number;
    readonly price: number;
    readonly latency: number;
    readonly error_penalty: number;
    readonly sticky: number;
  };
}

interface Weights {
  readonly quality: number;
  readonly price: number;
  readonly latency: number;
}

const balanced: Readonly<Record<Tier, Weights>> = {
  simple: { quality: 0.15, price: 0.6, latency: 0.25 },
  standard: { quality: 0.35, price: 0.4, latency: 0.25 },
  complex: { quality: 0.5, price: 0.35, latency: 0.15 },
};

const others: Readonly<Record<Exclude<Policy, 'balanced'>, Weights>> = {
  cheapest: { quality: 0.05, price: 0.95, latency: 0 },
  fastest: { quality: 0.05, price: 0.1, latency: 0.85 },
  best: { quality: 0.95, price: 0.03, latency: 0.02 },
};

/** Scores on absolute scales, so that no model can change how two others compare (wire contract §5.3.4). */
function getScore(candidate: Candidate, features: Features, policy: Policy, tier: Tier): Score {
  const weights = policy === 'balanced' ? balanced[tier] : others[policy];
  const cost = expectedCost(candidate.model, features);
  const quality = weights.quality * (candidate.model.quality ?? 0);
  const price = weights.price * priceScore(cost);
  const latency = weights.latency * latencyScore(expectedMs(candidate, features));
  const penalty = 0.5 * candidate.health.errorRate;
  const sticky = candidate.sticky ? 0.15 : 0;
  return {
    score: round(quality + price + latency - penalty + sticky),
    cost,
    parts: {
      quality: round(quality),
      price: round(price),
      latency: round(latency),
      error_penalty: round(penalty),
      sticky,
    },
  };
}

const round = (value: number) => Math.round(value * 10_000) / 10_000;
const clamp = (value: number) => Math.min(1, Math.max(0, value));

function expectedCost(model: CatalogueModel, features: Features): bigint | null {
  if (!model.price) return null;
  const imageTokens = features.imageOutput ? tokensPerMadeImage : 0;
  const usage = {
    ...noTokens,
    promptTokens: features.inputTokens,
    completionTokens: features.outputTokens + imageTokens,
    imageTokens,
    ...(features.webSearch ? { searches: 1 } : {}),
  };
  return getCost(model.price, usage);
}

/** $1 → 0, $0.000001 → 1. A price that is not known counts as the highest. */
function priceScore(cost: bigint | null): number {
  if (cost === null) return 0;
  const pico = Math.max(1, Number(cost) * 1_000);
  return clamp((12 - Math.log10(pico)) / 6);
}

/** 200 ms or less → 1, one minute → 0. */
const latencyScore = (ms: number) => clamp(1 - Math.log10(Math.max(ms, 200) / 200) / Math.log10(300));

function expectedMs({ model, health }: Candidate, features: Features): number {
  const { firstTokenMs, tokensPerSecond } = health.measured ?? model.speed;
  return firstTokenMs + (features.outputTokens / Math.max(tokensPerSecond, 1)) * 1_000;
}

/** One line of the explanation: a score, or every reason against the model. */
type Explained =
  | { readonly id: string; readonly score: number; readonly parts: Score['parts'] }
  | { readonly id: string; readonly excluded: readonly string[] };

export interface Choice {
  readonly policy: Policy;
  readonly complexity: { readonly tier: Tier; readonly score: number };
  /** Whether no model reached the tier's quality floor, so that it was lifted. */
  readonly relaxed: boolean;
  /** The models to ask, best first. Empty when none may serve the request. */
  readonly chain: readonly { readonly candidate: Candidate; readonly score: number }[];
  /** How many were left to choose from. */
  readonly eligible: number;
  /** One entry for each model that was looked at, in order of id. */
  readonly candidates: readonly Explained[];
}

const floors: Readonly<Record<Tier, number>> = { simple: 0, standard: 0.45, complex: 0.7 };
const defaultAttempts = 3;

/**
 * Chooses models for a request: a pure function of the request's features, the catalogue and the health of each model
 * (wire contract §5.3), so that every decision can be explained and replayed.
 */
export function choose(candidates: readonly Candidate[], features: Features, rules: Rules): Choice {
  const policy = rules.controls.policy ?? 'balanced';
  const complexity = getComplexity(features);
  const judged = candidates.map((candidate) => ({ candidate, excluded: getExclusions(candidate, features, rules) }));
  const able = judged.filter((entry) => !entry.excluded.length).map((entry) => entry.candidate);
  const good = able.filter((candidate) => reaches(candidate, complexity.tier));
  const relaxed = good.length === 0 && able.length > 0;
  const left = relaxed ? able : good;
  const ranked = left
    .map((candidate) => ({ candidate, ...getScore(candidate, features, policy, complexity.tier) }))
    .toSorted((a, b) => (rules.stickyFirst ? bySticky(a, b) : 0) || byScore(a, b));
  const scores = new Map(ranked.map((entry) => [entry.candidate.model.id, entry]));
  return {
    policy,
    complexity,
    relaxed,
    chain: diverse(ranked, getAttempts(rules)),
    eligible: left.length,
    candidates: judged
      .map(({ candidate, excluded }) => explain(candidate.model.id, excluded, scores))
      .toSorted((a, b) => compareText(a.id, b.id)),
  };
}

/** A model without a quality rating reaches no floor: it answers when it was asked for, or when there is no other. */
const reaches = ({ model }: Candidate, tier: Tier) => model.quality !== null && model.quality >= floors[tier];

const getAttempts = ({ controls }: Rules) =>
  controls.allow_fallbacks === false ? 1 : (controls.max_attempts ?? defaultAttempts);

interface Ranked extends Score {
  readonly candidate: Candidate;
}

const bySticky = (a: Ranked, b: Ranked) => Number(b.candidate.sticky) - Number(a.candidate.sticky);

/** Best score first; then the lower cost (an unknown one last), then the id. */
function byScore(a: Ranked, b: Ranked): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.cost !== b.cost) {
    if (a.cost === null) return 1;
    if (b.cost === null) return -1;
    return a.cost < b.cost ? -1 : 1;
  }
  return compareText(a.candidate.model.id, b.candidate.model.id);
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Best first, then the best of another provider if there is one, then the rest (§5.3.5). */
function diverse(ranked: readonly Ranked[], length: number): Choice['chain'] {
  const [first, ...rest] = ranked;
  if (!first) return [];
  const other = rest.find((entry) => entry.candidate.model.provider !== first.candidate.model.provider);
  const chain = other ? [first, other, ...rest.filter((entry) => entry !== other)] : [first, ...rest];
  return chain.slice(0, length).map(({ candidate, score }) => ({ candidate, score }));
}

function explain(id: string, excluded: readonly string[], scores: ReadonlyMap<string, Ranked>): Explained {
  const found = scores.get(id);
  if (found) return { id, score: found.score, parts: found.parts };
  return { id, excluded: excluded.length ? excluded : ['below_quality_floor'] };
}
