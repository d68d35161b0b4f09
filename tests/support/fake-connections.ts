import { implement, ORPCError } from '@orpc/server';
import type { Topic } from '#shared/contract/app/changes.ts';
import { contract } from '#shared/contract/index.ts';
import type { FakeData } from './fake-data.ts';

const os = implement(contract);

/** Provider keys, the gateway in use and its keys for other programs. */
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
        // Whoever added it hears only when its models are known, after all windows.
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
    localKeys: {
      list: os.localKeys.list.handler(() => []),
      create: os.localKeys.create.handler(() => ({ key: 'sk-portico-shown-once' })),
      revoke: os.localKeys.revoke.handler(() => {}),
    },
    gateway: {
      get: os.gateway.get.handler(async () => {
        await guard('gateway.get');
        return data.gateway;
      }),
      connect: os.gateway.connect.handler(async ({ input }) => {
        await guard('gateway.connect');
        data.gateway = {
          ...data.gateway,
          mode: 'remote',
          remote: { baseUrl: input.baseUrl, keyHint: 'sk-…77aa', storage: 'keychain' },
        };
        changed('gateway', 'account', 'models');
        return data.gateway;
      }),
      disconnect: os.gateway.disconnect.handler(async () => {
        await guard('gateway.disconnect');
        data.gateway = { ...data.gateway, mode: 'embedded', remote: null };
        changed('gateway', 'account', 'models');
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
