import { oc } from '@orpc/contract';
import { z } from 'zod';
import { id, problemText, rule, timeMs } from '../common/fields.ts';

/** A tool. Names and descriptions of a server's tools are written by that server. */
export const tool = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** JSON Schema of its arguments. */
  inputSchema: z.record(z.string(), z.unknown()),
  /** The server claims that the tool changes nothing. This is a hint and never grants a permission. */
  readOnly: z.boolean(),
});

export const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, rule('variable'));
export const headerName = z.string().regex(/^[A-Za-z0-9-]{1,128}$/, rule('header'));
const secretValue = z.string().max(8192);
const command = z.string().trim().min(1).max(1024);
const args = z.array(z.string().max(4096)).max(100);
const folder = z.string().trim().max(1024);
const url = z.url({ protocol: /^https?$/ }).max(2048);

/** How the app reaches a server. Values of variables and headers are secret and write-only. */
const transport = z.discriminatedUnion('type', [
  z.object({ type: z.literal('stdio'), command, args, folder: folder.nullable(), variables: z.array(variableName) }),
  z.object({ type: z.literal('http'), url, headers: z.array(headerName) }),
]);
const transportInput = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('stdio'),
    command,
    args: args.default([]),
    folder: folder.nullable().default(null),
    variables: z.record(variableName, secretValue).default({}),
  }),
  z.object({ type: z.literal('http'), url, headers: z.record(headerName, secretValue).default({}) }),
]);

export const toolServer = z.object({
  id,
  name: z.string(),
  transport,
  /** The server's tools are offered to models. A new or imported server is disabled and not started. */
  enabled: z.boolean(),
  /** `asking`: the user is being asked for consent outside of the page. */
  state: z.enum(['off', 'asking', 'starting', 'ready', 'failed']),
  /**
   * The user has consented, outside of the page, to exactly this program or address. Nothing starts without this
   * consent.
   */
  allowed: z.boolean(),
  /** Why the server failed, or the result of its last test. */
  problem: problemText.nullable(),
  /** The server's tools as of its last connection. */
  tools: z.array(tool),
  /** SHA-256 of the server's transport and its tools' descriptions. Permissions are bound to it. */
  fingerprint: z.string(),
  /** The server has changed since the user reviewed it, so all its permissions are suspended. */
  changed: z.boolean(),
});

export const permission = z.object({
  id,
  /** Null for a built-in tool. */
  serverId: id.nullable(),
  serverName: z.string(),
  tool: z.string(),
  /** Null if the permission holds in every chat. */
  conversationId: id.nullable(),
  grantedAt: timeMs,
});

const serverName = z.string().trim().min(1).max(80);

export const toolsContract = {
  list: oc.output(
    z.object({
      builtIn: z.array(tool.extend({ enabled: z.boolean() })),
      servers: z.array(toolServer),
      permissions: z.array(permission),
    }),
  ),
  /** Adds a server in disabled state. Starts nothing. */
  addServer: oc.input(z.object({ name: serverName, transport: transportInput })).output(toolServer),
  /**
   * Changes the transport. An empty value keeps the stored one; a missing name removes it. The server is stopped and
   * loses its permissions.
   */
  changeServer: oc.input(z.object({ id, name: serverName, transport: transportInput })).output(toolServer),
  removeServer: oc.input(z.object({ id })).output(z.void()),
  /**
   * Connects to the server briefly and lists its tools. Asks for the user's consent first, outside of the page, unless
   * it was given for exactly this program or address. `not_confirmed` means that nothing was started.
   */
  testServer: oc.input(z.object({ id })).output(toolServer),
  /** Enables or disables a server's tools. When enabling, `fingerprint` proves which version the user has reviewed. */
  enableServer: oc.input(z.object({ id, enabled: z.boolean(), fingerprint: z.string() })).output(toolServer),
  /** Revokes the consent: the server is stopped and disabled, and the next test asks again. */
  disallowServer: oc.input(z.object({ id })).output(toolServer),
  enableBuiltIn: oc.input(z.object({ name: z.string(), enabled: z.boolean() })).output(z.void()),
  /** Imports the `mcpServers` of another program's settings in disabled state. Starts nothing. */
  importServers: oc
    .input(z.object({ json: z.string().max(1_000_000) }))
    .output(
      z.object({ added: z.array(toolServer), leftOut: z.array(z.object({ name: z.string(), reason: problemText })) }),
    ),
  /** Revokes a permission. */
  forget: oc.input(z.object({ id })).output(z.void()),
};

export type Tool = z.infer<typeof tool>;
export type ToolServer = z.infer<typeof toolServer>;
export type ToolTransport = z.infer<typeof transport>;
export type ToolTransportInput = z.infer<typeof transportInput>;
export type ToolPermission = z.infer<typeof permission>;
