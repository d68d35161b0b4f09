import { words } from './language.ts';

export const text = words({
  close: 'Close',
  notConverted: (amount: string) => `${amount}, not converted`,
  unknownAmount: 'unknown',
  typedUnsaved: 'What you typed is not saved.',
  keepWriting: 'Keep writing',
  discard: 'Discard',
  notifications: 'Notifications',
  dismiss: 'Dismiss',
  undo: 'Undo',
  retry: 'Retry',
  otherKey: 'Enter a key that may in Settings → Gateway. What this app spent itself is under Settings → Caps.',
  tryAgainIn: (seconds: number) => `Try again in ${seconds} s.`,
  tryingAgainIn: (seconds: number) => `Trying again in ${seconds} s.`,
  readAt: (time: string) => `What is shown is as of ${time}.`,
  copyFailed: 'Could not copy',
  copyRefused: 'This window may not write to the clipboard. Select the text and copy it by keyboard.',
  ownServer: 'Your server',
  sandbox: 'Sandbox',
  ownKeys: 'Your keys',
  testCredits: 'Test credits',
});
