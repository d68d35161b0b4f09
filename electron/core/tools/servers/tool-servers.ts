import { join } from 'node:path';
import { z } from 'zod';
import { Secret } from '#gateway/access/auth/secret.ts';
import type { ToolServer, ToolTransport, ToolTransportInput } from '#shared/contract/app/tools.ts';
import { AppError, getProblemText, type ProblemText } from '#shared/errors.ts';
import type { Language } from '#shared/language/messages.ts';
import { refusal, toProblemText } from '#shared/language/refusals.ts';
import type { AskPerson } from '../../runtime/host/ask-person.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import type { SecretBox } from '../../storage/secrets/secret-box.ts';
import { getFingerprint } from './fingerprint.ts';
import type { McpConnection, McpOptions } from './mcp-connection.ts';
import type { PermissionStore } from './permission-store.ts';
import { serverConsents } from './server-consents.ts';
import { serverQuestion } from './server-question.ts';
import { getSubject, inFullFolder, refuseInsecure, type ServerWay } from './server-way.ts';
import { type StoredServer, toolServerStore } from './tool-server-store.ts';

/** The servers in another program's settings, and why some were left out. */
interface FoundServers {
  readonly servers: readonly { readonly name: string; readonly transport: ToolTransportInput }[];
  readonly leftOut: readonly { readonly name: string; readonly reason: ProblemText }[];
}

const texts = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_-]{0,127}$/), z.string().max(8192));
const process = z.object({
  command: z.string().trim().min(1).max(1024),
  args: z.array(z.string().max(4096)).max(100).default([]),
  env: texts.default({}),
  cwd: z.string().max(1024).nullish(),
});
const remote = z.object({ url: z.url({ protocol: /^https?$/ }).max(2048), headers: texts.default({}) });
const maxServers = 50;

/**
 * Reads the `mcpServers` (or `servers`) of a settings file as Claude Desktop, VS Code and Cursor write them. Starts
 * nothing. Throws `invalid_input` if the file has neither.
 */
function readServers(json: string): FoundServers {
  const entries = Object.entries(listIn(parsed(json)));
  if (entries.length > maxServers)
    throw refusal('invalid_input', 'tooManyServers', { most: maxServers, found: entries.length });
  const servers: FoundServers['servers'][number][] = [];
  const leftOut: FoundServers['leftOut'][number][] = [];
  for (const [key, entry] of entries) {
    const name = key.trim().slice(0, 80) || 'Server';
    const transport = transportIn(entry);
    if ('message' in transport) leftOut.push({ name, reason: transport });
    else servers.push({ name, transport });
  }
  return { servers, leftOut };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw refusal('invalid_input', 'serversNoJson');
  }
}

function listIn(value: unknown): Record<string, unknown> {
  const file = z.object({
    mcpServers: z.record(z.string(), z.unknown()).optional(),
    servers: z.record(z.string(), z.unknown()).optional(),
  });
  const read = file.safeParse(value);
  const list = read.success ? (read.data.mcpServers ?? read.data.servers) : undefined;
  if (!list) throw refusal('invalid_input', 'serversMissing');
  return list;
}

function transportIn(entry: unknown): ToolTransportInput | ProblemText {
  const local = process.safeParse(entry);
  if (local.success) {
    const { command, args, env, cwd } = local.data;
    return { type: 'stdio', command, args, folder: cwd ?? null, variables: env };
  }
  const http = remote.safeParse(entry);
  if (http.success) return { type: 'http', ...http.data };
  const isObject = typeof entry === 'object' && entry !== null;
  return toProblemText(isObject && ('command' in entry || 'url' in entry) ? 'serverUnreadable' : 'serverNowhere');
}

export interface ToolServersDeps extends CoreContext {
  readonly permissions: PermissionStore;
  readonly ask: AskPerson;
  readonly language: () => Promise<Language>;
  readonly secrets: Pick<SecretBox, 'get' | 'set' | 'remove'>;
  readonly connect: (options: Pick<McpOptions, 'transport' | 'secrets' | 'closed'>) => Promise<McpConnection>;
}

interface Named {
  readonly name: string;
  readonly transport: ToolTransportInput;
}

