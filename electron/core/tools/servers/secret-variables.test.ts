import { expect, test } from 'vitest';
import { hidesValue, shownValue } from './server-question.ts';

/** Variables that make some loader, shell, browser driver or package manager run other code, or download it. */
const decisive = {
  PLAYWRIGHT_DOWNLOAD_HOST: 'https://cdn.example',
  OPENSSL_CONF: '/tmp/x.cnf',
  KUBECONFIG: '/tmp/kube',
  AWS_CONFIG_FILE: 'aws.ini',
  SSH_ASKPASS: '/tmp/ask',
  LESSOPEN: '|/tmp/open %s',
  PUPPETEER_EXECUTABLE_PATH: '/tmp/chrome',
  COREPACK_NPM_REGISTRY: 'http://registry.example',
  ELECTRON_MIRROR: 'https://mirror.example/',
  MAKEFLAGS: '--eval=$(shell id)',
  ERL_AFLAGS: '-eval io:format()',
  TS_NODE_COMPILER: 'evil-compiler',
  CHROME_PATH: 'C:\\tmp\\chrome.exe',
  GIT_CONFIG_KEY_0: 'core.sshCommand',
  GIT_CONFIG_VALUE_0: 'touch x',
  GIT_ASKPASS: 'ask.sh',
  NODE_OPTIONS: '--require ./x.cjs',
  PATH: '/tmp/bin:/usr/bin',
  // A name that sounds like a secret doesn't hide a path, option or address.
  PLUGIN_TOKEN: '/tmp/plugin.so',
  LOADER_KEY: '--import=./x.mjs',
  HOOK_SECRET: 'https://evil.example/x.js',
  STARTUP_PASSWORD: 'hook.js',
  LICENSE_KEY: '../x',
  SERVICE_AUTH: 'javaagent=x.jar',
};

const secrets = {
  API_TOKEN: 'canary-4711',
  GITHUB_PERSONAL_ACCESS_TOKEN: `ghp_${'aB3'.repeat(12)}`,
  OPENAI_API_KEY: `sk-proj-${'x1Y_'.repeat(10)}`,
  API_KEY_2: 'abc',
  OPENAI_APIKEY: 'abcdef',
  apiKey: 'abcdef',
  DB_PASSWORD: 'correct horse battery staple',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  GIT_TOKEN: 'canary-4712',
  NPM_CONFIG__AUTH: 'dXNlcjpwYXNzd29yZA==',
  PRIVATE_KEY: '-----BEGIN RSA PRIVATE KEY-----\nMIIE',
  GOOGLE_CREDENTIALS: '{"type":"service_account"}',
  // The value's form reveals a secret where the name doesn't.
  NOTION: `ntn_${'1a2B'.repeat(10)}`,
  INTEGRATION: `secret_${'1a2B'.repeat(10)}`,
};

test.each(Object.entries(decisive))('the question shows %s, which may decide what runs', (name, value) => {
  expect(hidesValue(name, value)).toBe(false);
});

test.each(Object.entries(secrets))('the question hides the value of %s, which is a secret', (name, value) => {
  expect(hidesValue(name, value)).toBe(true);
});

test.each([
  ['LOG_LEVEL', 'debug'],
  ['TZ', 'Europe/Berlin'],
  ['ALLOWED_DIRECTORIES', '/home/me/notes'],
  ['NOTION_VERSION', '2022-06-28'],
  ['SSH_AUTH_SOCK', '/run/user/1000/ssh'],
  ['KEYBOARD', 'de'],
  ['EMPTY', ''],
])('the question shows the ordinary setting %s=%s', (name, value) => {
  expect(hidesValue(name, value)).toBe(false);
});

test('the question shows an address without its password', () => {
  expect(shownValue('postgres://ada:canary-4713@db.example:5432/x')).toBe('postgres://ada:…@db.example:5432/x');
  expect(shownValue('https://mirror.example:8080/a@b')).toBe('https://mirror.example:8080/a@b');
});
