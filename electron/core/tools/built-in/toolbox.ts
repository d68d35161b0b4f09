import type { ToolServer } from '#shared/contract/app/tools.ts';
import { AppError } from '#shared/errors.ts';
import type { ToolOutput } from '../servers/mcp-connection.ts';
import type { PermissionFor, PermissionStore } from '../servers/permission-store.ts';
import type { ToolServers } from '../servers/tool-servers.ts';
import type { BuiltInTool } from './built-in-tools.ts';

/** An available tool, with a name that every provider accepts (wire contract §1.1). */
export interface OfferedTool extends PermissionFor {
  readonly wireName: string;
  readonly title: string;
  readonly serverName: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
  /** The user is asked before the tool runs. */
  readonly asks: boolean;
}

export interface ToolboxDeps {
  readonly builtIn: readonly BuiltInTool[];
  readonly isOn: (builtInName: string) => Promise<boolean>;
  readonly servers: Pick<ToolServers, 'list' | 'reach'>;
  readonly permissions: PermissionStore;
  readonly now: () => number;
  readonly newId: () => string;
}

const maxOffered = 128;
const builtInServer = 'Portico';

/** The tools of a chat: lists them, checks permissions and runs them. */
export function openToolbox({ builtIn, isOn, servers, permissions, now, newId }: ToolboxDeps) {
  async function offered(): Promise<OfferedTool[]> {
    const own: OfferedTool[] = [];
    for (const tool of builtIn) if (await isOn(tool.name)) own.push(ownTool(tool));
    const trusted = (await servers.list()).filter(mayBeUsed);
    return uniquelyNamed([...own, ...trusted.flatMap(getTools)]).slice(0, maxOffered);
  }

  /** Connecting may have revealed a change of the server. A permission covers only the server as it was. */
  async function mustBeSame({ serverId, fingerprint }: OfferedTool): Promise<void> {
    const server = (await servers.list()).find(({ id }) => id === serverId);
    if (server && mayBeUsed(server) && server.fingerprint === fingerprint) return;
    throw new AppError('tool_server_changed', 'Not run: the tool server is not what it was when it was permitted.');
  }

  return {
    offered,

    isPermitted: async (tool: OfferedTool, conversationId: string): Promise<boolean> =>
      !tool.asks || permissions.has(tool, conversationId),

    /** `chat` permits the tool in this conversation, `always` in every one. Both end when the server changes. */
    permit: (tool: OfferedTool, scope: 'chat' | 'always', conversationId: string): Promise<void> =>
      permissions.grant(newId(), tool, scope === 'chat' ? conversationId : null, now()),

    /** Runs the tool. A failure becomes its output for the model; it throws only if aborted. */
    async run(tool: OfferedTool, input: string, signal: AbortSignal): Promise<ToolOutput> {
      try {
        const given = argumentsIn(input);
        if (tool.serverId !== null) {
          const connection = await servers.reach(tool.serverId);
          await mustBeSame(tool);
          return await connection.call(tool.tool, given, signal);
        }
        const own = builtIn.find(({ name }) => name === tool.tool);
        if (!own) throw new AppError('tool_failed', 'There is no such tool.');
        return await own.run(given, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AppError) return { text: error.message, isError: true };
        throw error;
      }
    },
  };
}

const mayBeUsed = ({ enabled, allowed, changed }: ToolServer): boolean => enabled && allowed && !changed;

function ownTool({ name, title, description, inputSchema, readOnly, asks }: BuiltInTool): OfferedTool {
  return {
    wireName: name,
    serverId: null,
    serverName: builtInServer,
    tool: name,
    fingerprint: name,
    title,
    description,
    inputSchema,
    readOnly,
    asks,
  };
}

function getTools({ id, name: serverName, fingerprint, tools }: ToolServer): OfferedTool[] {
  return tools.map(({ name, title, description, inputSchema, readOnly }) => ({
    wireName: `${plain(serverName, 20)}__${plain(name, 40)}`,
    serverId: id,
    serverName,
    tool: name,
    fingerprint,
    title,
    description,
    inputSchema,
    readOnly,
    asks: true,
  }));
}

const plain = (name: string, most: number): string => name.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, most) || 'tool';

/** Appends numbers to duplicate names, in order. */
function uniquelyNamed(tools: readonly OfferedTool[]): OfferedTool[] {
  const taken = new Set<string>();
  return tools.map((tool) => {
    let { wireName } = tool;
    for (let number = 2; taken.has(wireName); number++) wireName = `${tool.wireName.slice(0, 60)}_${number}`;
    taken.add(wireName);
    return { ...tool, wireName };
  });
}

function argumentsIn(input: string): Record<string, unknown> {
  const trimmed = input.trim();
  if (trimmed === '') return {};
  try {
    const value: unknown = JSON.parse(trimmed);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The error thrown below reports it to the model that wrote the arguments.
  }
  throw new AppError('invalid_input', 'The arguments are not a JSON object.');
}
