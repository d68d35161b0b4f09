import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { createBodyMemory } from '../runtime/body/body-blocks.ts';
import { readJson } from './read-body.ts';

const room = createBodyMemory(30_000_000, () => new AppError('server_overloaded', 'full'));
const request = (body: BodyInit) => new Request('http://127.0.0.1/', { method: 'POST', body });
const outcome = (body: BodyInit, limit = 1_000_000) =>
  readJson(request(body), limit, room.enter('acct')).then(
    () => 'ok',
    (error: AppError) => error.code,
  );
const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;

describe('a JSON body', () => {
  test('comes back as it was written', async () => {
    const value = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 }));
    await fc.assert(
      fc.asyncProperty(value, async (written) => {
        const text = JSON.stringify(written);
        expect(JSON.stringify(await readJson(request(text), 10_000_000, room.enter('acct')))).toBe(
          JSON.stringify(JSON.parse(text)),
        );
      }),
    );
  });

  test.each([
    ['nothing', '', 'invalid_json'],
    ['spaces', '   ', 'invalid_json'],
    ['an open brace', '{', 'invalid_json'],
    ['a list', '[]', 'invalid_json'],
    ['null', 'null', 'invalid_json'],
    ['a string', '"text"', 'invalid_json'],
    ['an empty object', '{}', 'ok'],
    ['brackets in a string', `{"text": "${'{['.repeat(500)}\\"["}`, 'ok'],
    ['64 levels', nested(64), 'ok'],
    ['65 levels', nested(65), 'invalid_json'],
    ['half a million levels', '['.repeat(500_000), 'invalid_json'],
  ])('of %s is read, or refused as invalid JSON', async (_name, text, expected) => {
    expect(await outcome(text)).toBe(expected);
  });

  test('that is empty has an error that names it', async () => {
    await expect(readJson(request(' '), 10, room.enter('acct'))).rejects.toThrow('The request body is empty');
  });

  test('that is not UTF-8 is refused', async () => {
    expect(await outcome(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBe('invalid_json');
  });

  test('may be exactly as long as its limit', async () => {
    expect(await outcome('{"a":1}', 7)).toBe('ok');
    expect(await outcome('{"a":1}', 6)).toBe('request_too_large');
  });
});
