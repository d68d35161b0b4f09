import type { CapMeter, CapScope, CapState } from '#shared/contract/chat/caps.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { Upper } from '../../request/admission.ts';

/** Amounts in nano-USD by scope. */
type Amounts<Value> = Readonly<Record<CapScope, Value>>;

const scopes = ['message', 'conversation', 'day', 'month'] as const;
export const usd = (amount: bigint) => formatUsd(nanoUsd(amount));

export const getSum = (uppers: readonly Upper[]): bigint => uppers.reduce((sum, { upper }) => sum + upper, 0n);

/** The caps that a message of at most `upper` comes near (80 %) or may exceed (over 100 %). Exact, in nano-USD. */
export function capStates(caps: Amounts<bigint | null>, spent: Amounts<bigint>, upper: bigint): CapState[] {
  return scopes.flatMap((scope) => stateAt(scope, null, caps[scope], spent[scope], upper));
}

/** The same for the caps of models, as far as these are asked. */
export function modelStates(
  caps: Readonly<Record<string, string>>,
  spentOn: (model: string) => bigint,
  uppers: readonly Upper[],
): CapState[] {
  return [...new Set(uppers.map(({ model }) => model))].flatMap((model) => {
    const cap = caps[model];
    if (cap === undefined) return [];
    const upper = getSum(uppers.filter((each) => each.model === model));
    return stateAt('model', model, parseUsd(cap), spentOn(model), upper);
  });
}

function stateAt(
  scope: CapState['scope'],
  model: string | null,
  cap: bigint | null,
  spent: bigint,
  upper: bigint,
): CapState[] {
  if (cap === null) return [];
  const after = spent + upper;
  if (after * 5n < cap * 4n) return [];
  const state = after > cap ? 'over' : 'near';
  return [{ scope, model, capUsd: usd(cap), spentUsd: usd(spent), afterUsd: usd(after), state }];
}

/** How full a cap is by what was spent; null where there is none. */
export function getMeter(
  scope: CapMeter['scope'],
  cap: string | null,
  spent: bigint,
  model: string | null = null,
): CapMeter | null {
  if (cap === null) return null;
  const most = parseUsd(cap);
  const state = spent >= most ? 'full' : spent * 5n >= most * 4n ? 'near' : 'free';
  // With integers, since a float would round the amounts first.
  const share = most === 0n ? 1 : Number((spent * 1000n) / most) / 1000;
  return { scope, model, capUsd: cap, spentUsd: usd(spent), share, state };
}
