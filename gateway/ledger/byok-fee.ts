import { ceilToNano, type NanoUsd, type PicoUsd, picoUsd } from '#shared/money.ts';
import { costLines, type Price, type TokenUsage } from '#shared/price.ts';

/** All of an amount, in basis points. */
export const wholeBps = 10_000;
const whole = BigInt(wholeBps);

/**
 * What an operator asks for a request on a caller's own key (wire contract §6): so many basis points of what the catalogue
 * says that the upstream bills for it, rounded up once to the nano-USD (§1.7). `bps` is an integer from 0 to 10,000.
 */
export function byokFee(price: Price, usage: TokenUsage, bps: number): NanoUsd {
  return getShare(picoUsd(costLines(price, usage).reduce((sum, line) => sum + line.pico, 0n)), bps);
}

/** So many basis points of an amount, rounded up once to the nano-USD. */
export const getShare = (amount: PicoUsd, bps: number): NanoUsd =>
  ceilToNano(picoUsd((amount * BigInt(bps) + whole - 1n) / whole));
