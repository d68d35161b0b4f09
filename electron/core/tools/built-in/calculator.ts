import Decimal from 'decimal.js';
import { AppError } from '#shared/errors.ts';

/** 34 digits, as in IEEE 754 decimal128. That is exact for money and most of science. */
const Number34 = Decimal.clone({ precision: 34, maxE: 9_999, minE: -9_999 });
type Value = Decimal;

const longest = 1_000;
const deepest = 60;
const maxPower = 10_000;
/** The limit of slow operations. A power or a function takes up to two milliseconds, and the core waits for it. */
const maxSteps = 30;
const quick = new Set(['abs', 'ceil', 'floor', 'max', 'min', 'round', 'sqrt']);

const constants: Readonly<Record<string, Value>> = {
  pi: new Number34('3.141592653589793238462643383279503'),
  e: new Number34('2.718281828459045235360287471352662'),
};
type Run = (...values: Value[]) => Value;
const functions: Readonly<Record<string, Run>> = {
  sqrt: (value) => value.sqrt(),
  cbrt: (value) => value.cbrt(),
  abs: (value) => value.abs(),
  round: (value, digits) => value.toDecimalPlaces(digits ? toInteger(digits, 0, 34) : 0),
  floor: (value) => value.floor(),
  ceil: (value) => value.ceil(),
  ln: (value) => value.ln(),
  log: (value, base) => value.log(base ?? 10),
  exp: (value) => power(constants.e as Value, value),
  sin: (value) => inRange(value).sin(),
  cos: (value) => inRange(value).cos(),
  tan: (value) => inRange(value).tan(),
  min: (...values) => Number34.min(...values),
  max: (...values) => Number34.max(...values),
};
const arity: Readonly<Record<string, readonly [least: number, most: number]>> = {
  round: [1, 2],
  log: [1, 2],
  min: [1, 100],
  max: [1, 100],
};

/**
 * Evaluates an expression: `+ - * / % ^`, brackets, a few functions and the constants pi and e. Throws `invalid_input`
 * with the position if it can't be parsed, or with the reason if it has no value. Takes at most a few milliseconds for
 * any input.
 */
export function calculate(expression: string): string {
  if (expression.length > longest) throw wrong(`An expression has at most ${longest} characters.`);
  const words = read(expression);
  if (words.filter(isSlow).length > maxSteps)
    throw wrong(`An expression has at most ${maxSteps} powers, roots and logarithms.`);
  const { value, at } = sum(words, 0, 0);
  const rest = words[at];
  if (rest) throw unexpected(rest);
  return text(value);
}

const isSlow = ({ text: word }: Word): boolean => {
  const name = word.toLowerCase();
  return name === '^' || name === '**' || (Object.hasOwn(functions, name) && !quick.has(name));
};

interface Word {
  readonly text: string;
  readonly position: number;
}
interface Parsed {
  readonly value: Value;
  readonly at: number;
}

function read(expression: string): Word[] {
  const words: Word[] = [];
  const pattern = /\s+|(\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d{1,4})?|\.\d+|[A-Za-z][A-Za-z0-9]*|\*\*|[-+*/%^(),×÷−])/y;
  while (pattern.lastIndex < expression.length) {
    const position = pattern.lastIndex;
    const found = pattern.exec(expression);
    if (!found) throw wrong(`"${expression[position]}" at character ${position + 1} is not understood.`);
    if (found[1]) words.push({ text: found[1], position });
  }
  return words;
}

function sum(words: readonly Word[], from: number, depth: number): Parsed {
  let { value, at } = product(words, from, depth);
  for (let word = words[at]?.text; word === '+' || word === '-' || word === '−'; word = words[at]?.text) {
    const next = product(words, at + 1, depth);
    value = word === '+' ? value.plus(next.value) : value.minus(next.value);
    at = next.at;
  }
  return { value, at };
}

const products: Readonly<Record<string, (a: Value, b: Value) => Value>> = {
  '*': (a, b) => a.times(b),
  '×': (a, b) => a.times(b),
  '/': (a, b) => a.div(nonZero(b)),
  '÷': (a, b) => a.div(nonZero(b)),
  '%': (a, b) => a.mod(nonZero(b)),
};

