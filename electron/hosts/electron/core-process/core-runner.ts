import { once } from 'node:events';
import { app, MessageChannelMain, type MessagePortMain, type UtilityProcess, utilityProcess } from 'electron';
import type { Log } from '#core/log/log.ts';
import type { Told } from '#shared/errors.ts';
import { restartLimit } from './restart-limit.ts';

/** What the main process tells the core's, each with one port: the way back here, then one for each window. */
export type ToCore =
  | { readonly kind: 'open'; readonly dataFolder: string; readonly version: string }
  | { readonly kind: 'window' }
  | { readonly kind: 'close' };

export interface CoreRunnerOptions {
  /** The program, `core-process.ts` as it was built. */
  readonly file: string;
  readonly dataFolder: string;
  /** Answers what the core asks here. */
  readonly answer: (port: MessagePortMain, opened: (failure: Told | null) => void) => void;
  /** It cannot be opened. */
  readonly failed: (failure: Told) => void;
  /** It has died again and again. */
  readonly gaveUp: () => void;
  readonly log: Log;
}

export interface CoreRunner {
  /** Resolves once a core is open, with what hands it a window's port. */
  open(): Promise<(port: MessagePortMain) => void>;
  /** Ends it in order, or after so long at once. */
  close(limitMs: number): Promise<void>;
}

type Serve = (port: MessagePortMain) => void;

/** Runs the core in a process of its own, and another one when it dies. */
export function runCore({ file, dataFolder, answer, failed, gaveUp, log }: CoreRunnerOptions): CoreRunner {
  const next = restartLimit(() => performance.now());
  let opened = Promise.withResolvers<Serve>();
  let running: UtilityProcess | null = null;
  let starting: NodeJS.Timeout | undefined;
  let ending = false;

  const tell = (message: ToCore, ports: MessagePortMain[] = []) => running?.postMessage(message, ports);

  function start(): void {
    const { port1, port2 } = new MessageChannelMain();
    const child = utilityProcess.fork(file, [], { serviceName: 'Portico core' });
    running = child;
    answer(port1, (failure) => {
      if (failure === null) return opened.resolve((port) => tell({ kind: 'window' }, [port]));
      ending = true;
      failed(failure);
    });
    tell({ kind: 'open', dataFolder, version: app.getVersion() }, [port2]);
    child.once('exit', (code) => {
      // Nothing may be posted to it from here on.
      running = null;
      port1.close();
      if (!ending) again(code);
    });
  }

  function again(code: number): void {
    log({ event: 'core-ended', code });
    const before = opened;
    opened = Promise.withResolvers();
    // Who still waits for the one that died gets the next one.
    opened.promise.then(before.resolve);
    const pauseMs = next();
    if (pauseMs === null) gaveUp();
    else starting = setTimeout(start, pauseMs);
  }

  start();
  return {
    open: () => opened.promise,
    async close(limitMs) {
      ending = true;
      clearTimeout(starting);
      const child = running;
      if (!child) return;
      const ended = once(child, 'exit');
      tell({ kind: 'close' });
      const late = setTimeout(() => child.pid && process.kill(child.pid, 'SIGKILL'), limitMs);
      await ended;
      clearTimeout(late);
    },
  };
}
