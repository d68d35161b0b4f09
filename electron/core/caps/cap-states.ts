import type { CapMeter, CapScope, CapState } from '#shared/contract/chat/caps.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';

/** Amounts in nano-USD by scope. */
type Amounts<Value> = Readonly<Record<CapScope, Value>>;

const scopes = ['message', 'conversation', 'day', 'month'] as const;
export const usd = (amount: bigint) => formatUsd(nanoUsd(amount));

/** The caps that a message of at most `upper` comes near (80 %) or may exceed (over 100 %). Exact, in nano-USD. */
export function capStates(caps: Amounts<bigint | null>, spent: Amounts<bigint>, upper: bigint): CapState[] {
  return scopes.flatMap((scope): CapState[] => {
    const cap = caps[scope];
    if (cap === null) return [];
    const after = spent[scope] + upper;
    if (after * 5n < cap * 4n) return [];
    const state = after > cap ? 'over' : 'near';
    return [{ scope, capUsd: usd(cap), spentUsd: usd(spent[scope]), afterUsd: usd(after), state }];
  });
}

/** How full a cap is by what was spent; null where there is none. */
export function meterOf(scope: CapMeter['scope'], cap: string | null, spent: bigint): CapMeter | null {
  if (cap === null) return null;
  const most = parseUsd(cap);
  const state = spent >= most ? 'full' : spent * 5n >= most * 4n ? 'near' : 'free';
  // With integers, since a float would round the amounts first.
  const share = most === 0n ? 1 : Number((spent * 1000n) / most) / 1000;
  return { scope, capUsd: cap, spentUsd: usd(spent), share, state };
}
