import { z } from 'zod';
import type { Gateway } from '#gateway/gateway.ts';
import type { Caps, OutsideLimit } from '#shared/contract/chat/caps.ts';
import { id, usdLimit } from '#shared/contract/common/fields.ts';
import { toAppError } from '#shared/errors.ts';
import { formatUsd, type NanoUsd, parseUsd } from '#shared/money.ts';
import { takingTurns } from '#shared/taking-turns.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/** Names under which the ids of the account for own keys, and of the app's key to it, are kept. */
export const accountSetting = (wallet: string) => `wallet.${wallet}.account`;
export const keySetting = (wallet: string) => `wallet.${wallet}.key`;

const writtenSetting = 'wallet.main.limits';
const written = z.object({ account: id, day: usdLimit, month: usdLimit });
const periods = ['day', 'month'] as const;

interface LimitDeps {
  readonly gateway: Pick<Gateway, 'operator'>;
  readonly store: SettingsStore;
  readonly caps: () => Promise<Pick<Caps, 'day' | 'month'>>;
}

/**
 * The caps of a day and a month as limits of the account in the built-in gateway, which refuses by them whatever program asks.
 * The app's own key may pass them: the core has checked them before, and a person may send anyway. A limit that is neither
 * what the app wrote last nor its cap was set by somebody else, and is left. An account that is not there yet is limited as
 * soon as it is opened.
 */
export function programLimits({ gateway, store, caps }: LimitDeps) {
  const inTurn = takingTurns();

  /** Null: there is no account yet, or other books do not have it. */
  async function read() {
    const account = await store.readText(accountSetting('main'));
    if (account === null) return null;
    const [own, kept, limits] = await Promise.all([
      caps(),
      store.read(writtenSetting),
      gateway.operator.accountLimits(account).catch((error: unknown) => {
        if (toAppError(error).code === 'not_found') return null;
        throw error;
      }),
    ]);
    if (limits === null) return null;
    const last = written.safeParse(kept).data;
    // An account that was never limited has no limits.
    const lastOf = (period: (typeof periods)[number]) => (last?.account === account ? last[period] : null);
    return {
      account,
      states: periods.map((period) => {
        const [cap, before, { limit }] = [inNano(own[period]), inNano(lastOf(period)), limits[period]];
        return { period, cap, before, limit, outside: limit !== before && limit !== cap };
      }),
    };
  }

  async function write(takeOver: boolean): Promise<void> {
    const [now, exceptKey] = await Promise.all([read(), store.readText(keySetting('main'))]);
    if (!now) return;
    const ours = now.states.filter(({ outside }) => takeOver || !outside);
    const limits = Object.fromEntries(ours.map(({ period, cap }) => [period, cap]));
    await gateway.operator.limitAccount(now.account, Object.assign({ exceptKey }, limits));
    const last = now.states.map(({ period, before }) => [period, inUsd(period in limits ? limits[period] : before)]);
    await store.write(writtenSetting, Object.assign({ account: now.account }, Object.fromEntries(last)));
  }

  return {
    /** Makes limits of the caps, where nobody else has set any. */
    write: () => inTurn(() => write(false)),
    /** The same, whoever has set them. */
    takeOver: () => inTurn(() => write(true)),
    setOutside: () =>
      inTurn(async (): Promise<OutsideLimit[]> => {
        const now = await read();
        const outside = now?.states.filter((state) => state.outside) ?? [];
        return outside.map(({ period, limit }) => ({ scope: period, limitUsd: inUsd(limit) }));
      }),
  };
}

export type ProgramLimits = ReturnType<typeof programLimits>;

const inNano = (amount: string | null): NanoUsd | null => (amount === null ? null : parseUsd(amount));
const inUsd = (amount: NanoUsd | null | undefined): string | null => (amount == null ? null : formatUsd(amount));
