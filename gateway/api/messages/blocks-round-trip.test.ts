import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countTokensRequest } from '#shared/wire/messages-request.ts';
import { answerParts, toMessages } from '../../../tests/gateway-doubles/answer-parts.ts';
import { turnsOfMessages } from './message-turns.ts';
import { createMessageBlocks } from './messages-form.ts';

test('text, calls and provider state of any answer survive the way through message blocks', () => {
  fc.assert(
    fc.property(answerParts, (parts) => {
      const blocks = createMessageBlocks(false);
      for (const part of parts) blocks.add(part);
      blocks.close();
      const content = JSON.parse(JSON.stringify(blocks.content));
      const request = countTokensRequest.parse({ messages: [{ role: 'assistant', content }] });
      const [turn] = turnsOfMessages(request);
      expect([turn?.message]).toEqual(toMessages(parts));
    }),
  );
});
