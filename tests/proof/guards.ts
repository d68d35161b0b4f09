import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';

/** A statement that only refuses something. Without it, the program would accept more than before. */
export interface Guard {
  /** The path from the project's root. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const sources = ['gateway/**/*.ts', 'electron/core/**/*.ts', 'electron/hosts/**/*.ts', 'shared/**/*.ts'];
const notShipped = /\.test\.ts$|\/testing\//;
/** Names of functions that are called only because they refuse. */
const refusingName = /^(require|check|refuse|assert|forbid|ensure|verify|guard)[A-Z]/;

/**
 * Finds every guard of the program in the sources: `if (…) throw …` without an `else`, and statements that only call a
 * function whose name shows that it refuses. It leaves out those that rethrow a caught error, and those that throw a
 * plain `Error`: that's for states that no input can cause, while every refusal of input has a type.
 */
export function findGuards(root: string): Guard[] {
  return globSync(sources, { cwd: root })
    .filter((file) => !notShipped.test(file))
    .toSorted()
    .flatMap((file) => guardsIn(file, readFileSync(join(root, file), 'utf8')));
}

export function guardsIn(file: string, source: string): Guard[] {
  const found: Guard[] = [];
  walk(parseAst(source, { lang: 'ts' }) as unknown as Node, (node) => {
    if (!isGuard(node)) return;
    const { start, end } = node;
    const text = source.slice(start, end).replaceAll(/\s+/g, ' ').slice(0, 100);
    found.push({ file, line: source.slice(0, start).split('\n').length, text, start, end });
  });
  return found;
}

export const getName = ({ file, line }: Pick<Guard, 'file' | 'line'>) => `${file}:${line}`;

/**
 * Returns the source with guards that record when they refuse, and for calls also that they were made, in the file
 * named by PORTICO_REFUSALS: one line of JSON for each guard, process and test file. It imports nothing, so a build
 * of this source records as well, in any program that a test starts and in Electron. In its page there are no
 * files, so nothing is recorded.
 */
export function notingRefusals(source: string, guards: readonly Guard[]): string {
  const noting = guards
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, guard) => {
      const note = (met: string) => `guardMet(${JSON.stringify(getName(guard))}, '${met}');`;
      return text.slice(0, guard.start) + withNote(source.slice(guard.start, guard.end), note) + text.slice(guard.end);
    }, source);
  return `${noting}\n${guardMet}\n`;
}

export type Met = 'called' | 'refused';

/**
 * A record of a guard: which one it is, and in which test file it was met; null in a program of which that isn't known.
 */
export interface Noted {
  readonly guard: string;
  readonly met: Met;
  readonly test: string | null;
}

/** Passes the name of the test file on to the programs that its tests start. Runs once before each test file. */
export const namingTestFile = "process.env.PORTICO_REFUSING = (globalThis as any).__vitest_worker__?.filepath ?? '';";

const guardMet = `function guardMet(guard: string, met: string): void {
  const { process, __vitest_worker__: worker } = globalThis as any;
  const path = process?.env?.PORTICO_REFUSALS;
  if (!path) return;
  const line = JSON.stringify({ guard, met, test: worker?.filepath ?? (process.env.PORTICO_REFUSING || null) });
  const noted = ((globalThis as any).guardsMet ??= new Set());
  if (noted.has(line)) return;
  noted.add(line);
  process.getBuiltinModule('node:fs').appendFileSync(path, line + '\\n');
}`;

/** Adds the record to `if (…) throw …` or to a call. */
function withNote(guard: string, note: (met: Met) => string): string {
  const thrown = guard.search(/\bthrow\b/);
  if (!guard.startsWith('if') || thrown < 0)
    return `try { ${note('called')} ${guard} } catch (refused) { ${note('refused')} throw refused; }`;
  const [condition, rest] = [guard.slice(0, thrown).trimEnd(), guard.slice(thrown)];
  return condition.endsWith('{')
    ? `${condition} ${note('refused')} ${rest}`
    : `${condition} { ${note('refused')} ${rest} }`;
}

function isGuard(node: Node): boolean {
  if (node.type === 'IfStatement') {
    const then = node.consequent as Node;
    const [only, ...rest] = then.type === 'BlockStatement' ? (then.body as Node[]) : [then];
    return !node.alternate && rest.length === 0 && only?.type === 'ThrowStatement' && refuses(only.argument as Node);
  }
  if (node.type !== 'ExpressionStatement') return false;
  const asked = node.expression as Node;
  const call = asked.type === 'AwaitExpression' ? (asked.argument as Node) : asked;
  if (call.type !== 'CallExpression') return false;
  const callee = call.callee as Node & { readonly name?: string; readonly property?: { readonly name?: string } };
  return refusingName.test(callee.name ?? callee.property?.name ?? '');
}

function refuses(thrown: Node): boolean {
  const made = thrown.type === 'NewExpression' ? (thrown.callee as Node & { readonly name?: string }).name : undefined;
  return thrown.type !== 'Identifier' && made !== 'Error';
}

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node);
  for (const field of Object.values(node)) {
    for (const child of Array.isArray(field) ? field : [field]) {
      if (child !== null && typeof child === 'object' && 'type' in child) walk(child as Node, visit);
    }
  }
}
