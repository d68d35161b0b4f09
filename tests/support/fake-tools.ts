import { implement, ORPCError } from '@orpc/server';
import type {
  Tool,
  ToolPermission,
  ToolServer,
  ToolTransport,
  ToolTransportInput,
} from '#shared/contract/app/tools.ts';
import { contract } from '#shared/contract/index.ts';

export interface FakeTools {
  builtIn: (Tool & { enabled: boolean })[];
  servers: ToolServer[];
  permissions: ToolPermission[];
  /** Stands in for the person who is asked outside the page when a server is tested. It rejects if they refuse. */
  askPerson: (signal: AbortSignal | undefined) => Promise<void>;
}

export const fakeTool = (name: string, description: string): Tool => ({
  name,
  title: name,
  description,
  readOnly: true,
  inputSchema: { type: 'object', properties: {} },
});

export const fakeToolsData = (): FakeTools => ({
  builtIn: [
    { ...fakeTool('calculator', 'Works out an arithmetic expression exactly.'), title: 'Calculator', enabled: false },
    { ...fakeTool('current_time', 'The date and time now.'), title: 'Current time', enabled: false },
    { ...fakeTool('fetch_page', 'Reads a public web page.'), title: 'Fetch a page', enabled: false },
  ],
  servers: [],
  permissions: [],
  askPerson: async () => {},
});

/** The contract's tools in memory. A tested server has two tools; a server whose command is `missing` fails. */
export function fakeTools(data: FakeTools, guard: (method: string) => Promise<void>, changed: () => void) {
  const os = implement(contract).tools;
  let serial = 0;
  const find = (id: string) => {
    const server = data.servers.find((entry) => entry.id === id);
    if (!server) throw new ORPCError('not_found', { message: 'This tool server is not here any more.' });
    return server;
  };
  const put = (server: ToolServer) => {
    data.servers = [...data.servers.filter(({ id }) => id !== server.id), server];
    changed();
    return server;
  };
  const off = {
    ...({ enabled: false, allowed: false, state: 'off', problem: null } as const),
    tools: [],
    fingerprint: 'new',
    changed: false,
  };
  const add = (name: string, transport: ToolTransportInput) =>
    put({ id: `server-${++serial}`, name, transport: withoutSecrets(transport), ...off, tools: [] });
  return {
    list: os.list.handler(async () => {
      await guard('tools.list');
      const { builtIn, servers, permissions } = data;
      return { builtIn, servers, permissions };
    }),
    addServer: os.addServer.handler(async ({ input }) => {
      await guard('tools.addServer');
      return add(input.name, input.transport);
    }),
    changeServer: os.changeServer.handler(async ({ input }) => {
      await guard('tools.changeServer');
      return put({
        ...find(input.id),
        ...off,
        tools: [],
        name: input.name,
        transport: withoutSecrets(input.transport),
      });
    }),
    removeServer: os.removeServer.handler(async ({ input }) => {
      await guard('tools.removeServer');
      data.servers = data.servers.filter(({ id }) => id !== input.id);
      changed();
    }),
    testServer: os.testServer.handler(async ({ input, signal }) => {
      await guard('tools.testServer');
      await data.askPerson(signal);
      const server = { ...find(input.id), allowed: true };
      const fails = server.transport.type === 'stdio' && server.transport.command === 'missing';
      if (fails)
        return put({
          ...server,
          state: 'failed',
          problem: { message: 'The server did not answer: spawn missing ENOENT.' },
        });
      const tools = [
        fakeTool('read_file', 'Reads a file.'),
        { ...fakeTool('write_file', 'Writes a file.'), readOnly: false },
      ];
      return put({ ...server, tools, problem: null, fingerprint: 'tested' });
    }),
    enableServer: os.enableServer.handler(async ({ input }) => {
      await guard('tools.enableServer');
      const state = input.enabled ? 'ready' : 'off';
      return put({ ...find(input.id), enabled: input.enabled, state, changed: false });
    }),
    disallowServer: os.disallowServer.handler(async ({ input }) => {
      await guard('tools.disallowServer');
      return put({ ...find(input.id), enabled: false, allowed: false, state: 'off' });
    }),
    enableBuiltIn: os.enableBuiltIn.handler(async ({ input }) => {
      await guard('tools.enableBuiltIn');
      data.builtIn = data.builtIn.map((tool) =>
        tool.name === input.name ? { ...tool, enabled: input.enabled } : tool,
      );
      changed();
    }),
    importServers: os.importServers.handler(async ({ input }) => {
      await guard('tools.importServers');
      const { mcpServers } = JSON.parse(input.json) as { mcpServers: Record<string, { command: string }> };
      const added = Object.entries(mcpServers).map(([name, { command }]) =>
        add(name, { type: 'stdio', command, args: [], folder: null, variables: {} }),
      );
      return { added, leftOut: [{ name: 'broken', reason: { message: 'It has neither a command nor an address.' } }] };
    }),
    forget: os.forget.handler(async ({ input }) => {
      await guard('tools.forget');
      data.permissions = data.permissions.filter(({ id }) => id !== input.id);
      changed();
    }),
  };
}

function withoutSecrets(transport: ToolTransportInput): ToolTransport {
  if (transport.type === 'http') return { ...transport, headers: Object.keys(transport.headers) };
  return { ...transport, variables: Object.keys(transport.variables) };
}
