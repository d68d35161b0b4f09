import type { Host } from '../runtime/host/host.ts';
import type { Log } from '../runtime/log/log.ts';
import type { Changes } from '../runtime/streams/change-topics.ts';
import type { ThreadReaders } from '../runtime/streams/thread-readers.ts';
import type { Db } from './database/db.ts';
import type { SettingsStore } from './settings/settings-store.ts';

/** What every feature of the core may use. It's opened once; a feature adds only what it needs of other features. */
export interface CoreContext {
  readonly host: Host;
  readonly dataFolder: string;
  readonly db: Db;
  readonly settings: SettingsStore;
  readonly log: Log;
  /** Announces changed topics to the windows. */
  readonly changes: Changes;
  /** The windows that show a chat. */
  readonly readers: ThreadReaders;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  readonly newId: () => string;
  /** Aborts when the core closes. */
  readonly closing: AbortSignal;
}
