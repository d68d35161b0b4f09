import { z } from 'zod';
import { Secret } from '#gateway/auth/secret.ts';
import { gatewayClient } from '#shared/client/gateway-client.ts';
import { gatewayAccount } from '#shared/contract/app/gateway-accounts.ts';
import { refusal } from '#shared/language/refusals.ts';
import { type BaseUrl, parseBaseUrl } from '../connection/base-url.ts';
import type { Payer } from '../connection/connections.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import { withOwnKeys } from './own-keys.ts';

const setting = 'gateway.accounts';
/** Where the one connection of earlier versions was kept, and its key. */
const former = { setting: 'gateway.remote', secret: 'gateway/remote', id: 'remote' } as const;

const storedAccount = gatewayAccount.extend({
  /** What answers are booked by: `Payer.source`. */
  source: z.string(),
  ownKeys: z.boolean().default(false),
});
const storedAccounts = z.object({ active: z.string().nullable(), accounts: z.array(z.unknown()) });
const formerRemote = z.object({
  baseUrl: z.string(),
  keyHint: z.string().nullable().catch(null),
  storage: storedAccount.shape.storage.catch('keychain'),
});

/** An account at a gateway elsewhere. */
export interface Account extends Omit<z.infer<typeof storedAccount>, 'baseUrl'> {
  readonly baseUrl: BaseUrl;
}

export interface GatewayAccountsDeps {
  readonly store: SettingsStore;
  readonly secrets: SecretBox;
  readonly fetch: typeof fetch;
  /** The person’s own key of a provider, at that provider’s own address; null: there is none. */
  readonly ownKey: (provider: string) => Secret | null;
}

/**
 * A credential is stored under the origin that it was entered for: a restored database that names another address does not
 * find it.
 */
const secretName = ({ id, baseUrl }: Pick<Account, 'id' | 'baseUrl'>): string =>
  `gateway/${id}/${new URL(baseUrl).origin}`;

/** Beside the credential, so that neither a backup nor another address brings a consent that was not given. */
const consentName = (account: Pick<Account, 'id' | 'baseUrl'>): string => `${secretName(account)}/own-keys`;

