import { oc } from '@orpc/contract';
import { z } from 'zod';
import { id, rule, timeMs, told } from '../common/fields.ts';

/** A tool that a model may be offered. Names and descriptions of a server's tools are its own words. */
export const tool = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** JSON Schema of its arguments. */
  inputSchema: z.record(z.string(), z.unknown()),
  /** Its server says that it changes nothing. A hint, never a permission. */
  readOnly: z.boolean(),
});

export const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, rule('variable'));
export const headerName = z.string().regex(/^[A-Za-z0-9-]{1,128}$/, rule('header'));
const secretValue = z.string().max(8192);
const command = z.string().trim().min(1).max(1024);
const args = z.array(z.string().max(4096)).max(100);
const folder = z.string().trim().max(1024);
const url = z.url({ protocol: /^https?$/ }).max(2048);

/** How a server is reached. The values of variables and headers are secrets: they go in and never come out. */
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
  /** Its tools are offered to models. A new or imported server is off and not started. */
  enabled: z.boolean(),
  /** `asking`: a person is being asked, outside of every page, whether it may be started or reached. */
  state: z.enum(['off', 'asking', 'starting', 'ready', 'failed']),
  /** A person has said so outside of every page, of exactly this program or address. Without it nothing is started. */
  allowed: z.boolean(),
  /** Why it failed, or what its last test said. */
  problem: told.nullable(),
  /** What is known of its tools since it was last reached. */
  tools: z.array(tool),
  /** SHA-256 over how it is reached and what its tools say of themselves. Permissions are bound to it. */
  fingerprint: z.string(),
  /** It is not what it was when the user last looked: nothing is permitted until they do. */
  changed: z.boolean(),
});

export const permission = z.object({
  id,
  /** Null: a built-in tool. */
  serverId: id.nullable(),
  serverName: z.string(),
  tool: z.string(),
  /** Null: in every chat. */
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
  /** Keeps a server, switched off. Nothing is started or connected. */
  addServer: oc.input(z.object({ name: serverName, transport: transportInput })).output(toolServer),
  /** Changes how a server is reached. An empty value keeps the one that is there; a name left out is forgotten. It is stopped and permissions end. */
  changeServer: oc.input(z.object({ id, name: serverName, transport: transportInput })).output(toolServer),
  removeServer: oc.input(z.object({ id })).output(z.void()),
  /**
   * Starts or connects the server for a moment, and lists its tools. The person is asked first, outside of the page, unless
   * they have agreed to exactly this program or address before. `not_confirmed`: nothing was started.
   */
  testServer: oc.input(z.object({ id })).output(toolServer),
  /** Switches a server's tools on or off. On: the user has seen `fingerprint`. */
  enableServer: oc.input(z.object({ id, enabled: z.boolean(), fingerprint: z.string() })).output(toolServer),
  /** Takes back that a server may be started or reached: it is stopped and off, and the next test asks again. */
  disallowServer: oc.input(z.object({ id })).output(toolServer),
  enableBuiltIn: oc.input(z.object({ name: z.string(), enabled: z.boolean() })).output(z.void()),
  /** Reads the `mcpServers` of another program's settings. Every server comes in switched off; nothing is started. */
  importServers: oc
    .input(z.object({ json: z.string().max(1_000_000) }))
    .output(z.object({ added: z.array(toolServer), leftOut: z.array(z.object({ name: z.string(), reason: told })) })),
  /** Takes back a permission. */
  forget: oc.input(z.object({ id })).output(z.void()),
};

export type Tool = z.infer<typeof tool>;
export type ToolServer = z.infer<typeof toolServer>;
export type ToolTransport = z.infer<typeof transport>;
export type ToolTransportInput = z.infer<typeof transportInput>;
export type ToolPermission = z.infer<typeof permission>;
