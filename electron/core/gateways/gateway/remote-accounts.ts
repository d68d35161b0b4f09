import { z } from 'zod';
import { Secret } from '#gateway/access/auth/secret.ts';
import { type AccountUnit, createAccountUnit } from '#shared/client/account-unit.ts';
import { gatewayClient } from '#shared/client/gateway-client.ts';
import { gatewayAccount } from '#shared/contract/app/gateway-accounts.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import type { SecretBox } from '../../storage/secrets/secret-box.ts';
import { type BaseUrl, parseBaseUrl } from '../connection/base-url.ts';
import { checkCredential } from '../connection/check-credential.ts';
import type { Payer } from '../connection/connections.ts';
import { createSource, renameSource } from './account-sources.ts';
import { readInstallation } from './installation.ts';
import { withOwnKeys } from './own-keys.ts';

const setting = 'gateway.accounts';
/** The names under which earlier versions stored their only remote connection and its key. */
const former = { setting: 'gateway.remote', secret: 'gateway/remote', id: 'remote' } as const;

const storedAccount = gatewayAccount.extend({
  /** The source that stored answers refer to: `Payer.source`. */
  source: z.string(),
  /** Earlier sources of this account. A running answer may still be stored under one of them. */
  formerSources: z.array(z.string()).default([]),
  /** The account’s id at its gateway. Null: the gateway reports none. Absent: not requested yet. */
  accountId: z.string().nullable().optional(),
  ownKeys: z.boolean().default(false),
});
const storedAccounts = z.object({ active: z.string().nullable(), accounts: z.array(z.unknown()) });
const formerRemote = z.object({
  baseUrl: z.string(),
  keyHint: z.string().nullable().catch(null),
  storage: storedAccount.shape.storage.catch('keychain'),
});

/** An account at a remote gateway. */
export interface Account extends Omit<z.infer<typeof storedAccount>, 'baseUrl'> {
  readonly baseUrl: BaseUrl;
}

export interface GatewayAccountsDeps extends CoreContext {
  readonly secrets: SecretBox;
  readonly fetch: typeof fetch;
  /** Returns the person’s own key of a provider at that provider’s usual address. Null: there is none. */
  readonly ownKey: (provider: string) => Secret | null;
}

/**
 * Includes the origin that the credential was entered for, so that a restored database with another address doesn't
 * find it.
 */
const secretName = ({ id, baseUrl }: Pick<Account, 'id' | 'baseUrl'>): string =>
  `gateway/${id}/${new URL(baseUrl).origin}`;

/** How long to wait before asking again for an account id that the gateway did not report. */
const askAgainMs = 60_000;

/**
 * Consent is stored next to the credential, so that neither a backup nor another address can bring a consent that was
 * never given.
 */
const consentName = (account: Pick<Account, 'id' | 'baseUrl'>): string => `${secretName(account)}/own-keys`;

