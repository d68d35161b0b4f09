import { implement, ORPCError } from '@orpc/server';
import type { Topic } from '#shared/contract/app/changes.ts';
import { contract } from '#shared/contract/index.ts';
import type { FakeData } from './fake-data.ts';

const os = implement(contract);

/** Provider keys, the gateway in use and its API keys, in memory. */
export function fakeConnections(
  data: FakeData,
  guard: (method: string) => Promise<void>,
  changed: (...topics: Topic[]) => void,
) {
  function changeProvider(id: string, change: Partial<FakeData['providers'][number]>) {
    const found = data.providers.find((entry) => entry.id === id);
    if (!found) throw new ORPCError('not_found', { message: 'There is no such provider.' });
    Object.assign(found, change);
    changed('providers', 'models');
    return found;
  }

  return {
    providers: {
      list: os.providers.list.handler(async () => {
        await guard('providers.list');
        return data.providers;
      }),
      setKey: os.providers.setKey.handler(async ({ input }) => {
        await guard('providers.setKey');
        return changeProvider(input.id, {
          state: 'works',
          keyHint: 'sk-…9fQ2',
          storage: 'keychain',
          checkedAt: Date.now(),
          baseUrl: input.baseUrl ?? null,
        });
      }),
      check: os.providers.check.handler(async ({ input }) => {
        await guard('providers.check');
        return changeProvider(input.id, { checkedAt: Date.now() });
      }),
      nameModels: os.providers.nameModels.handler(async ({ input }) => {
        await guard('providers.nameModels');
        return changeProvider(input.id, { models: input.models });
      }),
      addKey: os.providers.addKey.handler(async ({ input }) => {
        await guard('providers.addKey');
        const keys = data.providers.find(({ id }) => id === input.id)?.keys ?? [];
        const key = { ...input, id: input.label, hint: 'sk-…7Ra1', storage: 'keychain' as const, problem: null };
        return changeProvider(input.id, { keys: [...keys, { ...key, state: 'works' as const }] });
      }),
      orderKeys: os.providers.orderKeys.handler(async ({ input }) => {
        await guard('providers.orderKeys');
        const keys = data.providers.find(({ id }) => id === input.id)?.keys ?? [];
        return changeProvider(input.id, {
          keys: keys.toSorted((a, b) => input.keyIds.indexOf(a.id) - input.keyIds.indexOf(b.id)),
        });
      }),
      saveServer: os.providers.saveServer.handler(async ({ input }) => {
        await guard('providers.saveServer');
        const { kind, apiVersion, models, name, baseUrl } = input;
        const server = { kind, apiVersion, models, headerNames: input.headers.map((header) => header.name) };
        const state = 'works' as const;
        const saved = { name, keyPage: null, ownServer: true, baseUrl, movedFrom: null, state, server, keys: [] };
        const facts = { keyHint: null, storage: null, problem: null, checkedAt: Date.now() };
        const entry = { id: input.id ?? name.toLowerCase(), ...saved, ...facts };
        if (input.id) return changeProvider(input.id, entry);
        data.providers.push(entry);
        changed('providers', 'models');
        // The caller gets its answer only after the models are listed, and so after all windows show the server.
        await guard('providers.saveServer: list its models');
        return entry;
      }),
      discover: os.providers.discover.handler(async () => {
        await guard('providers.discover');
        return data.localServers;
      }),
      removeKey: os.providers.removeKey.handler(async ({ input }) => {
        await guard('providers.removeKey');
        return changeProvider(input.id, {
          state: 'not_set',
          keyHint: null,
          storage: null,
          checkedAt: null,
          problem: null,
        });
      }),
    },
    apiKeys: {
      list: os.apiKeys.list.handler(async ({ input }) => {
        await guard('apiKeys.list');
        return { keys: data.apiKeys.filter(({ account }) => account === input.account), complete: true };
      }),
      create: os.apiKeys.create.handler(async ({ input }) => {
        await guard('apiKeys.create');
        const { account, name, scopes, limitUsd, expiresAt } = input;
        const facts = { prefix: 'sk-portico-Ab3d', createdAt: Date.now(), lastUsedAt: null, spentUsd: '0' };
        data.apiKeys.push({ ...facts, id: `key-${data.apiKeys.length}`, account, name, scopes, limitUsd, expiresAt });
        changed('gateway');
        return { key: 'sk-portico-shown-once' };
      }),
      change: os.apiKeys.change.handler(async ({ input }) => {
        await guard('apiKeys.change');
        const { id, name, limitUsd, expiresAt } = input;
        data.apiKeys = data.apiKeys.map((key) => (key.id === id ? { ...key, name, limitUsd, expiresAt } : key));
        changed('gateway');
      }),
      rotate: os.apiKeys.rotate.handler(async () => {
        await guard('apiKeys.rotate');
        changed('gateway');
        return { key: 'sk-portico-rotated', problem: null };
      }),
      revoke: os.apiKeys.revoke.handler(async ({ input }) => {
        await guard('apiKeys.revoke');
        data.apiKeys = data.apiKeys.filter(({ id }) => id !== input.id);
        changed('gateway');
      }),
    },
    funds: {
      outlook: os.funds.outlook.handler(async ({ input }) => {
        await guard('funds.outlook');
        return data.outlook[input.billingAccount];
      }),
      account: os.funds.account.handler(async ({ input }) => {
        await guard(`funds.account ${input.id}`);
        const found = data.billingAccounts.find(({ id }) => id === input.id);
        if (!found) throw new ORPCError('gateway_unreachable', { message: 'The gateway did not answer.' });
        return found;
      }),
      budget: os.funds.budget.handler(async () => {
        await guard('funds.budget');
        return data.budget;
      }),
      setBudget: os.funds.setBudget.handler(async ({ input }) => {
        await guard('funds.setBudget');
        data.budget = { ...data.budget, limitUsd: input.limitUsd, share: input.limitUsd === null ? null : 0.32 };
        changed('caps');
      }),
    },
    verification: {
      get: os.verification.get.handler(async ({ input }) => {
        await guard('verification.get');
        const { credential, ...account } = data.account[input.billingAccount];
        const times = { created: account.created, expires_at: null, last_used_at: null };
        const reported = {
          object: 'auth.verification' as const,
          valid: true as const,
          account,
          credential: credential && { ...times, ...credential },
        };
        return { reported, checkedAt: Date.now() };
      }),
    },
    gatewayAccounts: {
      list: os.gatewayAccounts.list.handler(async () => {
        await guard('gatewayAccounts.list');
        return data.gatewayAccounts;
      }),
      add: os.gatewayAccounts.add.handler(async ({ input }) => {
        await guard('gatewayAccounts.add');
        const { baseUrl } = input;
        const account = {
          id: `account-${data.gatewayAccounts.accounts.length + 1}`,
          baseUrl,
          kind: 'api_key' as const,
          name: input.name ?? new URL(baseUrl).host,
          keyHint: 'sk-…77aa',
          storage: 'keychain' as const,
          expiresAt: null,
          ownKeys: false,
        };
        data.gatewayAccounts = { accounts: [...data.gatewayAccounts.accounts, account], active: account.id };
        data.gateway = { ...data.gateway, mode: 'remote' };
        changed('payer', 'gateway', 'account', 'models');
        return account;
      }),
      use: os.gatewayAccounts.use.handler(async ({ input }) => {
        await guard('gatewayAccounts.use');
        data.gatewayAccounts = { ...data.gatewayAccounts, active: input.id };
        data.gateway = { ...data.gateway, mode: input.id === null ? 'embedded' : 'remote' };
        changed('payer', 'gateway', 'account', 'models');
      }),
      change: os.gatewayAccounts.change.handler(async ({ input }) => {
        await guard('gatewayAccounts.change');
        const account = data.gatewayAccounts.accounts.find(({ id }) => id === input.id);
        if (!account) throw new ORPCError('not_found', { message: 'This account is not here any more.' });
        account.name = input.name ?? account.name;
        changed('gateway');
        return account;
      }),
      setOwnKeys: os.gatewayAccounts.setOwnKeys.handler(async ({ input }) => {
        await guard('gatewayAccounts.setOwnKeys');
        for (const account of data.gatewayAccounts.accounts) if (account.id === input.id) account.ownKeys = input.on;
        changed('gateway');
      }),
      remove: os.gatewayAccounts.remove.handler(async ({ input }) => {
        await guard('gatewayAccounts.remove');
        const { accounts, active } = data.gatewayAccounts;
        data.gatewayAccounts = {
          accounts: accounts.filter(({ id }) => id !== input.id),
          active: active === input.id ? null : active,
        };
        changed('payer', 'gateway', 'account', 'models');
      }),
    },
    gateway: {
      get: os.gateway.get.handler(async () => {
        await guard('gateway.get');
        return data.gateway;
      }),
      listen: os.gateway.listen.handler(async ({ input }) => {
        await guard('gateway.listen');
        const url = input.enabled ? `http://127.0.0.1:${input.port}` : null;
        data.gateway = { ...data.gateway, local: { enabled: input.enabled, port: input.port, url, problem: null } };
        changed('gateway');
        return data.gateway;
      }),
    },
  };
}
