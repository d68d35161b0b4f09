import { Secret } from '#gateway/lib/secret.ts';
import type { ToolServer, ToolTransport, ToolTransportInput } from '#shared/contract/tools.ts';
import { AppError } from '#shared/errors.ts';
import type { Changes } from '../changes.ts';
import type { SecretBox } from '../secret-box.ts';
import { fingerprintOf } from './fingerprint.ts';
import { readServers } from './import-servers.ts';
import type { McpConnection, McpOptions } from './mcp-connection.ts';
import type { PermissionStore } from './permission-store.ts';
import type { StoredServer, ToolServerStore } from './tool-server-store.ts';

export interface ToolServersDeps {
  readonly store: ToolServerStore;
  readonly permissions: PermissionStore;
  readonly secrets: Pick<SecretBox, 'get' | 'set' | 'remove'>;
  readonly connect: (options: Pick<McpOptions, 'transport' | 'secrets' | 'closed'>) => Promise<McpConnection>;
  readonly changes: Changes;
  readonly now: () => number;
  readonly newId: () => string;
}

interface Named {
  readonly name: string;
  readonly transport: ToolTransportInput;
}

/** The user's tool servers: kept, reached when they are needed, and trusted only as they were when they were looked at. */
export function toolServers({ store, permissions, secrets, connect, changes, now, newId }: ToolServersDeps) {
  const open = new Map<string, Promise<McpConnection>>();
  const starting = new Set<string>();
  let closed = false;

  const show = (server: StoredServer): ToolServer => {
    const { id, name, transport, enabled, tools, problem } = server;
    const state = stateOf(server, starting.has(id), open.has(id));
    const fingerprint = fingerprintOf(transport, tools);
    const changed = enabled && server.seenFingerprint !== fingerprint;
    return { id, name, transport, enabled, state, problem, tools: [...tools], fingerprint, changed };
  };

  async function existing(id: string): Promise<StoredServer> {
    const server = await store.find(id);
    if (!server) throw new AppError('not_found', 'This tool server is not here any more.');
    return server;
  }

  async function keep(server: StoredServer): Promise<ToolServer> {
    await store.write(server);
    changes.emit('tools');
    return show(server);
  }

  async function add({ name, transport }: Named): Promise<ToolServer> {
    const id = newId();
    await keepSecrets(id, transport, []);
    const server = { id, name, transport: withoutSecrets(transport), enabled: false, tools: [] };
    return keep({ ...server, seenFingerprint: null, problem: null, createdAt: now() });
  }

  /** `named`: those that it had. Where there are none and were none, no keychain is needed. */
  async function keepSecrets(id: string, transport: ToolTransportInput, named: readonly string[]): Promise<void> {
    const given = secretsIn(transport);
    if (Object.keys(given).length === 0) return forgetSecrets(id, named);
    const before = await secretsOf(id, named);
    const values = Object.entries(given).map(([name, value]) => [name, value === '' ? (before[name] ?? '') : value]);
    await secrets.set(secretName(id), new Secret(JSON.stringify(Object.fromEntries(values))));
  }

  async function forgetSecrets(id: string, named: readonly string[]): Promise<void> {
    if (named.length > 0) await secrets.remove(secretName(id));
  }

  async function secretsOf(id: string, named: readonly string[]): Promise<Record<string, string>> {
    if (named.length === 0) return {};
    const kept = await secrets.get(secretName(id));
    return kept ? (JSON.parse(kept.reveal()) as Record<string, string>) : {};
  }

  async function stop(id: string): Promise<void> {
    const connection = open.get(id);
    open.delete(id);
    await connection?.then(
      (known) => known.close(),
      () => {
        // It never opened: there is nothing to close, and whoever opened it was told why.
      },
    );
  }

  /** The connection, opened where it is not; what its tools say now is remembered. Throws `tool_server_failed`. */
  function reach(id: string): Promise<McpConnection> {
    if (closed) return Promise.reject(new AppError('shutting_down', 'Portico is closing.'));
    const known = open.get(id);
    if (known !== undefined) return known;
    const opening = start(id);
    open.set(id, opening);
    opening.catch(() => open.get(id) === opening && open.delete(id));
    return opening;
  }

  async function start(id: string): Promise<McpConnection> {
    starting.add(id);
    changes.emit('tools');
    try {
      const { transport } = await existing(id);
      const connection = await connect({
        transport,
        secrets: await secretsOf(id, namedIn(transport)),
        closed: (problem) => void ended(id, problem ?? 'The server ended by itself.'),
      });
      const server = await existing(id);
      starting.delete(id);
      await keep({ ...server, tools: connection.tools, problem: null });
      return connection;
    } catch (error) {
      starting.delete(id);
      const server = await store.find(id);
      const problem = error instanceof AppError ? error.message : 'It could not be started.';
      if (server) await keep({ ...server, problem });
      throw error;
    } finally {
      starting.delete(id);
    }
  }

  async function ended(id: string, problem: string): Promise<void> {
    open.delete(id);
    const server = await store.find(id);
    if (server) await keep({ ...server, problem });
  }

  return {
    list: async (): Promise<ToolServer[]> => (await store.all()).map(show),
    add,
    async change({ id, name, transport }: Named & { id: string }): Promise<ToolServer> {
      const before = await existing(id);
      await stop(id);
      await keepSecrets(id, transport, namedIn(before.transport));
      await permissions.forgetServer(id);
      const next = { ...before, name, transport: withoutSecrets(transport) };
      return keep({ ...next, enabled: false, tools: [], seenFingerprint: null, problem: null });
    },
    async remove({ id }: { id: string }): Promise<void> {
      const { transport } = await existing(id);
      await stop(id);
      await forgetSecrets(id, namedIn(transport));
      await store.remove(id);
      changes.emit('tools');
    },
    async test({ id }: { id: string }): Promise<ToolServer> {
      const { enabled } = await existing(id);
      await stop(id);
      await reach(id).catch((error: unknown) => {
        // Said by `problem`, which is what was asked for.
        if (!(error instanceof AppError) || error.code !== 'tool_server_failed') throw error;
      });
      if (!enabled) await stop(id);
      return show(await existing(id));
    },
    async enable({ id, enabled, fingerprint }: { id: string; enabled: boolean; fingerprint: string }) {
      const server = await existing(id);
      if (!enabled) {
        await stop(id);
        return keep({ ...server, enabled });
      }
      const now = fingerprintOf(server.transport, server.tools);
      if (fingerprint !== now) {
        throw new AppError(
          'tool_server_changed',
          'The server has changed since you looked at it. Look at its tools again.',
        );
      }
      return keep({ ...server, enabled, seenFingerprint: now });
    },
    async import({ json }: { json: string }) {
      const { servers, leftOut } = readServers(json);
      const known = new Set((await store.all()).map(({ transport }) => JSON.stringify(transport)));
      const added: ToolServer[] = [];
      const twice: { name: string; reason: string }[] = [];
      for (const found of servers) {
        const same = JSON.stringify(withoutSecrets(found.transport));
        if (known.has(same)) twice.push({ name: found.name, reason: 'It is here already.' });
        else added.push(await add(found));
        known.add(same);
      }
      return { added, leftOut: [...leftOut, ...twice] };
    },
    reach,
    async close(): Promise<void> {
      closed = true;
      await Promise.all([...open.keys()].map(stop));
    },
  };
}

export type ToolServers = ReturnType<typeof toolServers>;

const secretName = (id: string) => `tool-server/${id}`;

const secretsIn = (transport: ToolTransportInput): Record<string, string> =>
  transport.type === 'stdio' ? transport.variables : transport.headers;

const namedIn = (transport: ToolTransport): readonly string[] =>
  transport.type === 'stdio' ? transport.variables : transport.headers;

function withoutSecrets(transport: ToolTransportInput): ToolTransport {
  if (transport.type === 'http') return { ...transport, headers: Object.keys(transport.headers).sort() };
  return { ...transport, variables: Object.keys(transport.variables).sort() };
}

function stateOf(server: StoredServer, isStarting: boolean, isOpen: boolean): ToolServer['state'] {
  if (isStarting) return 'starting';
  if (server.problem !== null) return 'failed';
  return isOpen || server.enabled ? 'ready' : 'off';
}
