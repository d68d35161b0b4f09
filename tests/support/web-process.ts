import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/websocket';
import type { ContractRouterClient } from '@orpc/contract';
import type { Contract } from '#shared/contract/index.ts';
import { openSocket, tradeLink } from './web-page.ts';

export interface WebProcess {
  readonly child: ChildProcess;
  /** Returns all lines that were printed. */
  output(): string;
  /** Returns the newest one-time link that was printed. It may be used or expired. */
  link(): string;
  /** Returns a one-time link that no other caller got, with at least half of its minute left. */
  freshLink(): Promise<string>;
  /** Returns a new session's client, as a browser tab has it. */
  connect(): Promise<ContractRouterClient<Contract>>;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

const freshForMs = 30_000;
/** The host prints a new link at most this often. */
const askAgainMs = 1_000;

/**
 * Starts the web host as users do: a process of its own, on its own folder, without the keychain and other programs'
 * keys. `opener` is the folder of the program that it opens browsers with; without one it opens none. `within` is the
 * command that starts it.
 */
export async function startWebProcess(
  main: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
  { opener, within }: { readonly opener?: string; readonly within?: readonly string[] } = {},
): Promise<WebProcess> {
  const child = run(main, opener ? args : ['--no-open', ...args], opener ? { ...more, PATH: opener } : more, within);
  const printed: string[] = [];
  const links: string[] = [];
  let printedAt = 0;
  let given = '';
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const first = new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      printed.push(line);
      const link = /^Portico on (http:\/\/127\.0\.0\.1:\d+\/#b=[\w-]{43})$/.exec(line)?.[1];
      if (!link) return;
      links.push(link);
      printedAt = performance.now();
      resolve();
    });
    child.once('exit', (code) => reject(new Error(`the web host ended with ${code} before it was ready`)));
  });
  await first;
  const link = () => links.at(-1) ?? '';

  async function freshLink(): Promise<string> {
    while (link() === given || performance.now() - printedAt > freshForMs) {
      const answered = once(lines, 'line', { signal: AbortSignal.timeout(askAgainMs) }).catch(() => {});
      await fetch(new URL('/connect', link()));
      await answered;
    }
    given = link();
    return given;
  }

  return {
    child,
    output: () => printed.join('\n'),
    link,
    freshLink,
    async connect() {
      const { token } = await tradeLink(await freshLink());
      const socket = await openSocket(new URL(link()).origin, { token });
      // The package's socket has all browser methods that the client uses.
      return createORPCClient(new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }));
    },
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'exit');
      child.kill(signal);
      const [code] = await ended;
      return code;
    },
  };
}

/** Runs the web host until it ends, for command lines that it refuses. */
export async function runToEnd(
  main: string,
  args: readonly string[],
  within: readonly string[] = [],
): Promise<{ code: number | null; stderr: string }> {
  const child = run(main, ['--no-open', ...args], {}, within);
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}

function run(
  main: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
  within: readonly string[] = [],
): ChildProcess {
  const env = { ...process.env, ...more, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
  for (const name of ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_API_KEY', 'NODE_OPTIONS'])
    delete env[name as never];
  const [program = '', ...rest] = [...within, process.execPath, main, ...args];
  return spawn(program, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}
