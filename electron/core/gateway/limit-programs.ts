import type { Gateway } from '#gateway/gateway.ts';
import type { Caps } from '#shared/contract/chat/caps.ts';
import { parseUsd } from '#shared/money.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/** Names under which the ids of the account for own keys, and of the app's key to it, are kept. */
export const accountSetting = (wallet: string) => `wallet.${wallet}.account`;
export const keySetting = (wallet: string) => `wallet.${wallet}.key`;

export interface LimitDeps {
  readonly gateway: Pick<Gateway, 'operator'>;
  readonly store: SettingsStore;
  readonly caps: () => Promise<Pick<Caps, 'day' | 'month'>>;
}

/**
 * Makes the caps of a day and a month limits of the account in the built-in gateway, which refuses by them whatever program asks.
 * The app's own key may pass them: the core has checked them before, and a person may send anyway. An account that is not
 * there yet is limited as soon as it is opened.
 */
export async function limitPrograms({ gateway, store, caps }: LimitDeps): Promise<void> {
  const [{ day, month }, accountId, exceptKey] = await Promise.all([
    caps(),
    store.readText(accountSetting('main')),
    store.readText(keySetting('main')),
  ]);
  if (accountId === null) return;
  const limit = (cap: string | null) => (cap === null ? null : parseUsd(cap));
  await gateway.operator.limitAccount(accountId, { day: limit(day), month: limit(month), exceptKey });
}
