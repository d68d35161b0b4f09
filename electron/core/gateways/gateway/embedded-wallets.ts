import { Secret } from '#gateway/access/auth/secret.ts';
import type { Gateway } from '#gateway/gateway.ts';
import { gatewayClient } from '#shared/client/gateway-client.ts';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { parseUsd } from '#shared/money.ts';
import type { SecretBox } from '../../storage/secrets/secret-box.ts';
import type { SettingsStore } from '../../storage/settings/settings-store.ts';
import type { Payer } from '../connection/connections.ts';
import { embeddedFetch, embeddedRoot } from './embedded-fetch.ts';
import { accountSetting, keySetting, type ProgramLimits } from './program-limits.ts';
import { waitAsAsked } from './wait-as-asked.ts';

interface WalletPlan {
  readonly name: string;
  readonly plan: string;
  readonly grant: { readonly amount: string; readonly description: string } | null;
}

/** The two accounts of the built-in gateway: for the user’s own provider keys, and for test credits. */
const walletPlans: Readonly<Record<Wallet, WalletPlan>> = {
  main: { name: 'Your keys', plan: 'local', grant: null },
  sandbox: { name: 'Sandbox', plan: 'sandbox', grant: { amount: '10', description: 'Opening test credits' } },
};

export interface EmbeddedWalletDeps {
  readonly gateway: Gateway;
  readonly store: SettingsStore;
  readonly programLimits: Pick<ProgramLimits, 'write'>;
  readonly secrets: SecretBox;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
}

/** Opens each wallet once: its account, opening credits and the core’s key. */
export function embeddedWallets(deps: EmbeddedWalletDeps) {
  const opened = new Map<Wallet, Promise<Payer>>();
  function open(wallet: Wallet): Promise<Payer> {
    const known = opened.get(wallet);
    if (known) return known;
    const opening = openWallet(deps, wallet);
    opened.set(wallet, opening);
    // A failed attempt is repeated.
    opening.catch(() => opened.delete(wallet));
    return opening;
  }
  return {
    open,
    /** The ids of its account and of the core's key to it. */
    async getIds(wallet: Wallet) {
      await open(wallet);
      const [account, key] = await Promise.all(
        [accountSetting, keySetting].map((of) => deps.store.readText(of(wallet))),
      );
      return { account, key };
    },
    /** Other books may know neither their accounts nor their keys. */
    forget: () => opened.clear(),
  };
}

async function openWallet(deps: EmbeddedWalletDeps, wallet: Wallet): Promise<Payer> {
  const accountId = await accountFor(deps, wallet);
  const key = await keyFor(deps, wallet, accountId);
  if (wallet === 'main') await deps.programLimits.write();
  const client = gatewayClient({
    baseUrl: embeddedRoot,
    apiKey: () => key.reveal(),
    fetch: waitAsAsked(embeddedFetch(deps.gateway), deps.elapsed),
  });
  return { id: wallet, wallet, source: `embedded/${wallet}`, name: null, client };
}

/** The account’s id is stored; one created just before a crash is found by name and plan. */
async function accountFor({ gateway, store }: EmbeddedWalletDeps, wallet: Wallet): Promise<string> {
  const { name, plan, grant } = walletPlans[wallet];
  const setting = accountSetting(wallet);
  const accounts = await gateway.operator.listAccounts();
  const kept = await store.readText(setting);
  const account =
    accounts.find((each) => each.id === kept) ??
    accounts.find((each) => each.name === name && each.plan === plan) ??
    (await gateway.operator.createAccount({ name, plan }));
  if (grant) {
    const { amount, description } = grant;
    const id = `opening_${account.id}`;
    await gateway.operator.grant({ accountId: account.id, amount: parseUsd(amount), description, id });
  }
  if (account.id !== kept) await store.write(setting, account.id);
  return account.id;
}

/** The key from the keychain if it is valid; else a new one, and the old one is revoked. */
async function keyFor({ gateway, store, secrets }: EmbeddedWalletDeps, wallet: Wallet, accountId: string) {
  const setting = keySetting(wallet);
  const secretName = `gateway/${wallet}`;
  const keptId = await store.readText(setting);
  const keys = await gateway.operator.listKeys(accountId);
  const kept = keys.find((key) => key.id === keptId && key.revokedAt === null);
  const secret = kept ? await secrets.get(secretName).catch(() => null) : null;
  if (secret) return secret;
  const made = await gateway.operator.createKey({ accountId, label: 'Portico', scopes: ['chat', 'models', 'account'] });
  const key = new Secret(made.key);
  await secrets.set(secretName, key);
  await store.write(setting, made.id);
  if (kept) await gateway.operator.revokeKey(kept.id);
  return key;
}
