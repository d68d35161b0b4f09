import { words } from './language.ts';

export const connectionText = words({
  title: 'Gateways and accounts',
  note: 'One of them answers and pays. Switching keeps the others as they are.',
  loading: 'Loading the gateways',
  failed: 'Could not read the gateways',
  builtIn: 'Built in',
  builtInNote: 'Runs inside this app, with your own provider keys and test credits.',
  inUse: 'In use',
  use: 'Use',
  switchTo: (name: string) => `Use ${name}`,
  notUsed: 'Not switched',
  credentials: { api_key: 'key', jwt: 'token' },
  where: (url: string, credential: string, hint: string | null) => `${url} · ${credential}${hint ? ` ${hint}` : ''}`,
  thisSession: 'for this session only',
  ends: (when: string) => `Ends ${when}.`,
  endsSoon: (credential: string, when: string) =>
    `This ${credential} ends ${when}. Get a new one where you got it, and replace it before that.`,
  ended: (credential: string, when: string) =>
    `This ${credential} ended ${when}. Get a new one where you got it, and replace it here.`,
  /** Shown anywhere in the app, about the account in use. */
  noticeSoon: (credential: string, account: string, when: string) =>
    `The ${credential} of ${account} ends ${when}. Replace it before that: nothing is answered without it.`,
  noticeEnded: (credential: string, account: string, when: string) =>
    `The ${credential} of ${account} ended ${when}. Nothing is answered until it is replaced.`,
  noticeLink: 'Replace it',
  paysNow: (name: string) => `Gateway: ${name}`,
  manage: 'Manage gateways…',
  more: 'More',
  moreLabel: (name: string) => `More about ${name}`,
  rename: 'Rename',
  replace: 'Replace the key',
  remove: 'Remove',
  titles: {
    rename: (name: string) => `Rename ${name}`,
    replace: (name: string) => `Replace the key of ${name}`,
    remove: (name: string) => `Remove ${name}?`,
  },
  name: 'Name',
  optionalName: 'Name (may be empty)',
  nameNote: 'Empty: what the gateway calls the account.',
  credential: 'API key or token',
  replaceNote: (url: string) => `It is checked with ${url}, then kept in the place of the one before.`,
  removeNote: 'Its key is deleted from this computer. Its balance and its history stay with the gateway.',
  removeActive: 'From now on the built-in gateway answers.',
  save: 'Save',
  checkAndSave: 'Check and save',
  cancel: 'Cancel',
  ownKeysIdle: (name: string) =>
    `These keys are idle: ${name} answers and pays. It can be given the key of a provider with each question to that provider’s models, which then bills you. What Auto chooses is paid by ${name} in any case.`,
  ownKeysSent: (name: string) =>
    `${name} is given the key of a provider with each question to that provider’s models: the provider bills you. What Auto chooses is paid by ${name}.`,
  sendOwnKeys: (name: string) => `Use my keys with ${name}`,
  stopOwnKeys: 'Leave my keys idle',
  notChanged: 'Not changed',
  add: 'Add an account',
  addTitle: 'Connect to another gateway',
  addNote: 'With an API key (sk-…) or a token (JWT) of that gateway. It is checked before it is kept.',
});
