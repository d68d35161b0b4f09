import { count } from '../../../text/format.ts';
import { words } from '../../../text/language.ts';

export const networkText = words({
  failed: 'Could not read the network settings',
  proxy: 'Proxy',
  proxyNote:
    'For everything the app calls: models, gateways, tools, and the pages and pictures that answers name. The names of those pages are looked up on this computer.',
  proxies: { system: 'As the system', none: 'None', fixed: 'This one' },
  address: 'Address',
  addressNote: 'http://, https:// or socks5://, with host and port',
  username: 'User name',
  password: 'Password',
  passwordKept: 'It is kept. Type another one to replace it.',
  passwordNote: 'Kept in the keychain, else for this session.',
  bypass: 'Reached directly',
  bypassNote: 'Hosts by commas, such as intranet.example, *.example.com. This computer always is.',
  certificates: 'Certificates that are trusted, too',
  certificatesNote:
    'In PEM, beside those of the system: of the authority of an office’s firewall, or of a gateway of your own.',
  save: 'Save',
  saved: 'Saved. It holds for every call from now on.',
  testTitle: 'Test the connection',
  testNote: 'Goes the way of a call, step by step. No key is sent.',
  target: 'To',
  test: 'Test',
  testing: 'Testing',
  testFailed: 'The test could not be made',
  noTargets: 'There is nothing to call yet.',
  steps: { proxy: 'Proxy', name: 'Name', connection: 'Connection', answer: 'Answer' },
  direct: 'None: directly',
  ms: (ms: number) => `${count(ms)} ms`,
  reached: 'It is reached.',
});