/** The accounts at gateways elsewhere; one of them may be active. */
export function gatewayAccounts({ store, secrets, fetch: send, ownKey }: GatewayAccountsDeps) {
  let accounts: readonly Account[] = [];
  let active: string | null = null;
  const keys = new Map<string, Secret>();

  const clientFor = (baseUrl: BaseUrl, secret: Secret) =>
    gatewayClient({ baseUrl, apiKey: () => secret.reveal(), fetch: send });

  const find = (id: string): Account | undefined => accounts.find((account) => account.id === id);

  function require(id: string): Account {
    const account = find(id);
    if (!account) throw refusal('not_found', 'gatewayAccountGone');
    return account;
  }

  async function write(next: { accounts: readonly Account[]; active: string | null }): Promise<void> {
    await store.write(setting, next);
    ({ accounts, active } = next);
  }

  async function keyOf(account: Account): Promise<Secret> {
    const name = secretName(account);
    const key = keys.get(name) ?? (await secrets.get(name));
    if (!key) throw refusal('missing_credentials', 'gatewayKeyGone');
    keys.set(name, key);
    return key;
  }

  async function payerOf(account: Account): Promise<Payer> {
    const { id, source, baseUrl, name } = account;
    const client = clientFor(baseUrl, await keyOf(account));
    const sends = await isAgreed(account);
    return { id, wallet: 'main', source, name, client: sends ? withOwnKeys(client, ownKey) : client };
  }

  async function isAgreed(account: Account): Promise<boolean> {
    if (!account.ownKeys) return false;
    // A keychain that cannot be read has no consent.
    return (await secrets.get(consentName(account)).catch(() => null)) !== null;
  }

  /** Takes over the connection of an earlier version; a keychain that cannot be read now is asked at the next start. */
  async function takeOver(remote: Account): Promise<void> {
    const key = await secrets.get(former.secret);
    if (key) {
      await secrets.set(secretName(remote), key);
      await secrets.remove(former.secret);
    }
    await write({ accounts: [remote], active: remote.id });
    await store.forget(former.setting);
  }

  return {
    clientFor,
    all: () => accounts,
    active: (): Account | null => (active === null ? null : (find(active) ?? null)),
    require,

    /** Loads what is stored: at the start, and after a restore. */
    async load(): Promise<void> {
      const stored = storedAccounts.safeParse(await store.read(setting));
      accounts = stored.success ? stored.data.accounts.flatMap((entry) => usable(entry) ?? []) : [];
      active = stored.success ? stored.data.active : null;
      const remote = stored.success ? null : formerAccount(await store.read(former.setting));
      if (!remote) return;
      [accounts, active] = [[remote], remote.id];
      await takeOver(remote).catch(() => {});
    },

    /** What pays for an account. Throws if its credential cannot be read. */
    byId: (id: string): Promise<Payer> => payerOf(require(id)),
    async bySource(source: string): Promise<Payer | null> {
      const account = accounts.find((each) => each.source === source);
      return account ? payerOf(account) : null;
    },

    /** Keeps a new account and makes it the active one. */
    async add(account: Omit<Account, 'source' | 'storage'>, secret: Secret): Promise<Account> {
      const storage = await secrets.set(secretName(account), secret);
      const added = { ...account, storage, source: sourceFor(account, accounts) };
      await write({ accounts: [...accounts, added], active: added.id });
      keys.set(secretName(added), secret);
      return added;
    },
    isAgreed,
    /** Keeps that the person agreed to send own keys there, or that they no longer do. */
    async setOwnKeys(id: string, on: boolean): Promise<void> {
      const account = require(id);
      if (on) await secrets.set(consentName(account), new Secret('yes'));
      else await secrets.remove(consentName(account));
      const next = accounts.map((each) => (each.id === id ? { ...each, ownKeys: on } : each));
      await write({ accounts: next, active });
    },
    async use(id: string | null): Promise<void> {
      if (id !== null) require(id);
      await write({ accounts, active: id });
    },
    /** The same account with other facts, and with another credential where one is given. */
    async change(
      id: string,
      facts: Partial<Pick<Account, 'name' | 'kind' | 'keyHint' | 'expiresAt'>>,
      secret?: Secret,
    ) {
      const before = require(id);
      const storage = secret ? await secrets.set(secretName(before), secret) : before.storage;
      const changed: Account = { ...before, ...facts, storage };
      await write({ accounts: accounts.map((account) => (account.id === id ? changed : account)), active });
      if (secret) keys.set(secretName(changed), secret);
      return changed;
    },
    /** Throws if the keychain keeps the credential: then the account stays, too. */
    async remove(id: string): Promise<void> {
      const account = require(id);
      if (account.ownKeys) await secrets.remove(consentName(account));
      await secrets.remove(secretName(account));
      keys.delete(secretName(account));
      await write({ accounts: accounts.filter((each) => each.id !== id), active: active === id ? null : active });
    },
  };
}

export type GatewayAccounts = ReturnType<typeof gatewayAccounts>;

/** The first account at an address is booked by the address alone: who connects it again finds earlier bills. */
function sourceFor({ id, baseUrl }: Pick<Account, 'id' | 'baseUrl'>, others: readonly Account[]): string {
  const source = `${baseUrl}/main`;
  return others.some((other) => other.source === source) ? `${baseUrl}/${id}` : source;
}

/** Null: not an account, or its address is not allowed. */
function usable(entry: unknown): Account | null {
  const stored = storedAccount.safeParse(entry);
  if (!stored.success) return null;
  try {
    return { ...stored.data, baseUrl: parseBaseUrl(stored.data.baseUrl, { withKey: true }) };
  } catch {
    return null;
  }
}

function formerAccount(value: unknown): Account | null {
  const { success, data } = formerRemote.safeParse(value);
  if (!success || !URL.canParse(data.baseUrl)) return null;
  const { host } = new URL(data.baseUrl);
  const facts = {
    id: former.id,
    name: host,
    kind: 'api_key',
    expiresAt: null,
    ownKeys: false,
    source: `${data.baseUrl}/main`,
  };
  return usable({ ...data, ...facts });
}