function product(words: readonly Word[], from: number, depth: number): Parsed {
  let { value, at } = signed(words, from, depth);
  for (let apply = products[words[at]?.text ?? '']; apply; apply = products[words[at]?.text ?? '']) {
    const next = signed(words, at + 1, depth);
    value = apply(value, next.value);
    at = next.at;
  }
  return { value, at };
}

/** Unary minus binds weaker than a power: -2^2 is -4. */
function signed(words: readonly Word[], from: number, depth: number): Parsed {
  if (depth > deepest) throw wrong('The expression is nested too deeply.');
  const sign = words[from]?.text;
  if (sign !== '-' && sign !== '−' && sign !== '+') return raised(words, from, depth);
  const { value, at } = signed(words, from + 1, depth + 1);
  return { value: sign === '+' ? value : value.neg(), at };
}

function raised(words: readonly Word[], from: number, depth: number): Parsed {
  const base = atom(words, from, depth);
  const sign = words[base.at]?.text;
  if (sign !== '^' && sign !== '**') return base;
  const exponent = signed(words, base.at + 1, depth + 1);
  return { value: power(base.value, exponent.value), at: exponent.at };
}

function atom(words: readonly Word[], from: number, depth: number): Parsed {
  const word = words[from];
  if (!word) throw wrong('The expression ends where a number is missing.');
  if (word.text === '(') return bracket(words, from, depth);
  if (/^[\d.]/.test(word.text)) return { value: new Number34(word.text.replaceAll('_', '')), at: from + 1 };
  const name = word.text.toLowerCase();
  const constant = Object.hasOwn(constants, name) ? constants[name] : undefined;
  if (constant) return { value: constant, at: from + 1 };
  const run = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (run) return called(words, from, name, run, depth);
  throw unexpected(word);
}

function bracket(words: readonly Word[], from: number, depth: number): Parsed {
  const inner = sum(words, from + 1, depth + 1);
  return { value: inner.value, at: closing(words, inner.at) };
}

function called(words: readonly Word[], from: number, name: string, run: Run, depth: number): Parsed {
  if (words[from + 1]?.text !== '(') throw wrong(`${name} needs its numbers in brackets: ${name}(2).`);
  const values: Value[] = [];
  let at = from + 1;
  do {
    const next = sum(words, at + 1, depth + 1);
    values.push(next.value);
    at = next.at;
  } while (words[at]?.text === ',');
  const [least, most] = arity[name] ?? [1, 1];
  if (values.length < least || values.length > most)
    throw wrong(`${name} takes ${least === most ? least : `${least} to ${most}`} numbers.`);
  return { value: run(...values), at: closing(words, at) };
}

function closing(words: readonly Word[], at: number): number {
  const word = words[at];
  if (word?.text === ')') return at + 1;
  throw word ? unexpected(word) : wrong('A bracket is not closed.');
}

function power(base: Value, exponent: Value): Value {
  if (exponent.abs().gt(maxPower)) throw wrong(`Powers go up to ${maxPower}.`);
  return base.pow(exponent);
}

function text(value: Value): string {
  if (value.isNaN()) throw wrong('It has no value among the real numbers.');
  if (!value.isFinite()) throw wrong('The result is too large.');
  return value.abs().gte('1e21') || (!value.isZero() && value.abs().lt('1e-12')) ? value.toString() : value.toFixed();
}

function nonZero(value: Value): Value {
  if (value.isZero()) throw wrong('It divides by zero.');
  return value;
}

/** An angle too large for the precision has no meaningful sine. */
function inRange(value: Value): Value {
  if (value.abs().gt(1e9)) throw wrong('Angles go up to 1e9.');
  return value;
}

function toInteger(value: Value, least: number, most: number): number {
  if (!value.isInteger() || value.lt(least) || value.gt(most))
    throw wrong(`The number of places goes from ${least} to ${most}.`);
  return value.toNumber();
}

const wrong = (message: string) => new AppError('invalid_input', message);
const unexpected = ({ text: word, position }: Word) =>
  wrong(`"${word}" at character ${position + 1} is not expected there.`);
