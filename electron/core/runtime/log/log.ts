import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#shared/errors.ts';
import { isUnusable } from './is-unusable.ts';

/** One line of the log. It never contains a prompt, an answer, a key or a path of the user. */
export type LogEntry = Readonly<Record<string, string | number | boolean | null | undefined>>;
export type Log = (entry: LogEntry) => void;

const maxBytes = 5_000_000;

/** Returns the folder of the log and its file. */
export function logPaths(dataFolder: string): readonly [folder: string, file: string] {
  const folder = join(dataFolder, 'logs');
  return [folder, join(folder, 'portico.log')];
}

/**
 * Writes JSON lines to `logs/portico.log`, and keeps one older file. If nothing can be written, the app works without a
 * log.
 */
export function openLog(dataFolder: string, now: () => number): Log {
  const [folder, file] = logPaths(dataFolder);
  if (isUnusable(folder, 'folder') || isUnusable(file, 'file')) return () => {};
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // Every line then fails too, and the failure is handled below.
  }
  let bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return (entry) => {
    const line = `${JSON.stringify({ time: new Date(now()).toISOString(), ...entry })}\n`;
    try {
      if (bytes + line.length > maxBytes && rotated(file)) bytes = 0;
      appendFileSync(file, line, { mode: 0o600 });
      bytes += Buffer.byteLength(line);
    } catch {
      // A full disk must not end the answer too, and there is no place to report it.
    }
  };
}

/**
 * Windows refuses while another program reads the older file. The current file then grows on, and the next line tries
 * again.
 */
function rotated(file: string): boolean {
  try {
    renameSync(file, `${file}.1`);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns what may be logged about a failure: type, code and stack, but never a foreign message, because it may quote a
 * prompt.
 */
export function failureEntry(error: unknown): LogEntry {
  const cause = error instanceof AppError && error.cause !== undefined ? error.cause : error;
  if (!(cause instanceof Error)) return { error: typeof cause };
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : null;
  return { error: cause.name, code, at: getLocation(cause) };
}

function getLocation(error: Error): string | null {
  const frame = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '));
  return frame?.trim().replace(/\(?(?:file:\/\/)?[^\s()]*[\\/]([^\\/\s()]+)\)?$/, '$1') ?? null;
}

/** Logs an error that ends the process. No log may be open yet, and opening it may be what fails. */
export function logFatal(dataFolder: string, event: string, error: unknown): void {
  try {
    openLog(dataFolder, Date.now)({ event, ...failureEntry(error) });
  } catch {
    // The process ends anyway, and its host shows the reason.
  }
}

const plain = new Set(['string', 'number', 'boolean']);

/** Writes the gateway's entries to the same file, limited to primitive values. */
export function gatewayLog(log: Log): (entry: Readonly<Record<string, unknown>>) => void {
  return (entry) => {
    const fields = Object.entries(entry).filter((field): field is [string, string | number | boolean] =>
      plain.has(typeof field[1]),
    );
    log({ area: 'gateway', ...Object.fromEntries(fields) });
  };
}
