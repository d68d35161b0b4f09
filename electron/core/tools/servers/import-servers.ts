import { z } from 'zod';
import type { ToolTransportInput } from '#shared/contract/app/tools.ts';
import type { ProblemText } from '#shared/errors.ts';
import { refusal, tell } from '#shared/language/refusals.ts';

/** Servers in another program’s settings, and why some were left out. */
export interface FoundServers {
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
 * nothing. Throws `invalid_input` if it is no such file.
 */
export function readServers(json: string): FoundServers {
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
  return tell(isObject && ('command' in entry || 'url' in entry) ? 'serverUnreadable' : 'serverNowhere');
}
