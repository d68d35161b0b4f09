import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** The fields of a service that our file uses. The schema has checked their types. */
export interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly stop_grace_period?: string;
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
}

export interface Composition {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { readonly ipam: { readonly config: readonly { subnet: string }[] } }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

type Env = Readonly<Record<string, string | undefined>>;

const file = fileURLToPath(new URL('../../compose.yaml', import.meta.url));

/**
 * Reads `compose.yaml` as an engine does: merged, and with these variables inserted. Throws if
 * a required one is missing.
 */
export function readComposition(env: Env): Composition {
  return interpolated(parse(readFileSync(file, 'utf8'), { merge: true }), env) as Composition;
}

/** Returns the names of the gateway's instances, under which the other services reach them. */
export const getGateways = ({ services }: Composition): string[] =>
  Object.keys(services).filter((name) => name.startsWith('gateway-'));

function interpolated(value: unknown, env: Env): unknown {
  if (typeof value === 'string')
    return value.replaceAll(/\$(?:\{([^{}]*)\}|.?)/g, (all, inner) => substitute(all, inner, env));
  if (Array.isArray(value)) return value.map((item) => interpolated(item, env));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, interpolated(item, env)]));
}

/**
 * Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?why}` as the Compose specification describes. A
 * literal dollar sign is `$$`.
 */
function substitute(all: string, inner: string | undefined, env: Env): string {
  if (all === '$$') return '$';
  const [, name, operator, word] = /^([A-Z_]+)(?:(:[-?])(.*))?$/s.exec(inner ?? '') ?? [];
  if (name === undefined) throw new Error(`"${all}" is no variable`);
  const value = env[name] ?? '';
  if (value === '' && operator === ':?') throw new Error(`${name} is missing: ${word}`);
  return value === '' && operator === ':-' ? (word ?? '') : value;
}
