import type { Gateway } from '#gateway/gateway.ts';
import { AppError, type ProblemText } from '#shared/errors.ts';
import { toProblemText } from '#shared/language/refusals.ts';
import type { CoreContext } from '../../storage/core-context.ts';

export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}
export type Listen = (gateway: Gateway, options: { host: string; port: number }) => Promise<Listening>;

export interface LocalListenerDeps extends CoreContext {
  readonly gateway: Gateway;
  readonly listen: Listen;
}

const setting = 'gateway.local';
const initial = { enabled: true, port: 8788 };

/**
 * Serves the built-in gateway on a port of 127.0.0.1 for other programs. If the port is taken, the app reports it and
 * starts anyway.
 */
export function localListener({ gateway, listen, settings }: LocalListenerDeps) {
  let wanted = initial;
  let open: Listening | null = null;
  let problem: ProblemText | null = null;
  /** Serialises changes, because two at once could leave two ports open. */
  let changing = Promise.resolve();

  async function shut(): Promise<void> {
    const closing = open;
    open = null;
    await closing?.close();
  }

  async function reopen(): Promise<void> {
    await shut();
    problem = null;
    if (!wanted.enabled) return;
    try {
      open = await listen(gateway, { host: '127.0.0.1', port: wanted.port });
    } catch (error) {
      problem = getProblem(wanted.port, error);
    }
  }

  function change(next: () => Promise<void>): Promise<void> {
    const done = changing.then(next);
    changing = done.catch(() => {});
    return done;
  }

  return {
    state: () => ({ ...wanted, url: open?.url ?? null, problem }),
    /** Opens the port if it is enabled in the settings. */
    start: (): Promise<void> =>
      change(async () => {
        wanted = parse(await settings.read(setting));
        await reopen();
      }),
    set: (next: { enabled: boolean; port: number }): Promise<void> =>
      change(async () => {
        await settings.write(setting, next);
        wanted = next;
        await reopen();
      }),
    close: (): Promise<void> => change(shut),
  };
}

export type LocalListener = ReturnType<typeof localListener>;

function parse(stored: unknown): typeof initial {
  if (typeof stored !== 'object' || stored === null) return initial;
  const { enabled, port } = { ...initial, ...stored };
  return typeof enabled === 'boolean' && Number.isInteger(port) ? { enabled, port } : initial;
}

function getProblem(port: number, error: unknown): ProblemText {
  const cause = error instanceof AppError ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  if (code === 'EADDRINUSE') return toProblemText('portInUse', { port });
  return toProblemText(code === 'EACCES' ? 'portForbidden' : 'portClosed', { port });
}
