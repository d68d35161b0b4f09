import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inputItem } from '#shared/wire/responses-request.ts';
import { answerParts, toMessages } from '../../../tests/gateway-doubles/answer-parts.ts';
import { turnsOfItems } from './read-responses-request.ts';
import { createOutputItems } from './responses-form.ts';

test('text, calls and provider state of any answer survive the way through response items', () => {
  fc.assert(
    fc.property(answerParts, (parts) => {
      const output = createOutputItems('1');
      for (const part of parts) output.add(part);
      output.close('completed');
      const items = output.items.map((item) => inputItem.parse(JSON.parse(JSON.stringify(item))));
      expect(turnsOfItems(items).map(({ message }) => message)).toEqual(toMessages(parts));
    }),
  );
});
