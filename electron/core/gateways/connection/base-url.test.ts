import { expect, test } from 'vitest';
import { type BaseUrlUse, parseBaseUrl } from './base-url.ts';

const withKey: BaseUrlUse = { withKey: true };
const withoutKey: BaseUrlUse = { withKey: false };
const own: BaseUrlUse = { withKey: false, ownServer: true };

test.each<[string, BaseUrlUse, string]>([
  ['', withKey, 'addressNeeded'],
  ['api.example.com/v1', withKey, 'addressNeeded'],
  ['ftp://api.example.com', withKey, 'addressNeeded'],
  ['file:///etc/passwd', own, 'addressNeeded'],
  ['https://user:secret@api.example.com', withKey, 'addressHasKey'],
  ['https://api.example.com/v1?key=1', withKey, 'addressHasQuery'],
  ['https://api.example.com/v1#1', withKey, 'addressHasQuery'],
  ['http://192.168.1.4:8080', withKey, 'addressClear'],
  ['http://api.example.com', withoutKey, 'addressPlain'],
  ['http://192.168.1.4:8080', withoutKey, 'addressPlain'],
  ['http://api.example.com', own, 'addressPlain'],
])('the address %j, used with %j, is refused as %s', (address, use, name) => {
  expect(() => parseBaseUrl(address, use)).toThrow(
    expect.objectContaining({ code: 'invalid_input', refusal: expect.objectContaining({ name }) }),
  );
});

test.each<[string, BaseUrlUse, string]>([
  ['https://api.example.com/v1//', withKey, 'https://api.example.com/v1'],
  ['http://127.0.0.1:11434', withKey, 'http://127.0.0.1:11434'],
  ['http://192.168.1.4:8080', own, 'http://192.168.1.4:8080'],
])('the address %j, used with %j, is accepted as %s', (address, use, taken) => {
  expect(parseBaseUrl(address, use)).toBe(taken);
});
