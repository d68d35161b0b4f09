import { createHash } from 'node:crypto';
import type { Tool, ToolTransport } from '#shared/contract/app/tools.ts';

/**
 * What a permission is bound to: how the server is reached and what each tool says of itself. A server that changes
 * its command, its address, a description or a schema after it was trusted has to be looked at again.
 */
export function fingerprintOf(transport: ToolTransport, tools: readonly Tool[]): string {
  const told = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));
  return createHash('sha256')
    .update(canonical({ transport, tools: told }))
    .digest('hex');
}

/** JSON in which the order of keys does not matter. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}
