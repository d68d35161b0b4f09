import { ceilToNano, type NanoUsd, picoUsd } from '#shared/money.ts';
import { costLines, type Price, type TokenUsage } from '#shared/price.ts';

/** All of it, in basis points. */
const whole = 10_000n;

/**
 * What an operator asks for a request on a caller's own key (wire contract §6): so many basis points of what the catalogue
 * says that the upstream bills for it, rounded up once to the nano-USD (§1.7). `bps` is an integer from 0 to 10,000.
 */
export function byokFee(price: Price, usage: TokenUsage, bps: number): NanoUsd {
  const pico = costLines(price, usage).reduce((sum, line) => sum + line.pico, 0n) * BigInt(bps);
  return ceilToNano(picoUsd((pico + whole - 1n) / whole));
}
