import { expect, test } from 'vitest';
import { mayCarrySecrets } from './dispatch-fetch.ts';

test.each([
  ...['https://api.example/v1', 'https://10.0.0.5/', 'http://localhost:8788', 'http://LOCALHOST/', 'http://127.0.0.1/'],
  ...['http://127.255.255.254/', 'http://127.1/', 'http://2130706433/', 'http://0x7f.0.0.1/', 'http://[::1]:9/'],
  ...['http://[0:0:0:0:0:0:0:1]/', 'http://127.0.0.1./'],
])('a secret may be sent to %s', (address) => expect(mayCarrySecrets(address)).toBe(true));

test.each([
  ...['http://api.example/', 'http://10.0.0.5/', 'http://192.168.1.2/', 'http://0.0.0.0/', 'http://0/', 'http://[::]/'],
  ...['http://localhost.evil.example/', 'http://127.0.0.1.nip.io/', 'http://a.localhost/', 'http://localhost./'],
  ...['http://127.0.0.1@evil.example/', 'http://evil.example/#127.0.0.1', 'http://[::ffff:127.0.0.1]/'],
  ...[
    'http://[::127.0.0.1]/',
    'http://128.0.0.1/',
    'ftp://127.0.0.1/',
    'ws://127.0.0.1/',
    '//127.0.0.1',
    '',
    'localhost',
  ],
  'http://ⓛocalhost.example/',
])('no secret may be sent to %s', (address) => expect(mayCarrySecrets(address)).toBe(false));
