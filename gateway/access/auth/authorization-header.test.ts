import { describe, expect, test } from 'vitest';
import type { AppError } from '#shared/errors.ts';
import { createApiKey } from './api-key.ts';
import { parseAuthorization } from './authorization-header.ts';

const key = createApiKey();
const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1In0.c2ln';
const wrongEnd = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`;

function getCode(header: string | null): string {
  try {
    return parseAuthorization(header).type;
  } catch (error) {
    return (error as AppError).code;
  }
}

describe('the Authorization header', () => {
  test.each([
    ['Bearer KEY', 'api_key'],
    ['bearer KEY', 'api_key'],
    ['BEARER KEY', 'api_key'],
    ['ApiKey KEY', 'api_key'],
    ['apikey KEY', 'api_key'],
    ['Bearer JWT', 'jwt'],
    ['ApiKey JWT', 'invalid_api_key'],
    ['', 'missing_credentials'],
    [null, 'missing_credentials'],
    ['KEY', 'malformed_authorization'],
    ['Bearer', 'malformed_authorization'],
    ['Bearer ', 'malformed_authorization'],
    ['Bearer  KEY', 'malformed_authorization'],
    [' Bearer KEY', 'malformed_authorization'],
    ['Bearer KEY ', 'malformed_authorization'],
    ['Bearer\tKEY', 'malformed_authorization'],
    ['Bearer KEY KEY', 'malformed_authorization'],
    ['Bearer KEY, Bearer KEY', 'malformed_authorization'],
    ['Bearer KEY\u00a0', 'malformed_authorization'],
    ['Bearer ключ', 'malformed_authorization'],
    ['Basic KEY', 'malformed_authorization'],
    ['Token KEY', 'malformed_authorization'],
    ['Bearer "KEY"', 'invalid_api_key'],
    ['Bearer sk-other-0123', 'invalid_api_key'],
    ['Bearer WRONGEND', 'invalid_api_key'],
    ['Bearer KEYx', 'invalid_api_key'],
    ['Bearer nonsense', 'invalid_api_key'],
    ['Bearer a.b', 'invalid_api_key'],
    [`Bearer ${'a'.repeat(9000)}`, 'malformed_authorization'],
  ])('the header %j is parsed as %s', (template, expected) => {
    const header = template?.replaceAll('KEY', key).replaceAll('JWT', jwt).replaceAll('WRONGEND', wrongEnd) ?? null;
    expect(getCode(header)).toBe(expected);
  });
});
