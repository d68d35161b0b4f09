import { getCost, noTokens } from '#shared/price.ts';
import type { RouteControls } from '#shared/wire/chat-request.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { tokensPerMadeImage } from '../../providers/content/estimate-tokens.ts';
import type { Candidate, Features, Tier } from './eligibility.ts';

export type Policy = NonNullable<RouteControls['policy']>;

export interface Score {
  /** Rounded to four decimals. */
  readonly score: number;
  /** Nano-USD for the expected answer; null where no price is known. Breaks ties. */
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
export function getScore(candidate: Candidate, features: Features, policy: Policy, tier: Tier): Score {
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