/** Manages the accounts at remote gateways, of which one may be active. */
export function gatewayAccounts(deps: GatewayAccountsDeps) {
  const { settings, db, dataFolder, secrets, fetch: send, ownKey, elapsed, newId } = deps;
  const installation = readInstallation(dataFolder, newId);
  let accounts: readonly Account[] = [];
  let active: string | null = null;
  const keys = new Map<string, Secret>();
  const asking = new Map<string, Promise<Account>>();
  const askedAt = new Map<string, number>();

  const clientFor = (baseUrl: BaseUrl, secret: Secret) =>
    gatewayClient({ baseUrl, apiKey: () => secret.reveal(), fetch: send, unit: getAccountUnit(secret) });

  const units = new WeakMap<Secret, AccountUnit>();
  const getAccountUnit = (secret: Secret): AccountUnit => {
    const unit = units.get(secret) ?? createAccountUnit();
    units.set(secret, unit);
    return unit;
  };

  const find = (id: string): Account | undefined => accounts.find((account) => account.id === id);

  function require(id: string): Account {
    const account = find(id);
    if (!account) throw refusal('not_found', 'gatewayAccountGone');
    return account;
  }

  async function write(next: { accounts: readonly Account[]; active: string | null }): Promise<void> {
    await settings.write(setting, next);
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

  /** Requests the account id for a connection that an earlier version stored by its address only. Never throws. */
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
      await renameSource(db, account.source, source);
      return await replace(account.id, {
        accountId,
        source,
        formerSources: [...account.formerSources, account.source],
      });
    } catch {
      // The gateway is asked again later. Until then the account keeps its old source.
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
    // If the keychain can't be read, there is no consent.
    return (await secrets.get(consentName(account)).catch(() => null)) !== null;
  }

  /** Takes over the connection of an earlier version. If the keychain can't be read now, the next start tries again. */
  async function takeOver(remote: Account): Promise<void> {
    const key = await secrets.get(former.secret);
    if (key) {
      await secrets.set(secretName(remote), key);
      await secrets.remove(former.secret);
    }
    await write({ accounts: [remote], active: remote.id });
    await settings.forget(former.setting);
  }

  return {
    clientFor,
    all: () => accounts,
    active: (): Account | null => (active === null ? null : (find(active) ?? null)),
    require,

    /** Loads the stored accounts, at the start and after a restore. */
    async load(): Promise<void> {
      const stored = storedAccounts.safeParse(await settings.read(setting));
      accounts = stored.success ? stored.data.accounts.flatMap((entry) => usable(entry) ?? []) : [];
      active = stored.success ? stored.data.active : null;
      const remote = stored.success ? null : formerAccount(await settings.read(former.setting));
      if (!remote) return;
      [accounts, active] = [[remote], remote.id];
      await takeOver(remote).catch(() => {});
    },

    /** Returns the payer of an account. Throws if its credential can't be read. */
    byId: (id: string): Promise<Payer> => getPayer(require(id)),
    async bySource(source: string): Promise<Payer | null> {
      const account =
        accounts.find((candidate) => candidate.source === source) ??
        accounts.find((candidate) => candidate.formerSources.includes(source));
      return account ? getPayer(account) : null;
    },

    /** Stores a new account and makes it the active one. */
    async add(account: Omit<Account, 'source' | 'formerSources' | 'storage'>, secret: Secret): Promise<Account> {
      const storage = await secrets.set(secretName(account), secret);
      const source = createSource(account.baseUrl, account.accountId ?? null, account.id);
      const added = { ...account, storage, source, formerSources: [] };
      await write({ accounts: [...accounts, added], active: added.id });
      keys.set(secretName(added), secret);
      return added;
    },
    /** Finds the account with this id at its gateway. Null if it isn't connected. */
    async findConnected(baseUrl: BaseUrl, accountId: string | null): Promise<Account | null> {
      if (accountId === null) return null;
      const unknown = accounts.filter((candidate) => candidate.accountId === undefined);
      await Promise.all(
        unknown
          .map(async (candidate) => identify(candidate, await getKey(candidate)))
          .map((run) => run.catch(() => {})),
      );
      const source = createSource(baseUrl, accountId, '');
      return accounts.find((candidate) => candidate.source === source) ?? null;
    },
    isAgreed,
    /** Stores whether the person agreed to send own keys to this gateway. */
    async setOwnKeys(id: string, isAllowed: boolean): Promise<void> {
      const account = require(id);
      if (isAllowed) await secrets.set(consentName(account), new Secret('yes'));
      else await secrets.remove(consentName(account));
      const next = accounts.map((candidate) =>
        candidate.id === id ? { ...candidate, ownKeys: isAllowed } : candidate,
      );
      await write({ accounts: next, active });
    },
    async use(id: string | null): Promise<void> {
      if (id !== null) require(id);
      await write({ accounts, active: id });
    },
    /** Changes facts of an account, and its credential if one is given. */
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
    /** Throws if the keychain can't delete the credential; the account then stays as well. */
    async remove(id: string): Promise<void> {
      const account = require(id);
      if (account.ownKeys) await secrets.remove(consentName(account));
      await secrets.remove(secretName(account));
      keys.delete(secretName(account));
      await write({
        accounts: accounts.filter((candidate) => candidate.id !== id),
        active: active === id ? null : active,
      });
    },
  };
}

export type GatewayAccounts = ReturnType<typeof gatewayAccounts>;

/** A key of another account turns the connection into that account's. Earlier payments stay with the old source. */
function getNextSource(
  { id, baseUrl, source, accountId }: Account,
  facts: Partial<Pick<Account, 'accountId'>>,
): string {
  const next = facts.accountId;
  return next == null || next === accountId || accountId === undefined ? source : createSource(baseUrl, next, id);
}

/** Null if this isn't an account or its address isn't allowed. */
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
