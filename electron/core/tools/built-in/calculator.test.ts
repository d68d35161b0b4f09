import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { calculate } from './calculator.ts';

test.each([
  ['0.1 + 0.2', '0.3'],
  ['1 + 2 * 3', '7'],
  ['(1 + 2) * 3', '9'],
  ['-2^2', '-4'],
  ['2^3^2', '512'],
  ['2 ** -1', '0.5'],
  ['10 % 4', '2'],
  ['10 − 4 × 2 ÷ 8', '9'],
  ['1_000_000 * 1.5e3', '1500000000'],
  ['round(2.345, 2)', '2.35'],
  ['max(1, 2, 3) - min(4, 5)', '-1'],
  ['log(1000)', '3'],
  ['log(8, 2)', '3'],
  ['2^100', '1.267650600228229401496703205376e+30'],
  ['round(sqrt(2), 10)', '1.4142135624'],
])('%s is %s', (expression, result) => expect(calculate(expression)).toBe(result));

test.each([
  ['', 'ends where a number is missing'],
  ['1 +', 'ends where a number is missing'],
  ['(1', 'not closed'],
  ['1)', '")" at character 2'],
  ['2 2', '"2" at character 3'],
  ['1 / 0', 'divides by zero'],
  ['sqrt(-1)', 'no value'],
  ['9^9^9', 'Powers go up to'],
  ['process(1)', '"process" at character 1'],
  ['constructor(1)', '"constructor" at character 1'],
  ['sqrt 2', 'needs its numbers in brackets'],
  ['log(1, 2, 3)', 'takes 1 to 2 numbers'],
  ['round(1.5, 999)', 'The number of places goes from'],
  ['sin(1e10)', 'Angles go up to'],
  ['$5', '"$" at character 1'],
  ['('.repeat(500), 'nested too deeply'],
  [`1${'+1'.repeat(600)}`, 'at most 1000 characters'],
  [`1${'+exp(9.7)'.repeat(100)}`, 'at most 30 powers'],
  ['2.7^.9*'.repeat(100), 'at most 30 powers'],
  ['10^5000 * 10^5000', 'too large'],
])('fault %#: the error for %.20s explains what is wrong', (expression, sentence) => {
  expect(() => calculate(expression)).toThrow(sentence);
});

test('any expression gives a number or a sentence that explains what is wrong', () => {
  const piece = fc.constantFrom(...'0123456789.+-*/%^(), '.split(''), 'sqrt(', 'pi', 'e', 'sin(', 'log(', '1e9', 'x');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      try {
        expect(calculate(pieces.join(''))).toMatch(/^-?\d+(\.\d+)?(e[+-]\d+)?$/);
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
      }
    }),
    { numRuns: 2000 },
  );
});

test('sums of cents are exact', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1_000_000, max: 1_000_000 }), { minLength: 1, maxLength: 40 }), (cents) => {
      const expression = cents
        .map((value) => `(${value / 100 < 0 ? '-' : ''}${(Math.abs(value) / 100).toFixed(2)})`)
        .join('+');
      expect(Number(calculate(expression)) * 100).toBeCloseTo(
        cents.reduce((a, b) => a + b, 0),
        6,
      );
    }),
  );
});
