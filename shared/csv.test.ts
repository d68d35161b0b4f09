import { expect, test } from 'vitest';
import { csvRow } from './csv.ts';

test('a cell is quoted where it has to be, is never a formula, and an amount stays a number', () => {
  const cells = ['plain', 'a, "b"\nc', '=1+1', '@sum', '-1.5e3', '-0.0005', '+1', -2, 0, null, ''];
  expect(csvRow(cells)).toBe(`plain,"a, ""b""\nc",'=1+1,'@sum,'-1.5e3,-0.0005,'+1,-2,0,,\r\n`);
});
