import { expect, test } from 'vitest';
import { csvRow } from './csv.ts';

test('a cell is quoted if necessary, is never a formula, and keeps numbers as numbers', () => {
  const cells = ['plain', 'a, "b"\nc', '=1+1', '@sum', '-1.5e3', '-0.0005', '+1', -2, 0, null, ''];
  expect(csvRow(cells)).toBe(`plain,"a, ""b""\nc",'=1+1,'@sum,'-1.5e3,-0.0005,'+1,-2,0,,\r\n`);
});
