import { createHash } from 'node:crypto';
import type { Tool, ToolTransport } from '#shared/contract/app/tools.ts';

/**
 * Computes the fingerprint of a server's transport and its tools' descriptions, to which permissions are bound. A
 * server that changes its command, address, a description or a schema must be reviewed again.
 */
export function getFingerprint(transport: ToolTransport, tools: readonly Tool[]): string {
  const sorted = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));
  return createHash('sha256')
    .update(canonical({ transport, tools: sorted }))
    .digest('hex');
}

/** Formats JSON with sorted keys. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
