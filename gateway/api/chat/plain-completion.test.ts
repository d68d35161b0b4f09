import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completionRequest } from '#shared/wire/chat-request.ts';
import { plainCompletion } from './check-fields.ts';

const odd = fc.oneof(fc.jsonValue(), fc.double(), fc.string(), fc.constantFrom(null, '', 0, -1, 2, 2.5, 1e300, [], {}));
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'user', 'assistant', 'developer', 'tool', 'x'), content: fc.string() }),
  fc.record(
    { role: fc.constantFrom('user', 'assistant', 'tool'), content: odd, name: odd },
    { requiredKeys: ['role'] },
  ),
  odd,
);
const body = fc.record(
  {
    model: fc.oneof(fc.string({ maxLength: 300 }), odd),
    messages: fc.oneof(fc.array(message, { maxLength: 4 }), odd),
    stream: fc.oneof(fc.boolean(), odd),
    temperature: fc.oneof(fc.double({ min: -1, max: 3, noNaN: true }), odd),
    top_p: fc.oneof(fc.double({ min: -1, max: 2, noNaN: true }), odd),
    max_tokens: fc.oneof(fc.integer(), fc.maxSafeInteger(), odd),
    max_completion_tokens: fc.oneof(fc.integer(), odd),
    stop: odd,
    unheard_of: odd,
  },
  { requiredKeys: [] },
);

test('a request that the fast check accepts is accepted by the schema with the same value', () => {
  let accepted = 0;
  const plain = fc.record(
    {
      model: fc.string({ minLength: 1, maxLength: 256 }),
      messages: fc.array(
        fc.record({ role: fc.constantFrom('system', 'user', 'assistant', 'developer'), content: fc.string() }),
        { minLength: 1, maxLength: 4 },
      ),
      stream: fc.boolean(),
      temperature: fc.double({ min: 0, max: 2, noNaN: true }),
      max_tokens: fc.integer({ min: 1 }),
    },
    { requiredKeys: ['messages'] },
  );
  fc.assert(
    fc.property(fc.oneof(plain, body), (given) => {
      const request = plainCompletion(given as Record<string, unknown>);
      if (request === null) return;
      accepted += 1;
      const parsed = completionRequest.safeParse(given);
      expect(parsed.success).toBe(true);
      expect(parsed.data).toEqual(request);
    }),
    { numRuns: 2_000 },
  );
  expect(accepted).toBeGreaterThan(200);
});

test.each([
  [{}],
  [{ messages: [] }],
  [{ messages: [{ role: 'user', content: 'hi' }], unheard_of: 1 }],
  [{ messages: [{ role: 'user', content: 'hi', name: 'Ada' }] }],
  [{ messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] }],
  [{ messages: [{ role: 'tool', content: 'hi' }] }],
  [{ messages: [{ role: 'user', content: 'hi' }], temperature: null }],
])('the fast check leaves %j to the schema', (given) => {
  expect(plainCompletion(given)).toBeNull();
});
