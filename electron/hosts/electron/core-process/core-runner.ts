import { once } from 'node:events';
import { app, MessageChannelMain, type MessagePortMain, type UtilityProcess, utilityProcess } from 'electron';
import type { Log } from '#core/runtime/log/log.ts';
import type { Recovery, RecoveryOffer } from '#core/storage/database/recovery.ts';
import type { ProblemText } from '#shared/errors.ts';
import { restartLimit } from './restart-limit.ts';

/**
 * Messages to the core's process. Each carries one port: the first is for calls back to the main process, and each
 * further one is for a window.
 */
export type ToCore =
  | {
      readonly kind: 'open';
      readonly dataFolder: string;
      readonly version: string;
      readonly ownTitleBar: boolean;
      readonly recovery: Recovery | null;
    }
  | { readonly kind: 'window' }
  | { readonly kind: 'close' };

export interface CoreRunnerOptions {
  /** The built `core-process.ts`. */
  readonly file: string;
  readonly dataFolder: string;
  readonly ownTitleBar: boolean;
  /** Serves the core's calls. */
  readonly answer: (
    port: MessagePortMain,
    opened: (failure: ProblemText | null, offer: RecoveryOffer | null) => void,
  ) => void;
  /**
   * Called if the core can't be opened. `again` opens another one, which begins with the recovery that the user chose.
   */
  readonly failed: (failure: ProblemText, offer: RecoveryOffer | null, again: (recovery: Recovery) => void) => void;
  /** Called when the core has crashed too often. */
  readonly gaveUp: () => void;
  readonly log: Log;
}

export interface CoreRunner {
  /** Resolves when a core is open, with a function that passes it a window's port. */
  open(): Promise<(port: MessagePortMain) => void>;
  /** Ends the core gracefully, and kills it after this time. */
  close(limitMs: number): Promise<void>;
}

type Serve = (port: MessagePortMain) => void;

/** Runs the core in its own process, and restarts it when it crashes. */
export function runCore({ file, dataFolder, ownTitleBar, answer, failed, gaveUp, log }: CoreRunnerOptions): CoreRunner {
  const next = restartLimit(() => performance.now());
  let opened = Promise.withResolvers<Serve>();
  let running: UtilityProcess | null = null;
  let starting: NodeJS.Timeout | undefined;
  let ending = false;

  const postToCore = (message: ToCore, ports: MessagePortMain[] = []) => running?.postMessage(message, ports);

  function start(recovery: Recovery | null = null): void {
    const { port1, port2 } = new MessageChannelMain();
    const child = utilityProcess.fork(file, [], { serviceName: 'Portico core' });
    running = child;
    answer(port1, (failure, offer) => {
      if (failure === null) return opened.resolve((port) => postToCore({ kind: 'window' }, [port]));
      ending = true;
      failed(failure, offer, (chosen) => {
        // The data folder stays locked until the process has ended.
        child.once('exit', () => {
          ending = false;
          start(chosen);
        });
        child.kill();
      });
    });
    postToCore({ kind: 'open', dataFolder, version: app.getVersion(), ownTitleBar, recovery }, [port2]);
    child.once('exit', (code) => {
      // From now on no message may be posted to this process.
      running = null;
      port1.close();
      if (!ending) again(code);
    });
  }

  function again(code: number): void {
    log({ event: 'core_ended', code });
    const before = opened;
    opened = Promise.withResolvers();
    // Callers that were waiting for the crashed core get the next one.
    opened.promise.then(before.resolve);
    const pauseMs = next();
    if (pauseMs === null) gaveUp();
    else starting = setTimeout(() => start(), pauseMs);
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
      postToCore({ kind: 'close' });
      const late = setTimeout(() => child.pid && process.kill(child.pid, 'SIGKILL'), limitMs);
      await ended;
      clearTimeout(late);
    },
  };
}
