import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Tool, ToolTransport } from '#shared/contract/app/tools.ts';
import { AppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';
import { boundMessages, maxMessageMb, maxMessageValues } from './bounded-messages.ts';

/**
 * GitHub's server lists a hundred tools with some dozens of values each. Every value is compared and sent again and
 * again.
 */
const maxValuesOfTool = 5_000;
const maxValues = 60_000;
const maxBytesOfTool = 200_000;
const maxBytes = 2_000_000;

interface Size {
  values: number;
  bytes: number;
}

/** Throws `tool_server_failed` at the first tool that exceeds a limit, and stops counting there. */
function refuseLargeTools(tools: readonly Pick<Tool, 'name' | 'inputSchema'>[]): void {
  const all: Size = { values: 0, bytes: 0 };
  for (const { name, inputSchema } of tools) {
    const size = getSize(inputSchema);
    all.values += size.values;
    all.bytes += size.bytes;
    if (size.values > maxValuesOfTool || size.bytes > maxBytesOfTool)
      throw refusal('tool_server_failed', 'toolTooLarge', {
        tool: name.slice(0, 100),
        values: maxValuesOfTool,
        kilobytes: maxBytesOfTool / 1_000,
      });
    if (all.values > maxValues || all.bytes > maxBytes)
      throw refusal('tool_server_failed', 'toolsTooLarge', {
        tool: name.slice(0, 100),
        values: maxValues,
        kilobytes: maxBytes / 1_000,
      });
  }
}

/** Stops at the limits for one tool, because a schema may be built to be walked forever. */
function getSize(schema: unknown): Size {
  const open: unknown[] = [schema];
  const size: Size = { values: 0, bytes: 0 };
  while (open.length > 0 && size.values <= maxValuesOfTool && size.bytes <= maxBytesOfTool) {
    const value = open.pop();
    size.values += 1;
    if (typeof value === 'string') size.bytes += Buffer.byteLength(value);
    if (typeof value !== 'object' || value === null) continue;
    for (const key in value) {
      if (!Array.isArray(value)) size.bytes += key.length;
      open.push((value as Record<string, unknown>)[key]);
      if (open.length > maxValuesOfTool) return { values: open.length, bytes: size.bytes };
    }
  }
  return size;
}

/** A tool's output as text for the model. */
export interface ToolOutput {
  readonly text: string;
  /** The tool reported a failure. */
  readonly isError: boolean;
}

export interface McpConnection {
  readonly tools: readonly Tool[];
  /** Throws `tool_failed` if the server does not answer, or the signal’s reason. */
  call(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutput>;
  /** Closes the connection, and ends the process if there is one. */
  close(): Promise<void>;
}

export interface McpOptions {
  readonly transport: ToolTransport;
  /** Values of the variables or headers that the transport names. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The PATH for the server's program and whatever it starts. Null uses our own. */
  readonly searchPath: string | null;
  readonly version: string;
  readonly fetch: typeof fetch;
  /** Called when the server ended on its own, with the last line of its error output. */
  readonly closed: (lastOutput: string | null) => void;
  readonly limits?: Partial<McpLimits>;
}

export interface McpLimits {
  readonly connectMs: number;
  readonly callMs: number;
  readonly outputCharacters: number;
  readonly tools: number;
}

const usualLimits: McpLimits = { connectMs: 20_000, callMs: 120_000, outputCharacters: 100_000, tools: 200 };

/**
 * A tool's output is text for a model, whatever its schema claims. Validation would run the server's schema on the
 * core's thread, where a single pattern can take years.
 */
const unchecked: NonNullable<ClientOptions['jsonSchemaValidator']> = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

/**
 * Connects to a tool server by the Model Context Protocol (2026-07-28 and earlier) and lists its tools. A process gets
 * only a few environment variables: usual ones such as PATH and HOME, and the configured ones. Throws
 * `tool_server_failed`.
 */
export async function connectMcp(options: McpOptions): Promise<McpConnection> {
  const limits = { ...usualLimits, ...options.limits };
  const errors = { text: '' };
  const transport = getTransport(options, errors);
  const large = { isSeen: false };
  boundMessages(transport, () => {
    large.isSeen = true;
  });
  const client = new Client(
    { name: 'portico', version: options.version },
    { capabilities: {}, versionNegotiation: { mode: 'auto' }, jsonSchemaValidator: unchecked },
  );
  let open = false;
  client.onclose = () => {
    if (open) options.closed(large.isSeen ? tooLarge().message : lastLine(errors.text));
    open = false;
  };
  client.onerror = (error) => {
    // Other errors reach the waiting call. A malformed line in the server's output is ignored.
    if (isTooLong(error)) large.isSeen = true;
  };
  try {
    await client.connect(transport, { timeout: limits.connectMs });
    const { tools } = await client.listTools(undefined, { timeout: limits.connectMs });
    const listed = tools.slice(0, limits.tools);
    refuseLargeTools(listed);
    open = true;
    return { tools: listed.map(getTool), call: caller(client, limits, large), close: () => closeQuietly(client) };
  } catch (error) {
    await closeQuietly(client);
    if (error instanceof AppError && error.code === 'tool_server_failed') throw error;
    if (large.isSeen || isTooLong(error)) throw tooLarge(error);
    throw refusal('tool_server_failed', 'toolServerSilent', { why: reason(error, errors.text) }, { cause: error });
  }

  async function closeQuietly(used: Client): Promise<void> {
    open = false;
    await used.close().catch(() => {
      // It is closed already.
    });
  }
}

function getTransport(
  { transport, secrets, searchPath, fetch: send }: McpOptions,
  errors: { text: string },
): Transport {
  if (transport.type === 'http') {
    const url = new URL(transport.url);
    return new StreamableHTTPClientTransport(url, { requestInit: { headers: secrets }, fetch: onlyTo(url, send) });
  }
  const { command, args, folder } = transport;
  const stdio = new StdioClientTransport({
    command,
    args,
    env: { ...getDefaultEnvironment(), ...(searchPath === null ? {} : { PATH: searchPath }), ...secrets },
    ...(folder === null ? {} : { cwd: folder }),
    stderr: 'pipe',
    maxBufferSize: maxMessageMb * 2 ** 20,
  });
  stdio.stderr?.on('data', (chunk: Buffer) => {
    errors.text = `${errors.text}${chunk.toString('utf8')}`.slice(-4_000);
  });
  return stdio;
}

/**
 * The user agreed to this address only. Redirects and other addresses that the server names are refused, because they
 * would also get its headers.
 */
export const onlyTo =
  ({ origin }: URL, send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin) throw refusal('tool_server_failed', 'toolServerLeads', { origin: url.origin });
    return send(input, { ...init, redirect: 'error' });
  };

/** For stdio the SDK reports a message that is too long; for HTTP our own `fetch` does. */
const isTooLong = (error: unknown): boolean =>
  error instanceof Error &&
  ((error instanceof AppError && error.refusal?.name === 'bodyTooLong') ||
    error.message.startsWith('ReadBuffer exceeded'));

const tooLarge = (cause?: unknown): AppError =>
  refusal('tool_server_failed', 'toolAnswerTooLarge', { megabytes: maxMessageMb, values: maxMessageValues }, { cause });

function caller(client: Client, limits: McpLimits, large: { isSeen: boolean }): McpConnection['call'] {
  return async (name, input, signal) => {
    large.isSeen = false;
    try {
      const result = await client.callTool({ name, arguments: input }, { signal, timeout: limits.callMs });
      return { text: cut(getText(result), limits.outputCharacters), isError: result.isError === true };
    } catch (error) {
      signal.throwIfAborted();
      if (large.isSeen || isTooLong(error)) throw new AppError('tool_failed', tooLarge().message, { cause: error });
      throw new AppError('tool_failed', `The tool server did not answer: ${reason(error, '')}`, { cause: error });
    }
  };
}

type McpTool = Awaited<ReturnType<Client['listTools']>>['tools'][number];

function getTool({ name, title, description, inputSchema, annotations }: McpTool): Tool {
  return {
    name,
    title: (title ?? annotations?.title ?? name).slice(0, 200),
    description: (description ?? '').slice(0, 4_000),
    inputSchema: { ...inputSchema },
    readOnly: annotations?.readOnlyHint === true,
  };
}

type McpResult = Awaited<ReturnType<Client['callTool']>>;

/** Models get text only, so other content becomes a note. */
function getText({ content, structuredContent }: McpResult): string {
  const parts = content.map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'resource' && 'text' in part.resource) return part.resource.text;
    if (part.type === 'resource_link') return `[${part.name}: ${part.uri}]`;
    return `[${part.type} left out]`;
  });
  if (parts.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return parts.join('\n\n');
}

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}\n\n[cut after ${most} of ${text.length} characters]`;

function reason(error: unknown, errors: string): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = lastLine(errors);
  return `${message.replace(/\.$/, '').slice(0, 300)}${line ? ` (it said: ${line})` : ''}.`;
}

const lastLine = (text: string): string | null => text.trim().split('\n').at(-1)?.trim().slice(0, 300) || null;
