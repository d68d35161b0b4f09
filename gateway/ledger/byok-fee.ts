import { ceilToNano, type NanoUsd, type PicoUsd, picoUsd } from '#shared/money.ts';
import { costLines, type Price, type TokenUsage } from '#shared/price.ts';

/** 100 % in basis points. */
export const wholeBps = 10_000;
const fullBps = BigInt(wholeBps);

/**
 * Returns the operator's fee for a request on the caller's own key (wire contract §6): a share of the provider cost by the price
 * book, rounded up once to the nano-USD (§1.7). `bps` is an integer from 0 to 10,000 basis points.
 */
export function byokFee(price: Price, usage: TokenUsage, bps: number): NanoUsd {
  return getShare(picoUsd(costLines(price, usage).reduce((sum, line) => sum + line.pico, 0n)), bps);
}

/** Returns a share of an amount in basis points, rounded up once to the nano-USD. */
export const getShare = (amount: PicoUsd, bps: number): NanoUsd =>
  ceilToNano(picoUsd((amount * BigInt(bps) + fullBps - 1n) / fullBps));
