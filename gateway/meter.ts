import type { NanoUsd } from '#shared/money.ts';
import type { TokenUsage } from '#shared/price.ts';
import { tokensOfBytes } from './lib/estimate.ts';
import type { ProviderEvent } from './providers/provider.ts';

/** Counts one attempt while it runs: what the upstream reported, and what was seen to arrive. */
export interface Meter {
  observe(event: ProviderEvent): void;
  /** Some byte of an answer has arrived. */
  readonly started: boolean;
  /** Output so far: the larger of what was reported and what was seen. */
  readonly outputTokens: number;
  /** The upstream's own count of a complete answer, or the estimate where it gave none. */
  complete(): Metered;
  /** Usage so far of an answer that was broken off: what was reported, completed by the estimate (§1.4.7). */
  partial(): Metered;
}

export interface Metered {
  readonly usage: TokenUsage;
  readonly estimated: boolean;
  /** What the upstream itself said that the whole answer costs; null where it did not. */
  readonly reportedCost: NanoUsd | null;
}

export function createMeter(estimatedInputTokens: number): Meter {
  let started = false;
  let bytes = 0;
  let reasoningBytes = 0;
  let reported: TokenUsage | null = null;
  let reportedCost: NanoUsd | null = null;

  const seen = () => tokensOfBytes(bytes + reasoningBytes);
  const estimate = (): TokenUsage => ({
    promptTokens: estimatedInputTokens,
    completionTokens: seen(),
    reasoningTokens: tokensOfBytes(reasoningBytes),
    cachedTokens: 0,
    cacheWriteTokens: 0,
  });

  return {
    observe(event) {
      started = true;
      if (event.type === 'usage') {
        reported = counted(event.usage) ? event.usage : reported;
        reportedCost = event.cost ?? reportedCost;
      } else if (event.type === 'reasoning-delta') reasoningBytes += Buffer.byteLength(event.text);
      else bytes += outputBytes(event);
    },
    get started() {
      return started;
    },
    get outputTokens() {
      return Math.max(reported?.completionTokens ?? 0, seen());
    },
    complete: () =>
      reported
        ? { usage: reported, estimated: false, reportedCost }
        : { usage: estimate(), estimated: true, reportedCost: null },
    partial() {
      if (!reported) return { usage: estimate(), estimated: true, reportedCost: null };
      const completionTokens = Math.max(reported.completionTokens, seen());
      return {
        usage: { ...reported, completionTokens },
        estimated: completionTokens !== reported.completionTokens,
        reportedCost: null,
      };
    },
  };
}

/** No request is without input: a count of nothing at all is a server that does not count, not a free answer. */
const counted = ({ promptTokens, completionTokens }: TokenUsage) => promptTokens + completionTokens > 0;

function outputBytes(event: ProviderEvent): number {
  switch (event.type) {
    case 'text-delta':
    case 'refusal-delta':
      return Buffer.byteLength(event.text);
    case 'tool-call-start':
      return Buffer.byteLength(event.name);
    case 'tool-call-delta':
      return Buffer.byteLength(event.arguments);
    default:
      return 0;
  }
}
