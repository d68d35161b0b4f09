import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { servedDouble } from './served.ts';
import { transports } from './transports.ts';

/** Messages that a page under somebody else's control could send: almost correct, or nothing like a real one. */
const path = fc.oneof(
  fc.constantFrom('/settings/update', '/chat/watch', '/chat/stop', '/settings/get', '/__proto__/toString', '//x', ''),
  fc.string(),
);
const shaped = fc.record(
  {
    // The id is never that of a running call. A page that answers its own call harms only itself.
    i: fc.oneof(
      fc.string({ maxLength: 4 }).map((id) => `~${id}`),
      fc.integer({ max: -1 }),
      fc.constant(null),
    ),
    t: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.string({ maxLength: 2 })),
    p: fc.oneof(
      fc.record(
        {
          u: fc.oneof(path, fc.integer()),
          b: fc.oneof(fc.jsonValue(), fc.record({ json: fc.jsonValue(), meta: fc.jsonValue() })),
          h: fc.oneof(
            fc.dictionary(fc.constantFrom('content-type', 'content-disposition', 'x'), fc.string()),
            fc.jsonValue(),
          ),
          m: fc.string({ maxLength: 6 }),
          e: fc.constantFrom('message', 'error', 'done', 'x'),
          d: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    ),
  },
  { requiredKeys: [] },
);
const message = fc.oneof(
  { weight: 5, arbitrary: shaped.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }) },
);

describe.each(Object.entries(transports))('over a %s', (_, connect) => {
  test('no message, however broken, ends the core or keeps the next call from its answer', async () => {
    const quiet = vi.spyOn(console, 'error').mockImplementation(() => {});
    const connected = await connect(servedDouble());
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(message, { minLength: 20, maxLength: 40 }), async (messages) => {
          for (const rawMessage of messages) connected.sendRaw(rawMessage);
          expect(await connected.client.settings.update({ theme: 'light' })).toMatchObject({ theme: 'light' });
        }),
        { numRuns: 60 },
      );
    } finally {
      await connected.close();
      quiet.mockRestore();
    }
  });
});
