import { z } from 'zod';
import { Secret } from '#gateway/access/auth/secret.ts';
import { gatewayClient } from '#shared/client/gateway-client.ts';
import { gatewayAccount } from '#shared/contract/app/gateway-accounts.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { SecretBox } from '../../storage/secrets/secret-box.ts';
import type { SettingsStore } from '../../storage/settings/settings-store.ts';
import { type BaseUrl, parseBaseUrl } from '../connection/base-url.ts';
import { checkCredential } from '../connection/check-credential.ts';
import type { Payer } from '../connection/connections.ts';
import { createSource } from './account-sources.ts';
import { withOwnKeys } from './own-keys.ts';

const setting = 'gateway.accounts';
/** Where the one connection of earlier versions was kept, and its key. */
const former = { setting: 'gateway.remote', secret: 'gateway/remote', id: 'remote' } as const;

const storedAccount = gatewayAccount.extend({
  /** What answers are booked by: `Payer.source`. */
  source: z.string(),
  /** The sources of earlier versions and keys, by which running answers may still be stored. */
  formerSources: z.array(z.string()).default([]),
  /** The account’s id at its gateway; null: the gateway reports none. Absent: nobody has asked yet. */
  accountId: z.string().nullable().optional(),
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
  /** This installation, by which its requests are told from those of other computers with the same key. */
  readonly installation: string;
  /** Names all that is stored of an account by another source. */
  readonly renameSource: (from: string, to: string) => Promise<void>;
  /** Monotonic, in milliseconds. */
  readonly elapsed: () => number;
  /** The person’s own key of a provider, at that provider’s own address; null: there is none. */
  readonly ownKey: (provider: string) => Secret | null;
}

/**
 * A credential is stored under the origin that it was entered for: a restored database that names another address does not
 * find it.
 */
const secretName = ({ id, baseUrl }: Pick<Account, 'id' | 'baseUrl'>): string =>
  `gateway/${id}/${new URL(baseUrl).origin}`;

/** After a gateway did not say whose key it is, it is asked again. */
const askAgainMs = 60_000;

/** Beside the credential, so that neither a backup nor another address brings a consent that was not given. */
const consentName = (account: Pick<Account, 'id' | 'baseUrl'>): string => `${secretName(account)}/own-keys`;

/** The accounts at gateways elsewhere; one of them may be active. */
export function gatewayAccounts(deps: GatewayAccountsDeps) {
  const { store, secrets, fetch: send, ownKey, renameSource, elapsed, installation } = deps;
  let accounts: readonly Account[] = [];
  let active: string | null = null;
  const keys = new Map<string, Secret>();
  const asking = new Map<string, Promise<Account>>();
  const askedAt = new Map<string, number>();

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

  async function getKey(account: Account): Promise<Secret> {
    const name = secretName(account);
    const key = keys.get(name) ?? (await secrets.get(name));
    if (!key) throw refusal('missing_credentials', 'gatewayKeyGone');
    keys.set(name, key);
    return key;
  }

  async function getPayer(stored: Account): Promise<Payer> {
    const key = await getKey(stored);
    const account = stored.accountId === undefined ? await identify(stored, key) : stored;
    const { id, source, baseUrl, name } = account;
    const client = clientFor(baseUrl, key);
    const sends = await isAgreed(account);
    return {
      id,
      billingAccount: 'main',
      source,
      name,
      installation,
      client: sends ? withOwnKeys(client, ownKey) : client,
    };
  }

  /** Asks whose key it is, of a connection that an earlier version stored by its address alone. Never throws. */
  function identify(account: Account, key: Secret): Promise<Account> {
    const last = askedAt.get(account.id);
    if (last !== undefined && elapsed() - last < askAgainMs && !asking.has(account.id)) return Promise.resolve(account);
    const running = asking.get(account.id) ?? askAccountId(account, key).finally(() => asking.delete(account.id));
    asking.set(account.id, running);
    askedAt.set(account.id, elapsed());
    return running;
  }

  async function askAccountId(account: Account, key: Secret): Promise<Account> {
    try {
      const verified = await checkCredential(clientFor(account.baseUrl, key));
      const accountId = verified?.account.id ?? null;
      if (accountId === null) return await replace(account.id, { accountId });
      const source = createSource(account.baseUrl, accountId, account.id);
      await renameSource(account.source, source);
      return await replace(account.id, {
        accountId,
        source,
        formerSources: [...account.formerSources, account.source],
      });
    } catch {
      // A gateway that does not answer now is asked again later; until then the account has the name that it had.
      return account;
    }
  }

  async function replace(id: string, facts: Partial<Account>): Promise<Account> {
    const changed: Account = { ...require(id), ...facts };
    await write({ accounts: accounts.map((account) => (account.id === id ? changed : account)), active });
    return changed;
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
    byId: (id: string): Promise<Payer> => getPayer(require(id)),
    async bySource(source: string): Promise<Payer | null> {
      const account =
        accounts.find((each) => each.source === source) ?? accounts.find((each) => each.formerSources.includes(source));
      return account ? getPayer(account) : null;
    },

    /** Keeps a new account and makes it the active one. */
    async add(account: Omit<Account, 'source' | 'formerSources' | 'storage'>, secret: Secret): Promise<Account> {
      const storage = await secrets.set(secretName(account), secret);
      const source = createSource(account.baseUrl, account.accountId ?? null, account.id);
      const added = { ...account, storage, source, formerSources: [] };
      await write({ accounts: [...accounts, added], active: added.id });
      keys.set(secretName(added), secret);
      return added;
    },
    /** The connection of an account that its gateway knows by this id; null: there is none. */
    async findConnected(baseUrl: BaseUrl, accountId: string | null): Promise<Account | null> {
      if (accountId === null) return null;
      const unknown = accounts.filter((each) => each.accountId === undefined);
      await Promise.all(
        unknown.map(async (each) => identify(each, await getKey(each))).map((run) => run.catch(() => {})),
      );
      const source = createSource(baseUrl, accountId, '');
      return accounts.find((each) => each.source === source) ?? null;
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
      facts: Partial<Pick<Account, 'name' | 'kind' | 'keyHint' | 'expiresAt' | 'accountId'>>,
      secret?: Secret,
    ) {
      const before = require(id);
      const storage = secret ? await secrets.set(secretName(before), secret) : before.storage;
      const changed: Account = { ...before, ...facts, storage, source: getNextSource(before, facts) };
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

/** A key of another account makes the connection one of that account; what the one before paid stays with it. */
function getNextSource(
  { id, baseUrl, source, accountId }: Account,
  facts: Partial<Pick<Account, 'accountId'>>,
): string {
  const next = facts.accountId;
  return next == null || next === accountId || accountId === undefined ? source : createSource(baseUrl, next, id);
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
    formerSources: [],
    source: `${data.baseUrl}/main`,
  };
  return usable({ ...data, ...facts });
}
