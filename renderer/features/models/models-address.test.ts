import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fakeModels } from '../../../tests/support/fake-models.ts';
import { filterAbilities, sortColumns } from './filter-models.ts';
import { type ModelsAddress, readAddress, writeAddress } from './models-address.ts';
import { modelsCsv } from './models-list.tsx';

const id = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !text.includes(','));
const address: fc.Arbitrary<ModelsAddress> = fc.record({
  filter: fc.record({
    query: fc.string({ maxLength: 50 }),
    providers: fc.array(id, { maxLength: 3 }).map((list) => new Set(list)),
    abilities: fc.subarray([...filterAbilities]).map((list) => new Set(list)),
    maxInput: fc.constantFrom(null, '0.25', '10'),
    minContext: fc.constantFrom(null, 32_000),
    usable: fc.boolean(),
    favourites: fc.boolean(),
    fits: fc.option(id, { nil: null }),
    sort: fc.option(fc.record({ column: fc.constantFrom(...sortColumns), descending: fc.boolean() }), { nil: null }),
  }),
  model: fc.option(id, { nil: null }),
  picked: fc.uniqueArray(id, { maxLength: 5 }),
});

test('reading back a written address returns the same filter', () => {
  fc.assert(
    fc.property(address, (given) => {
      expect(readAddress(writeAddress(given))).toEqual(given);
    }),
  );
});

test('reading a typed address never fails', () => {
  fc.assert(fc.property(fc.string(), (text) => void readAddress(text)));
  expect(readAddress('max=cheap&context=-5&sort=colour&can=flying&pick=a,b,c,d,e,f')).toMatchObject({
    filter: { maxInput: null, minContext: null, sort: null, abilities: new Set() },
    picked: ['a', 'b', 'c', 'd', 'e'],
  });
});

test('a CSV contains the exact prices, and no cell that a spreadsheet would run as a formula', () => {
  const [priced] = fakeModels.filter(({ pricing }) => pricing !== null);
  if (!priced?.pricing) throw new Error('no made-up model has a price');
  const pricing = { ...priced.pricing, prompt: '0.000000037501', completion: '0.00012' };
  const models = [{ ...priced, pricing, name: '=1+1', staleDays: null }];
  const [head = '', row = ''] = modelsCsv(models, () => 'The cellar').split('\r\n');
  const getCell = (name: string) => row.split(',')[head.split(',').indexOf(name)];
  expect([
    getCell('input_usd_per_million'),
    getCell('output_usd_per_million'),
    getCell('name'),
    getCell('provider_name'),
  ]).toEqual(['0.037501', '120', "'=1+1", 'The cellar']);
});
