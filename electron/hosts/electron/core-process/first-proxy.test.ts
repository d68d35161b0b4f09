import { expect, test } from 'vitest';
import { firstProxy } from './first-proxy.ts';

test.each([
  ['DIRECT', null],
  ['', null],
  ['PROXY proxy.example:3128; DIRECT', 'http://proxy.example:3128'],
  ['HTTPS proxy.example:443', 'https://proxy.example:443'],
  ['SOCKS5 [::1]:1080;PROXY other:80', 'socks5://[::1]:1080'],
  ['SOCKS4 old.example:1080; PROXY proxy.example:80', 'http://proxy.example:80'],
  ['SOCKS4 old.example:1080; DIRECT', null],
  ['QUIC proxy.example:443; nonsense', null],
])('the proxy list %s leads to the proxy %s', (list, proxy) => {
  expect(firstProxy(list)).toBe(proxy);
});