/** The user's tool servers: stored, connected on demand, and trusted only as they were when reviewed. */
export function toolServers(deps: ToolServersDeps) {
  const { db, dataFolder, permissions, ask, language, secrets, connect, changes, now, newId } = deps;
  const store = toolServerStore(db);
  const consents = serverConsents(join(dataFolder, 'consents.json'), now);
  const open = new Map<string, Promise<McpConnection>>();
  const starting = new Set<string>();
  /**
   * Servers with an open question: the number of waiting calls, and a signal that withdraws the question when the
   * server changes.
   */
  const asking = new Map<string, { readonly withdrawn: AbortController; callers: number }>();
  let closed = false;

  const show = (server: StoredServer): ToolServer => {
    const { id, name, transport, enabled, tools, problem } = server;
    const state = asking.has(id) ? 'asking' : getState(server, starting.has(id), open.has(id));
    const fingerprint = getFingerprint(transport, tools);
    const changed = enabled && server.seenFingerprint !== fingerprint;
    const allowed = consents.has(id);
    return { id, name, transport, enabled, state, allowed, problem, tools: [...tools], fingerprint, changed };
  };

  async function existing(id: string): Promise<StoredServer> {
    const server = await store.find(id);
    if (!server) throw refusal('not_found', 'toolServerGone');
    return server;
  }

  async function keep(server: StoredServer): Promise<ToolServer> {
    await store.write(server);
    changes.emit('tools');
    return show(server);
  }

  async function add({ name, transport }: Named): Promise<ToolServer> {
    refuseInsecure(transport);
    const id = newId();
    await keepSecrets(id, transport, []);
    const server = { id, name, transport: withoutSecrets(transport), enabled: false, tools: [] };
    return keep({ ...server, seenFingerprint: null, problem: null, createdAt: now() });
  }

  /** `named` are the names of its previous secrets. If there were and are none, no keychain is needed. */
  async function keepSecrets(id: string, transport: ToolTransportInput, named: readonly string[]): Promise<void> {
    const given = secretsIn(transport);
    if (Object.keys(given).length === 0) return forgetSecrets(id, named);
    const before = await getSecrets(id, named);
    const values = Object.entries(given).map(([name, value]) => [name, value === '' ? (before[name] ?? '') : value]);
    await secrets.set(secretName(id), new Secret(JSON.stringify(Object.fromEntries(values))));
  }

  async function forgetSecrets(id: string, named: readonly string[]): Promise<void> {
    if (named.length > 0) await secrets.remove(secretName(id));
  }

  async function getSecrets(id: string, named: readonly string[]): Promise<Record<string, string>> {
    if (named.length === 0) return {};
    const kept = await secrets.get(secretName(id));
    return kept ? (JSON.parse(kept.reveal()) as Record<string, string>) : {};
  }

  async function wayTo({ id, transport }: StoredServer): Promise<ServerWay> {
    refuseInsecure(transport);
    return { transport: inFullFolder(transport), secrets: await getSecrets(id, namedIn(transport)) };
  }

  /**
   * Asks the user for consent to exactly what would be started now, unless they already gave it. Throws
   * `not_confirmed`.
   */
  async function allow(id: string, signal: AbortSignal): Promise<void> {
    const way = await wayTo(await existing(id));
    const subject = getSubject(way);
    if (await consents.holds(id, subject)) return;
    const question = serverQuestion(way, await language());
    const round = asking.get(id) ?? { withdrawn: new AbortController(), callers: 0 };
    round.callers += 1;
    asking.set(id, round);
    changes.emit('tools');
    try {
      const { signal: withdrawn } = round.withdrawn;
      await ask(subject, question, AbortSignal.any([signal, withdrawn]));
      await consents.remember(id, subject, withdrawn);
    } finally {
      round.callers -= 1;
      if (round.callers === 0) asking.delete(id);
      changes.emit('tools');
    }
  }

  /** Stops the server, withdraws its question, and removes its consent. */
  async function disallow(id: string): Promise<void> {
    asking.get(id)?.withdrawn.abort(refusal('not_confirmed', 'changedMeanwhile'));
    consents.forget(id);
    await stop(id);
  }

  async function stop(id: string): Promise<void> {
    const connection = open.get(id);
    open.delete(id);
    await connection?.then(
      (known) => known.close(),
      () => {
        // It never opened, and the caller that tried to open it got the error.
      },
    );
  }

  /** Returns the connection, opening it if needed, and stores the tools that it lists. Throws `tool_server_failed`. */
  function reach(id: string): Promise<McpConnection> {
    if (closed) return Promise.reject(shuttingDown());
    const known = open.get(id);
    if (known !== undefined) return known;
    const opening = start(id);
    open.set(id, opening);
    opening.catch(() => open.get(id) === opening && open.delete(id));
    return opening;
  }

  async function start(id: string): Promise<McpConnection> {
    const way = await wayTo(await existing(id));
    // Exactly what was compared is started. Nothing is read again in between.
    if (!(await consents.holds(id, getSubject(way)))) throw notAllowed();
    starting.add(id);
    changes.emit('tools');
    try {
      const connection = await connect({
        ...way,
        closed: (lastOutput) =>
          void ended(id, lastOutput === null ? toProblemText('serverEnded') : { message: lastOutput }),
      });
      const server = await existing(id);
      starting.delete(id);
      await keep({ ...server, tools: connection.tools, problem: null });
      return connection;
    } catch (error) {
      starting.delete(id);
      const server = await store.find(id);
      const problem = error instanceof AppError ? getProblemText(error) : toProblemText('serverNotStarted');
      if (server) await keep({ ...server, problem });
      throw error;
    } finally {
      starting.delete(id);
    }
  }

  async function ended(id: string, problem: ProblemText): Promise<void> {
    open.delete(id);
    const server = await store.find(id);
    if (server) await keep({ ...server, problem });
  }

  return {
    list: async (): Promise<ToolServer[]> => (await store.all()).map(show),
    add,
    async change({ id, name, transport }: Named & { id: string }): Promise<ToolServer> {
      refuseInsecure(transport);
      const before = await existing(id);
      await disallow(id);
      await keepSecrets(id, transport, namedIn(before.transport));
      await permissions.forgetServer(id);
      const next = { ...before, name, transport: withoutSecrets(transport) };
      return keep({ ...next, enabled: false, tools: [], seenFingerprint: null, problem: null });
    },
    async remove({ id }: { id: string }): Promise<void> {
      const { transport } = await existing(id);
      await disallow(id);
      await forgetSecrets(id, namedIn(transport));
      await store.remove(id);
      changes.emit('tools');
    },
    /**
     * Asks the user first. Throws `not_confirmed`, `confirmation_busy`, or `invalid_input` if the question can't be
     * shown completely.
     */
    async test({ id }: { id: string }, signal: AbortSignal = new AbortController().signal): Promise<ToolServer> {
      await allow(id, signal);
      const { enabled } = await existing(id);
      await stop(id);
      await reach(id).catch((error: unknown) => {
        // The failure is the result of the test and is reported in `problem`.
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
      if (!consents.has(id)) throw notAllowed();
      const now = getFingerprint(server.transport, server.tools);
      if (fingerprint !== now) {
        throw refusal('tool_server_changed', 'toolsChanged');
      }
      return keep({ ...server, enabled, seenFingerprint: now });
    },
    async disallow({ id }: { id: string }): Promise<ToolServer> {
      const server = await existing(id);
      await disallow(id);
      return keep({ ...server, enabled: false });
    },
    /** After a restore, all consents and permissions end. */
    async restored(): Promise<void> {
      consents.forgetAll();
      await permissions.forgetAll();
      await Promise.all([...asking.keys(), ...open.keys()].map(disallow));
    },
    async import({ json }: { json: string }) {
      const { servers, leftOut } = readServers(json);
      const known = new Set((await store.all()).map(({ transport }) => JSON.stringify(transport)));
      const added: ToolServer[] = [];
      const refused: { name: string; reason: ProblemText }[] = [];
      for (const found of servers) {
        const same = JSON.stringify(withoutSecrets(found.transport));
        const reason = toRefusal(found.transport) ?? (known.has(same) ? toProblemText('serverHere') : null);
        if (reason !== null) refused.push({ name: found.name, reason });
        else added.push(await add(found));
        known.add(same);
      }
      return { added, leftOut: [...leftOut, ...refused] };
    },
    reach,
    async close(): Promise<void> {
      closed = true;
      for (const { withdrawn } of asking.values()) withdrawn.abort(shuttingDown());
      await Promise.all([...open.keys()].map(stop));
    },
  };
}

export type ToolServers = ReturnType<typeof toolServers>;

const shuttingDown = () => refusal('shutting_down', 'closing');

const notAllowed = () => refusal('not_confirmed', 'notAgreed');

/** Why a server in the file is left out. Null if it is imported. */
function toRefusal(transport: ToolTransportInput): ProblemText | null {
  try {
    refuseInsecure(transport);
    return null;
  } catch (error) {
    if (error instanceof AppError) return getProblemText(error);
    throw error;
  }
}

const secretName = (id: string) => `tool-server/${id}`;

const secretsIn = (transport: ToolTransportInput): Record<string, string> =>
  transport.type === 'stdio' ? transport.variables : transport.headers;

const namedIn = (transport: ToolTransport): readonly string[] =>
  transport.type === 'stdio' ? transport.variables : transport.headers;

function withoutSecrets(transport: ToolTransportInput): ToolTransport {
  if (transport.type === 'http') return { ...transport, headers: Object.keys(transport.headers).sort() };
  return { ...transport, variables: Object.keys(transport.variables).sort() };
}

function getState(server: StoredServer, isStarting: boolean, isOpen: boolean): ToolServer['state'] {
  if (isStarting) return 'starting';
  if (server.problem !== null) return 'failed';
  return isOpen || server.enabled ? 'ready' : 'off';
}
