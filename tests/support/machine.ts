import { cpus, release, totalmem, type } from 'node:os';

/** What figures were measured on, in a line. */
export function machine(): string {
  const processor = cpus()[0]?.model.trim() ?? 'unknown';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${processor}, ${memory} GB, ${type()} ${release()}, Node ${process.versions.node}`;
}
