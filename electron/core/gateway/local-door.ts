import type { Gateway } from '#gateway/gateway.ts';
import { AppError } from '#shared/errors.ts';
import type { SettingsStore } from '../settings/settings-store.ts';

/** A gateway's socket for other programs. */
export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}
export type Listen = (gateway: Gateway, options: { host: string; port: number }) => Promise<Listening>;

export interface LocalDoorDeps {
  readonly gateway: Gateway;
  readonly listen: Listen;
  readonly store: SettingsStore;
}

const setting = 'gateway.local';
const initial = { enabled: true, port: 8788 };

/** The embedded gateway's door on 127.0.0.1. A port that is taken is reported; it never stops the app. */
export function localDoor({ gateway, listen, store }: LocalDoorDeps) {
  let wanted = initial;
  let open: Listening | null = null;
  let problem: string | null = null;

  async function close(): Promise<void> {
    const closing = open;
    open = null;
    await closing?.close();
  }

  async function apply(): Promise<void> {
    await close();
    problem = null;
    if (!wanted.enabled) return;
    try {
      open = await listen(gateway, { host: '127.0.0.1', port: wanted.port });
    } catch (error) {
      problem = sentence(wanted.port, error);
    }
  }

  return {
    state: () => ({ ...wanted, url: open?.url ?? null, problem }),
    /** Opens as it was left. */
    async start(): Promise<void> {
      wanted = parse(await store.read(setting));
      await apply();
    },
    async set(next: { enabled: boolean; port: number }): Promise<void> {
      await store.write(setting, next);
      wanted = next;
      await apply();
    },
    close,
  };
}

export type LocalDoor = ReturnType<typeof localDoor>;

function parse(stored: unknown): typeof initial {
  if (typeof stored !== 'object' || stored === null) return initial;
  const { enabled, port } = { ...initial, ...stored };
  return typeof enabled === 'boolean' && Number.isInteger(port) ? { enabled, port } : initial;
}

function sentence(port: number, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EADDRINUSE') return `Port ${port} is used by another program. Choose another port.`;
  if (code === 'EACCES') return `Port ${port} needs more rights than Portico has. Choose one above 1023.`;
  return error instanceof AppError ? error.message : `Port ${port} cannot be opened.`;
}
