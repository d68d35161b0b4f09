import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';

/** A statement that only refuses: taken away, more is let through than before. */
export interface Guard {
  /** From the project's root. */
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
/** What refuses by its name, and is called for that alone. */
const refusing = /^(require|check|refuse|assert|forbid|ensure|verify|guard)[A-Z]/;

/**
 * Every guard of the program, found in the sources themselves: `if (…) throw …` without an `else`, and calls for their own sake
 * of functions whose name says that they refuse. Not those that pass a caught error on, and not a plain `Error`: that one says
 * what cannot happen whatever comes in, and every refusal of what came in has a type.
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
 * The same source, whose guards note when they refuse, and calls also that they were made, in the file that PORTICO_REFUSALS names: a line
 * of JSON each, once for each process and test file. It needs nothing beside it, so that whatever is built of the source notes as well, in
 * a program that a test starts, in Electron and in its page, where there are no files and nothing is noted.
 */
export function sayingWhenRefused(source: string, guards: readonly Guard[]): string {
  const noting = guards
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, guard) => {
      const told = (what: string) => `guardMet(${JSON.stringify(getName(guard))}, '${what}');`;
      return text.slice(0, guard.start) + saying(source.slice(guard.start, guard.end), told) + text.slice(guard.end);
    }, source);
  return `${noting}\n${guardMet}\n`;
}

export type Met = 'called' | 'refused';

/** What a guard notes: which one it is, and in which test file; null: in a program of which that is not known. */
export interface Noted {
  readonly guard: string;
  readonly met: Met;
  readonly test: string | null;
}

/** Says in which test file what a test starts was started; for each test file once, before it. */
export const tellingTests = "process.env.PORTICO_REFUSING = (globalThis as any).__vitest_worker__?.filepath ?? '';";

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

/** `if (…) throw …` or a call. */
function saying(guard: string, told: (what: Met) => string): string {
  const thrown = guard.search(/\bthrow\b/);
  if (!guard.startsWith('if') || thrown < 0)
    return `try { ${told('called')} ${guard} } catch (refused) { ${told('refused')} throw refused; }`;
  const [condition, rest] = [guard.slice(0, thrown).trimEnd(), guard.slice(thrown)];
  return condition.endsWith('{')
    ? `${condition} ${told('refused')} ${rest}`
    : `${condition} { ${told('refused')} ${rest} }`;
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
  return refusing.test(callee.name ?? callee.property?.name ?? '');
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
