import { z } from 'zod';
import type { Gateway } from '#gateway/gateway.ts';
import type { AccountLimits } from '#gateway/operations/operator/operator.ts';
import type { Caps, OutsideLimit } from '#shared/contract/chat/caps.ts';
import { id, usdLimit } from '#shared/contract/common/fields.ts';
import { toAppError } from '#shared/errors.ts';
import { formatUsd, type NanoUsd, parseUsd } from '#shared/money.ts';
import { takingTurns } from '#shared/taking-turns.ts';
import { usdAmount } from '#shared/wire/scalars.ts';
import type { CoreContext } from '../../storage/core-context.ts';

/** Settings that store the id of an account in the built-in gateway and the id of the app's key to it. */
export const accountSetting = (billingAccount: string) => `wallet.${billingAccount}.account`;
export const keySetting = (billingAccount: string) => `wallet.${billingAccount}.key`;

const writtenSetting = 'wallet.main.limits';
const written = z.object({
  account: id,
  day: usdLimit,
  month: usdLimit,
  models: z.record(z.string(), usdAmount).default({}),
});

type ProgramCaps = Pick<Caps, 'day' | 'month' | 'models'>;

interface LimitDeps extends CoreContext {
  readonly gateway: Pick<Gateway, 'operator'>;
  readonly caps: () => Promise<ProgramCaps>;
}

/** One limit with its three values: the app's cap, what the app wrote last, and what applies now. */
interface LimitState {
  readonly scope: OutsideLimit['scope'];
  readonly model: string | null;
  readonly cap: NanoUsd | null;
  readonly before: NanoUsd | null;
  readonly limit: NanoUsd | null;
  readonly outside: boolean;
}

/**
 * Copies the app's day, month and model caps to the limits of the built-in gateway's account, so that they also stop
 * other programs. The app's own key is exempt, because the core checks the caps itself and the person may send anyway.
 * A limit that is neither the app's cap nor what the app wrote last was set by somebody else and is kept. An account
 * that doesn't exist yet gets its limits when it is opened.
 */
export function programLimits({ gateway, settings, caps }: LimitDeps) {
  const inTurn = takingTurns();

  /** Null if there is no account yet, or a restored ledger doesn't have it. */
  async function read() {
    const account = await settings.readText(accountSetting('main'));
    if (account === null) return null;
    const [own, stored, limits] = await Promise.all([
      caps(),
      settings.read(writtenSetting),
      gateway.operator.accountLimits(account).catch((error: unknown) => {
        if (toAppError(error).code === 'not_found') return null;
        throw error;
      }),
    ]);
    if (limits === null) return null;
    const last = written.safeParse(stored).data;
    // The record of another account doesn't count: this one was never limited.
    return { account, states: getStates(own, last?.account === account ? last : null, limits) };
  }

  async function write(takeOver: boolean): Promise<void> {
    const [now, exceptKey] = await Promise.all([read(), settings.readText(keySetting('main'))]);
    if (!now) return;
    const ours = now.states.filter(({ outside }) => takeOver || !outside);
    const limits = limitsFrom(ours.map((state) => [state, state.cap]));
    await gateway.operator.limitAccount(now.account, Object.assign({ exceptKey }, limits));
    const last = limitsFrom(now.states.map((state) => [state, ours.includes(state) ? state.cap : state.before]));
    await settings.write(writtenSetting, {
      account: now.account,
      day: inUsd(last.day),
      month: inUsd(last.month),
      models: Object.fromEntries(
        Object.entries(last.models).flatMap(([model, limit]) => (limit === null ? [] : [[model, formatUsd(limit)]])),
      ),
    });
  }

  return {
    /** Writes the app's caps as limits, except where somebody else has set one. */
    write: () => inTurn(() => write(false)),
    /** Writes the app's caps as limits, even where somebody else has set one. */
    takeOver: () => inTurn(() => write(true)),
    setOutside: () =>
      inTurn(async (): Promise<OutsideLimit[]> => {
        const now = await read();
        const outside = now?.states.filter((state) => state.outside) ?? [];
        return outside.map(({ scope, model, limit }) => ({ scope, model, limitUsd: inUsd(limit) }));
      }),
  };
}

export type ProgramLimits = ReturnType<typeof programLimits>;

function getStates(caps: ProgramCaps, last: ProgramCaps | null, limits: AccountLimits): LimitState[] {
  const state = (
    scope: LimitState['scope'],
    model: string | null,
    [cap, before]: readonly (string | null | undefined)[],
    limit: NanoUsd | null,
  ): LimitState => {
    const [own, written] = [inNano(cap ?? null), inNano(before ?? null)];
    return { scope, model, cap: own, before: written, limit, outside: limit !== written && limit !== own };
  };
  const getLimit = new Map(limits.models.map(({ model, limit }) => [model, limit]));
  const models = new Set([...Object.keys(caps.models), ...Object.keys(last?.models ?? {}), ...getLimit.keys()]);
  return [
    ...(['day', 'month'] as const).map((scope) =>
      state(scope, null, [caps[scope], last?.[scope]], limits[scope].limit),
    ),
    ...[...models]
      .sort()
      .map((model) => state('model', model, [caps.models[model], last?.models[model]], getLimit.get(model) ?? null)),
  ];
}

type Limits = Parameters<Gateway['operator']['limitAccount']>[1];

/** Builds the limits of only the given scopes. */
function limitsFrom(amounts: readonly (readonly [LimitState, NanoUsd | null])[]) {
  const ofPeriods = amounts.filter(([{ scope }]) => scope !== 'model').map(([{ scope }, amount]) => [scope, amount]);
  const models = amounts.flatMap(([{ model }, amount]) => (model === null ? [] : [[model, amount] as const]));
  return Object.assign(Object.fromEntries(ofPeriods) as Pick<Limits, 'day' | 'month'>, {
    models: Object.fromEntries(models),
  });
}

const inNano = (amount: string | null): NanoUsd | null => (amount === null ? null : parseUsd(amount));
const inUsd = (amount: NanoUsd | null | undefined): string | null => (amount == null ? null : formatUsd(amount));
