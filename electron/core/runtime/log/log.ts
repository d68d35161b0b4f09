import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#shared/errors.ts';
import { isUnusable } from './is-unusable.ts';

/** One line of the log. Never contains a prompt, an answer, a key or a user’s path. */
export type LogEntry = Readonly<Record<string, string | number | boolean | null | undefined>>;
export type Log = (entry: LogEntry) => void;

const maxBytes = 5_000_000;

/** The folder of the log and its file. */
export function logPaths(dataFolder: string): readonly [folder: string, file: string] {
  const folder = join(dataFolder, 'logs');
  return [folder, join(folder, 'portico.log')];
}

/** Writes JSON lines to `logs/portico.log`, with one older file. Where nothing can be written the app goes on without a log. */
export function openLog(dataFolder: string, now: () => number): Log {
  const [folder, file] = logPaths(dataFolder);
  if (isUnusable(folder, 'folder') || isUnusable(file, 'file')) return () => {};
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // Each line then fails, as below.
  }
  let bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return (entry) => {
    const line = `${JSON.stringify({ time: new Date(now()).toISOString(), ...entry })}\n`;
    try {
      if (bytes + line.length > maxBytes && rotated(file)) bytes = 0;
      appendFileSync(file, line, { mode: 0o600 });
      bytes += Buffer.byteLength(line);
    } catch {
      // A full disk must not end the answer too, and there is nowhere to report it.
    }
  };
}

/** Windows refuses while another program reads the older file: then this one grows on, and the next line tries again. */
function rotated(file: string): boolean {
  try {
    renameSync(file, `${file}.1`);
    return true;
  } catch {
    return false;
  }
}

/** Loggable facts of a failure: kind, code and stack, never a foreign message (it may quote a prompt). */
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

/** Logs what ends the process. Nobody may have opened the log yet, and opening it may be what fails. */
export function logFatal(dataFolder: string, event: string, error: unknown): void {
  try {
    openLog(dataFolder, Date.now)({ event, ...failureEntry(error) });
  } catch {
    // The process ends all the same, and its host shows why.
  }
}

const plain = new Set(['string', 'number', 'boolean']);

/** The gateway’s entries go to the same file, primitive values only. */
export function gatewayLog(log: Log): (entry: Readonly<Record<string, unknown>>) => void {
  return (entry) => {
    const fields = Object.entries(entry).filter((field): field is [string, string | number | boolean] =>
      plain.has(typeof field[1]),
    );
    log({ area: 'gateway', ...Object.fromEntries(fields) });
  };
}
