import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A model of power loss. A program runs with `power-loss.c` preloaded, which records in one sequence what the
 * program does to the files of one folder and what it sends to the outside. `createDisk` replays that record up
 * to any moment and writes the folder as a power cut would leave it: data that was not synced is lost, or torn
 * where a random seed decides so.
 */

const source = fileURLToPath(new URL('power-loss.c', import.meta.url));

/** Returns why power loss can't be modelled on this machine, or null if it can. */
export function powerLossMissing(): string | null {
  if (process.platform !== 'linux') return 'it needs Linux';
  return spawnSync('cc', ['--version']).status === 0 ? null : 'there is no C compiler';
}

/** Compiles the recorder. Returns the environment that makes a program record what it does to `folder`. */
export function recorderFor(folder: string, workplace: string) {
  const library = join(workplace, 'power-loss.so');
  const trace = join(workplace, 'trace');
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl', '-lpthread']);
  return {
    trace,
    env: { LD_PRELOAD: library, POWER_LOSS_FOLDER: folder, POWER_LOSS_TRACE: trace, UV_USE_IO_URING: '0' },
  };
}

type Kind = 'write' | 'truncate' | 'create' | 'unlink' | 'sync-begins' | 'synced' | 'sent';

export interface TraceEvent {
  readonly kind: Kind;
  /** SQLite itself did this, not the program around it. */
  readonly bySqlite: boolean;
  /** The file's name; `.` is the folder. */
  readonly file: string;
  /** The offset of a write, the size of a truncation, or the number of a sync. */
  readonly position: number;
  readonly data: Buffer;
}

const kinds: Readonly<Record<string, Kind>> = {
  W: 'write',
  T: 'truncate',
  C: 'create',
  U: 'unlink',
  B: 'sync-begins',
  S: 'synced',
  N: 'sent',
};

export function readTrace(path: string): TraceEvent[] {
  const bytes = readFileSync(path);
  const events: TraceEvent[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const nameLength = bytes.readUInt16LE(offset + 2);
    const dataLength = bytes.readUInt32LE(offset + 4);
    const kind = kinds[String.fromCharCode(bytes[offset] ?? 0)];
    if (!kind) throw new Error(`the trace is broken at ${offset}`);
    const name = offset + 16;
    const data = name + nameLength;
    events.push({
      kind,
      bySqlite: bytes[offset + 1] === 's'.charCodeAt(0),
      file: bytes.toString('utf8', name, data),
      position: Number(bytes.readBigUInt64LE(offset + 8)),
      data: bytes.subarray(data, data + dataLength),
    });
    offset = data + dataLength;
  }
  return events;
}

interface ModelFile {
  readonly durable: Image;
  /** Writes that are not synced yet, in order. */
  pending: TraceEvent[];
  /** The number of writes that were synced before the pending ones. */
  flushed: number;
  /** Whether the folder was synced after the file was created. Without that the file's name is lost. */
  named: boolean;
}

/** Decides what happens to each write that was not synced: it is kept completely, half or not at all. */
export type Fate = () => 'lost' | 'kept' | 'torn';

export interface Disk {
  apply(event: TraceEvent): void;
  /** Writes the files into a new folder as the power cut would leave them. */
  cut(folder: string, fate: Fate): void;
}

/** `counts` decides which syncs take effect. A control run ignores some of them and has to lose data. */
export function createDisk(counts: (sync: TraceEvent) => boolean = () => true): Disk {
  const files = new Map<string, ModelFile>();
  const begun = new Map<number, { readonly file: ModelFile | null; readonly covers: number }>();

  function getFile(name: string): ModelFile {
    const known = files.get(name);
    if (known) return known;
    const fresh = { durable: createImage(), pending: [], flushed: 0, named: false };
    files.set(name, fresh);
    return fresh;
  }

  function synced(event: TraceEvent) {
    if (event.file === '.') {
      for (const file of files.values()) file.named = true;
      return;
    }
    const begin = begun.get(event.position);
    if (!begin?.file) return;
    const { file, covers } = begin;
    // A sync that started later may have ended earlier and already covered these writes.
    const remaining = Math.max(0, covers - file.flushed);
    for (const write of file.pending.splice(0, remaining)) file.durable.apply(write, write.data.length);
    file.flushed += remaining;
  }

  return {
    apply(event) {
      if (event.kind === 'sent' || /-shm$|\.lock/.test(event.file)) return;
      if (event.kind === 'create')
        files.set(event.file, { durable: createImage(), pending: [], flushed: 0, named: false });
      else if (event.kind === 'unlink') files.delete(event.file);
      else if (event.kind === 'sync-begins') {
        const file = event.file === '.' ? null : getFile(event.file);
        begun.set(event.position, { file, covers: file ? file.flushed + file.pending.length : 0 });
      } else if (event.kind === 'synced') {
        if (counts(event)) synced(event);
      } else getFile(event.file).pending.push(event);
    },
    cut(folder, fate) {
      mkdirSync(folder, { recursive: true });
      for (const [name, file] of files) {
        if (!file.named) continue;
        const content = createImage(file.durable.bytes());
        for (const write of file.pending) {
          const end = fate();
          if (end !== 'lost') content.apply(write, end === 'torn' ? write.data.length >> 1 : write.data.length);
        }
        writeFileSync(join(folder, name), content.bytes());
      }
    },
  };
}

interface Image {
  bytes(): Buffer;
  /** Applies the first `length` bytes of a write, or a truncation. */
  apply(event: TraceEvent, length: number): void;
}

/** A file's content. Its buffer doubles as it grows, so that the time stays proportional to the bytes written. */
function createImage(from: Buffer = Buffer.alloc(0)): Image {
  let capacity = Buffer.from(from);
  let size = from.length;
  return {
    bytes: () => capacity.subarray(0, size),
    apply({ kind, position, data }, length) {
      const end = kind === 'truncate' ? position : Math.max(size, position + length);
      if (end > capacity.length) capacity = Buffer.concat([capacity.subarray(0, size)], end * 2);
      if (end < size) capacity.fill(0, end, size);
      size = end;
      if (kind === 'write') data.copy(capacity, position, 0, length);
    },
  };
}
